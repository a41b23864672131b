#include "actors/intake_actor.hpp"

#include <utility>

namespace pawl {
namespace {

constexpr std::chrono::milliseconds poll_wait{20};
/// How often a moving frontier is stored: a restart meets at most this much again, and the guards
/// catch it.
constexpr std::int64_t store_interval_ms = 200;
constexpr retry_policy poll_retry{1, 100, 5'000};

}  // namespace

intake_actor::intake_actor(caf::actor_config& config, node_surroundings* around,
                           intake_settings settings, std::shared_ptr<source> from,
                           std::vector<caf::actor> shards, caf::actor janitor)
    : actor_base(config),
      around_(around),
      index_(settings.index),
      source_(std::move(from)),
      intake_(std::move(settings), around->decoding_of(source_->name()), source_->is_log()),
      shards_(std::move(shards)),
      janitor_(std::move(janitor)) {}

caf::behavior intake_actor::make_behavior() {
  return {
      [this](poll_source) {
        polling_ = false;
        if (!around_->abandoned.load(std::memory_order_relaxed)) {
          poll();
        }
      },
      [this](const msg<finished_deliveries>& deliveries) {
        if (!around_->abandoned.load(std::memory_order_relaxed)) {
          finish(*deliveries);
        }
      },
      [this](positions_stored stored) {
        stored_ = std::max(stored_, stored.number);
        tell_if_finished();
      },
      [this](stop_intake) {
        stopping_ = true;
        store_frontiers();
        tell_if_finished();
      },
  };
}

void intake_actor::poll_later(std::chrono::milliseconds after) {
  if (polling_ || over()) {
    return;
  }
  polling_ = true;
  if (after.count() == 0) {
    caf::anon_send(caf::actor_cast<caf::actor>(this), poll_source{});
  } else {
    delayed_send(this, after, poll_source{});
  }
}

void intake_actor::poll() {
  if (over() || !intake_.may_poll()) {
    store_frontiers();
    return;  // a finished delivery brings the credit back, and the next poll
  }
  // Without a thread of its own it must not wait: then somebody else's turn would never come.
  auto answer = source_->poll(intake_.limits(around_->detached ? poll_wait : poll_wait * 0));
  if (!answer.ok()) {
    if (answer.error().kind == fault::retry) {
      around_->alarms->raise("source:" + source_->name(), answer.error().text);
      poll_later(std::chrono::milliseconds(backoff_ms(poll_retry, ++failures_, id())));
    } else {
      ended_ = true;
      around_->alarms->raise("source:" + source_->name(), answer.error().text);
      around_->ended(false, "source " + source_->name() + ": " + answer.error().text);
    }
    return;
  }
  if (std::exchange(failures_, 0) > 0) {
    around_->alarms->clear("source:" + source_->name());
  }
  around_->counted->received(answer->messages.size());
  intake::addressed routed = intake_.address(answer->messages);
  around_->counted->pairs(routed.pairs);
  around_->counted->unaddressed(routed.unaddressed);
  around_->counted->ignored(routed.ignored);
  for (const auto& [partition, position] : intake_.highest()) {
    around_->delivered->put(source_->stored_form(partition, position));
  }
  for (std::size_t i = 0; i < routed.per_shard.size(); ++i) {
    if (!routed.per_shard[i].empty()) {
      caf::anon_send(
          shards_[i],
          msg<accepted_tasks>(std::make_shared<accepted_tasks>(std::move(routed.per_shard[i]))));
    }
  }
  ended_ = answer->ended;
  if (!routed.finished.empty()) {
    finish(routed.finished);
  }
  const bool idle = answer->messages.empty();
  store_frontiers();
  tell_if_finished();
  poll_later(idle && !around_->detached ? poll_wait : std::chrono::milliseconds(0));
}

void intake_actor::finish(const std::vector<delivery_ptr>& deliveries) {
  const std::vector<message_origin> finished = intake_.finish(deliveries);
  source_->ack(finished);
  around_->counted->acked(finished.size());
  store_frontiers();
  tell_if_finished();
  poll_later(std::chrono::milliseconds(0));
}

void intake_actor::store_frontiers() {
  if (!source_->is_log() || stored_ != asked_) {
    return;
  }
  const std::int64_t now = around_->now_ms();
  const bool at_rest = over() && intake_.held() == 0;
  if (!at_rest && now - asked_ms_ < store_interval_ms) {
    return;
  }
  const auto moved = intake_.moved_frontiers();
  if (moved.empty()) {
    return;
  }
  if (around_->at_fault_point && around_->at_fault_point(fault_point::after_ack_before_position)) {
    return;
  }
  auto request = std::make_shared<store_positions>();
  for (const auto& [partition, position] : moved) {
    request->frontiers.push_back(source_->stored_form(partition, position));
  }
  request->number = ++asked_;
  request->intake = caf::actor_cast<caf::actor>(this);
  asked_ms_ = now;
  caf::anon_send(janitor_, msg<store_positions>(std::move(request)));
}

void intake_actor::tell_if_finished() {
  if (told_ || !over() || intake_.held() > 0) {
    return;
  }
  store_frontiers();
  if (stored_ == asked_) {
    told_ = true;
    around_->finished(index_);
  }
}

void intake_actor::on_exit() {
  source_->stop();
  source_.reset();
  shards_.clear();
  janitor_ = nullptr;
}

}  // namespace pawl
