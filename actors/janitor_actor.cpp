#include "actors/janitor_actor.hpp"

#include "actors/retention.hpp"

#include <chrono>
#include <utility>

namespace pawl {
namespace {

constexpr std::chrono::milliseconds rounds_interval{500};
/// Marks and undrained entities brought in one round: the rest comes with the next.
constexpr std::size_t brought_max = 100;

}  // namespace

janitor_actor::janitor_actor(caf::actor_config& config, node_surroundings* around,
                             std::shared_ptr<janitor_session> session, std::int64_t window_ms,
                             std::vector<caf::actor> shards)
    : actor_base(config),
      around_(around),
      session_(std::move(session)),
      window_ms_(window_ms),
      shards_(std::move(shards)),
      last_ms_(around->now_ms()) {}

caf::behavior janitor_actor::make_behavior() {
  delayed_send(this, rounds_interval, do_rounds{});
  return {
      [this](const msg<store_positions>& request) {
        to_store_.push_back(request);
        store();
      },
      [this](do_rounds) {
        if (around_->abandoned.load(std::memory_order_relaxed)) {
          return;
        }
        store();
        const status walked = rounds();
        if (walked.ok()) {
          around_->alarms->clear("store:janitor");
        } else if (walked.error().kind != fault::contended) {
          around_->alarms->raise("store:janitor", walked.error().text);
        }
        delayed_send(this, rounds_interval, do_rounds{});
      },
  };
}

void janitor_actor::store() {
  if (around_->abandoned.load(std::memory_order_relaxed)) {
    return;
  }
  while (!to_store_.empty()) {
    const msg<store_positions> request = to_store_.front();
    const status stored = session_->save_positions(request->frontiers);
    if (!stored.ok()) {
      around_->alarms->raise("store:janitor", stored.error().text);
      return;  // the next rounds try again; a position that is late costs only repeats
    }
    caf::anon_send(request->intake, positions_stored{request->number});
    to_store_.erase(to_store_.begin());
  }
}

status janitor_actor::rounds() {
  const std::int64_t now = around_->now_ms();
  const auto clock = session_->advance_clock(now - last_ms_);
  if (!clock.ok()) {
    return clock.error();
  }
  last_ms_ = now;
  if (const status kept = upkeep(); !kept.ok()) {
    return kept;
  }
  auto marked = session_->marked(brought_max);
  if (!marked.ok()) {
    return marked.error();
  }
  for (marked_dead_letter& one : *marked) {
    const std::size_t shard = one.shard.value;
    if (shard < shards_.size()) {
      caf::anon_send(shards_[shard],
                     msg<redrive_request>(std::make_shared<redrive_request>(
                         redrive_request{std::move(one.entity), one.id, one.mark})));
    }
  }
  auto undrained = session_->undrained(brought_max);
  if (!undrained.ok()) {
    return undrained.error();
  }
  for (undrained_entity& one : *undrained) {
    const std::size_t shard = one.shard.value;
    if (shard < shards_.size()) {
      caf::anon_send(shards_[shard], msg<drain_request>(std::make_shared<drain_request>(
                                         drain_request{std::move(one.entity), one.why})));
    }
  }
  return {};
}

status janitor_actor::upkeep() {
  const auto ledger = session_->ledger();
  if (!ledger.ok()) {
    return ledger.error();
  }
  const auto positions = session_->positions();
  if (!positions.ok()) {
    return positions.error();
  }
  for (const ledger_generation& one : ledger->ring) {
    if (one.state == generation_state::frozen && !one.positions_known) {
      // Asked after the rotation: what the closed generation holds was delivered before it.
      const status recorded = session_->record_highest(one.number, around_->delivered->read());
      if (!recorded.ok()) {
        return recorded;
      }
    }
  }
  const std::string held = retention_held_by(*ledger, window_ms_, *positions);
  if (held.empty()) {
    around_->alarms->clear("ledger-held");
  } else {
    around_->alarms->raise("ledger-held", held);
  }
  const auto step = next_retention_step(*ledger, window_ms_, *positions);
  if (!step.has_value()) {
    return {};
  }
  switch (step->kind) {
    case retention_step::what::rotate:
      return session_->rotate();
    case retention_step::what::retire:
      return session_->retire(step->generation);
    case retention_step::what::truncate:
      return session_->truncate(step->generation);
  }
  return {};
}

void janitor_actor::on_exit() {
  shards_.clear();
  to_store_.clear();
  session_.reset();
}

}  // namespace pawl
