#include "runtime/runtime.hpp"

#include "runtime/clocks.hpp"
#include "runtime/start_actors.hpp"
#include "runtime/stored_work.hpp"
#include "storage/table_rules.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace pawl {
namespace {

constexpr std::chrono::milliseconds look_again{20};

}  // namespace

namespace {

error refuse(std::string part, std::string text) {
  return {fault::refused, std::move(part), std::move(text)};
}

status check_handlers(const std::vector<handler_registration>& handlers) {
  std::set<std::pair<std::string, std::string>> unconditional;
  for (const handler_registration& one : handlers) {
    if (one.contract == nullptr || one.run == nullptr) {
      return refuse("handlers", "a handler needs a contract and a function: use make_handler");
    }
    const message_contract& contract = *one.contract;
    if (status legal = check_contract(contract); !legal.ok()) {
      return legal;
    }
    if (contract.when.empty() &&
        !unconditional.emplace(contract.type, contract.entity_type).second) {
      return refuse("handlers", "two handlers take every \"" + contract.type +
                                    "\" for entity type \"" + contract.entity_type +
                                    "\": join them, or tell them apart by `when`");
    }
  }
  return {};
}

status check_config(const runtime_config& config) {
  if (config.consumer.empty() || config.node_name.empty()) {
    return refuse("consumer", "consumer and node need a name");
  }
  if (config.database == nullptr || config.tables == nullptr) {
    return refuse("database", "a runtime needs a store and the catalog that was read from it");
  }
  if (config.shards == 0 || config.shards > 4096) {
    return refuse("shards", "the number of shards must be from 1 to 4096");
  }
  if (config.attempts < 1) {
    return refuse("attempts", "a message needs at least 1 attempt");
  }
  if (config.credit_messages == 0 || config.credit_bytes == 0 || config.batch_messages == 0) {
    return refuse("credits", "without credits, or a place in the batch, nothing would move");
  }
  if (config.lease.count() <= 0) {
    return refuse("lease", "a lease must be longer than nothing");
  }
  const bool has_ledger = std::any_of(
      config.handlers.begin(), config.handlers.end(),
      [](const auto& one) { return one.contract->pair.dedupe == dedupe_policy::ledger; });
  if (has_ledger && config.ledger_window.count() <= 0) {
    return refuse("ledger", "a ledger needs a window longer than nothing");
  }
  std::set<std::string> names;
  for (const runtime_source& one : config.sources) {
    if (one.from == nullptr || !names.insert(one.from->name()).second) {
      return refuse("sources", "every source needs a name of its own: positions belong to it");
    }
  }
  return check_handlers(config.handlers);
}

}  // namespace

/// Order of the members: what the actors use is made before them and outlives them.
struct runtime::impl {
  runtime_config config;
  counters counted;
  alarm_board alarms;
  position_board delivered;
  handler_table handlers;
  node_surroundings around;
  node_registration node;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::set<std::uint32_t> unfinished;  ///< intakes
  runtime_end end;
  bool has_ended = false;

  stored_work pending;

  std::unique_ptr<node_actors> actors;

  explicit impl(runtime_config given)
      : config(std::move(given)),
        alarms(wall_clock_ms, config.on_alarm),
        pending(*config.database, config.consumer) {}

  status prepare();
  result<std::vector<shard_grant>> take_leases();
  status start_actors(std::vector<shard_grant> grants);
  runner_config make_runner_config() const;
  bool wait_intakes(std::chrono::milliseconds at_most);
  void end_actors();
  void give_back();
};

status runtime::impl::prepare() {
  if (const status complete = check_config(config); !complete.ok()) {
    return complete;
  }
  if (config.shapes == nullptr) {
    config.shapes = std::make_shared<shape_registry>();
  }
  if (config.committers == 0) {
    config.committers = config.database->parallel_commits() ? 2 : 1;
  }
  for (const handler_registration& one : config.handlers) {
    handlers.enter(one.contract.get(), one.run);
    around.decoding.contracts.push_back(one.contract.get());
  }
  for (const runtime_source& one : config.sources) {
    around.type_paths.emplace(one.from->name(), one.type_path);
  }
  around.consumer = config.consumer;
  around.decoding.consumer = config.consumer;
  around.shards.retry = {config.attempts, config.backoff.count(), config.backoff_max.count()};
  around.shards.passivate_ms = config.passivate.count();
  around.shards.flight_tasks_max = config.batch_messages;
  around.entities = {&handlers, config.tables.get(), config.shapes.get()};
  around.counted = &counted;
  around.delivered = &delivered;
  around.alarms = &alarms;
  around.now_ms = steady_clock_ms;
  around.at_fault_point = [this](fault_point point) {
    return around.abandoned.load(std::memory_order_relaxed) ||
           (config.at_fault_point && config.at_fault_point(point));
  };
  around.ended = [this](bool lost_leases, const std::string& text) {
    const std::lock_guard lock(mutex);
    if (!has_ended) {
      has_ended = true;
      end = {lost_leases, text};
    }
    changed.notify_all();
  };
  around.finished = [this](std::uint32_t intake) {
    const std::lock_guard lock(mutex);
    unfinished.erase(intake);
    changed.notify_all();
  };
  return {};
}

runner_config runtime::impl::make_runner_config() const {
  rules_input input;
  input.tables = config.tables.get();
  bool all_known = true;
  for (const handler_registration& one : config.handlers) {
    all_known = all_known && !one.shapes.empty();
    input.shapes.insert(input.shapes.end(), one.shapes.begin(), one.shapes.end());
    for (const effect_shape* shape : one.keyed_by_entity) {
      input.keyed_by_entity.emplace(shape, one.contract->entity_type);
    }
  }
  if (!all_known) {
    // What a C++ handler writes is seen when it runs: any row may have a second writer.
    input.keyed_by_entity.clear();
  }
  runner_config made;
  made.tables = config.tables.get();
  made.rules = derive_rules(input);
  made.folds = config.database->folds();
  made.at_fault_point = around.at_fault_point;
  return made;
}

status runtime::impl::start_actors(std::vector<shard_grant> grants) {
  auto keeper = config.database->open_keeper();
  auto janitor = config.database->open_janitor(config.consumer);
  if (!keeper.ok()) {
    return keeper.error();
  }
  if (!janitor.ok()) {
    return janitor.error();
  }
  const auto positions = (*janitor)->positions();
  if (!positions.ok()) {
    return positions.error();
  }
  for (runtime_source& one : config.sources) {
    std::vector<source_position> stored;
    std::copy_if(positions->begin(), positions->end(), std::back_inserter(stored),
                 [&](const source_position& at) { return at.source == one.from->name(); });
    if (const status started = one.from->start(stored); !started.ok()) {
      alarms.raise("source:" + one.from->name(), started.error().text);
      return error{started.error().kind, started.error().code,
                   "source " + one.from->name() + ": " + started.error().text};
    }
  }
  actors_plan plan;
  plan.around = &around;
  plan.node = node;
  plan.grants = std::move(grants);
  plan.janitor = std::move(*janitor);
  plan.keeper = std::move(*keeper);
  plan.runner = make_runner_config();
  plan.store_retry = {1, config.backoff.count(), config.backoff_max.count()};
  plan.batch_messages = config.batch_messages;
  plan.handlers_spare = config.handlers_spare;
  plan.lease_ms = config.lease.count();
  plan.window_ms = config.ledger_window.count();
  for (std::uint32_t i = 0; i < config.committers; ++i) {
    commit_identity identity{node, config.consumer, i, {}};
    identity.timeouts.lock_ms = std::min(identity.timeouts.lock_ms, config.lease.count() / 4);
    identity.timeouts.statement_ms =
        std::min(identity.timeouts.statement_ms, config.lease.count() / 2);
    auto session = config.database->open_commit(identity, config.tables.get());
    if (!session.ok()) {
      return session.error();
    }
    plan.commit_sessions.push_back(std::move(*session));
  }
  for (std::uint32_t i = 0; i < config.sources.size(); ++i) {
    intake_settings settings;
    settings.index = i;
    settings.shards = config.shards;
    settings.credit_messages = config.credit_messages;
    settings.credit_bytes = config.credit_bytes;
    settings.ignore_types = config.sources[i].ignore_types;
    unfinished.insert(i);
    plan.intakes.push_back({std::move(settings), std::move(config.sources[i].from)});
  }
  actors = std::make_unique<node_actors>(std::move(plan));
  return {};
}

void runtime::impl::end_actors() {
  around.abandoned.store(true);
  actors.reset();
}

/// A lease that can't be given back ends by itself.
void runtime::impl::give_back() {
  auto keeper = config.database->open_keeper();
  if (keeper.ok()) {
    (void)(*keeper)->release(node);
  }
}

runtime::runtime(std::unique_ptr<impl> inside) : impl_(std::move(inside)) {}

runtime::~runtime() { abandon(); }

result<std::unique_ptr<runtime>> runtime::start(runtime_config config) {
  auto inside = std::make_unique<impl>(std::move(config));
  if (const status prepared = inside->prepare(); !prepared.ok()) {
    return prepared.error();
  }
  auto grants = inside->take_leases();
  if (!grants.ok()) {
    return grants.error();
  }
  if (const status started = inside->start_actors(std::move(*grants)); !started.ok()) {
    inside->give_back();
    return started.error();
  }
  return std::unique_ptr<runtime>(new runtime(std::move(inside)));
}

result<std::vector<shard_grant>> runtime::impl::take_leases() {
  auto keeper = config.database->open_keeper();
  if (!keeper.ok()) {
    return keeper.error();
  }
  auto registered = (*keeper)->register_node(
      {config.consumer, config.shards, config.node_name, config.lease.count()});
  if (!registered.ok()) {
    return registered.error();
  }
  node = *registered;
  auto grants = (*keeper)->take_leases(node);
  if (grants.ok() && grants->size() != config.shards) {
    return error{
        fault::refused, "leases",
        "another node holds some of this consumer's shards; stop it, or wait for its lease to end"};
  }
  return grants;
}

bool runtime::impl::wait_intakes(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, at_most, [this] { return unfinished.empty() || has_ended; }) &&
         !has_ended;
}

bool runtime::wait_finished(std::chrono::milliseconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  if (!impl_->wait_intakes(at_most)) {
    return false;
  }
  // Intakes are finished with what is parked: draining goes on without them.
  while (!impl_->pending.at_rest()) {
    if (std::chrono::steady_clock::now() >= until || !ended().text.empty()) {
      return false;
    }
    std::this_thread::sleep_for(look_again);
  }
  return true;
}

runtime_end runtime::ended() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->end;
}

bool runtime::drain(std::chrono::milliseconds at_most) {
  if (impl_->actors != nullptr) {
    impl_->actors->stop_intakes();
  }
  const bool finished = impl_->wait_intakes(at_most);
  const bool lost = ended().lost_leases;
  impl_->end_actors();
  if (!lost) {
    impl_->give_back();
  }
  return finished;
}

void runtime::abandon() { impl_->end_actors(); }

counts runtime::count() const { return impl_->counted.read(); }

std::vector<alarm> runtime::alarms() const { return impl_->alarms.raised(); }

}  // namespace pawl
