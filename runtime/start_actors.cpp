#include "runtime/start_actors.hpp"

#include "actors/committer_actor.hpp"
#include "actors/intake_actor.hpp"
#include "actors/janitor_actor.hpp"
#include "actors/keeper_actor.hpp"
#include "actors/shard_actor.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace pawl {
namespace {

template <class T>
std::shared_ptr<T> shared(std::unique_ptr<T> owned) {
  return std::shared_ptr<T>(std::move(owned));
}

}  // namespace

struct node_actors::impl {
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::vector<caf::actor> intakes;
  std::vector<caf::actor> others;

  explicit impl(std::uint32_t handlers_spare) {
    config.set("scheduler.policy", caf::atom("sharing"));
    config.set("scheduler.max-threads",
               static_cast<std::size_t>(std::max(1U, std::thread::hardware_concurrency()) +
                                        handlers_spare));
    config.set("scheduler.max-throughput", std::size_t{100});
    system = std::make_unique<caf::actor_system>(config);
  }
};

node_actors::node_actors(actors_plan plan) : impl_(std::make_unique<impl>(plan.handlers_spare)) {
  caf::actor_system& system = *impl_->system;
  committer_settings committing{plan.batch_messages, plan.store_retry, std::move(plan.runner)};
  std::vector<caf::actor> committers;
  for (auto& session : plan.commit_sessions) {
    committers.push_back(system.spawn<committer_actor, caf::detached>(
        plan.around, static_cast<std::uint32_t>(committers.size()), shared(std::move(session)),
        committing));
  }
  std::vector<caf::actor> shards(plan.grants.size());
  for (const shard_grant& grant : plan.grants) {
    shards[grant.shard.value] = system.spawn<shard_actor>(
        plan.around, grant, committers[grant.shard.value % committers.size()]);
  }
  const auto janitor = system.spawn<janitor_actor, caf::detached>(
      plan.around, shared(std::move(plan.janitor)), plan.window_ms, shards);
  const auto keeper = system.spawn<keeper_actor, caf::detached>(
      plan.around, shared(std::move(plan.keeper)), plan.node, plan.lease_ms);

  auto known = std::make_shared<know_others>();
  for (auto& one : plan.intakes) {
    known->intakes.push_back(system.spawn<intake_actor, caf::detached>(
        plan.around, std::move(one.settings), shared(std::move(one.from)), shards, janitor));
  }
  known->shards = shards;
  for (const caf::actor& shard : shards) {
    caf::anon_send(shard, msg<know_others>(known));
  }
  for (const caf::actor& one : known->intakes) {
    caf::anon_send(one, poll_source{});  // not before the shards know whom to answer
  }
  impl_->intakes = known->intakes;
  impl_->others = std::move(shards);
  impl_->others.insert(impl_->others.end(), committers.begin(), committers.end());
  impl_->others.push_back(janitor);
  impl_->others.push_back(keeper);
}

node_actors::~node_actors() {
  for (const auto* group : {&impl_->intakes, &impl_->others}) {
    for (const caf::actor& one : *group) {
      caf::anon_send_exit(one, caf::exit_reason::user_shutdown);
    }
  }
  impl_->intakes.clear();
  impl_->others.clear();
  impl_->system.reset();
}

void node_actors::stop_intakes() {
  for (const caf::actor& one : impl_->intakes) {
    caf::anon_send(one, stop_intake{});
  }
}

}  // namespace pawl
