#include "actors/shard_lanes.hpp"

#include <algorithm>
#include <utility>

// The part of `shard_lanes` that brings stored messages back: dead letters that a person marked,
// and what is parked behind a dead letter or a gap.

namespace pawl {
namespace {

/// Of messages parked behind a gap, in version order: those that can go on now, from `next` on (or
/// from the first, if the store said that it can go on).
void keep_unbroken(std::optional<message_version> next, std::vector<task_ptr>& tasks) {
  std::size_t kept = 0;
  for (const task_ptr& one : tasks) {
    const message_version version = one->pair->version.value_or(message_version{0});
    if (next.has_value() && version > *next) {
      break;
    }
    if (version.value < INT64_MAX) {
      next = std::max(next, std::optional(message_version{version.value + 1}));
    }
    ++kept;
  }
  tasks.resize(kept);
}

std::string dead_letter_alarm(const entity_ref& entity) {
  return "dead-letter:" + entity.type + '/' + entity.key;
}

}  // namespace

void shard_lanes::redrive(const entity_ref& entity, std::int64_t id, dead_letter_mark mark,
                          std::int64_t now_ms, shard_output& out) {
  lane& at = open_lane(entity, now_ms);
  if (at.redriving || at.elsewhere) {
    return;  // the mark stays in the store: the janitor brings it again
  }
  redrives_[entity] = {id, mark};
  go(entity, at, out);
}

void shard_lanes::drain(const entity_ref& entity, park_reason why, std::int64_t now_ms,
                        shard_output& out) {
  lane& at = open_lane(entity, now_ms);
  if (at.held || at.redriving || at.now == lane::phase::fetching || at.has_stored()) {
    // The lane is at it already, or knows better: a dead letter may have come since this was asked
    // for. Otherwise the janitor brings it again.
    return;
  }
  if (why == park_reason::behind_dead) {
    at.drain_behind = true;
  } else if (!std::exchange(at.drain_gap, true)) {
    at.gap_next.reset();
  }
  go(entity, at, out);
}

void shard_lanes::close_gap(lane& at) {
  if (at.gap_closed_at.has_value()) {
    at.gap_next = std::exchange(at.gap_closed_at, std::nullopt);
    at.drain_gap = true;
  }
}

bool shard_lanes::fetch(const entity_ref& entity, lane& at, shard_output& out) {
  const auto wanted = redrives_.find(entity);
  if (std::exchange(at.drain_behind, false)) {
    out.fetches.push_back({entity, park_reason::behind_dead});
  } else if (std::exchange(at.drain_gap, false)) {
    out.fetches.push_back({entity, park_reason::gap});
  } else if (wanted != redrives_.end()) {
    at.redriving = true;
    out.dead_fetches.push_back({entity, wanted->second.id, wanted->second.mark});
    redrives_.erase(wanted);
  } else {
    return false;
  }
  at.now = lane::phase::fetching;
  return true;
}

void shard_lanes::fetched(const entity_ref& entity, park_reason why, std::vector<task_ptr> tasks,
                          bool last, shard_output& out) {
  lane* at = find(entity);
  if (at == nullptr || at->now != lane::phase::fetching) {
    return;
  }
  at->now = lane::phase::idle;
  if (why == park_reason::gap) {
    keep_unbroken(std::exchange(at->gap_next, std::nullopt), tasks);
  }
  for (const task_ptr& one : tasks) {
    one->behind_gap = why == park_reason::gap;
    join_twin(*at, *one);
  }
  if (why == park_reason::behind_dead && !tasks.empty()) {
    tasks.back()->unblocks = last;
    tasks.back()->drain_more = !last;
  }
  at->reload_next = true;
  at->push_front(tasks);
  go(entity, *at, out);
}

void shard_lanes::fetched_dead(const entity_ref& entity, task_ptr one, shard_output& out) {
  lane* at = find(entity);
  if (at == nullptr || at->now != lane::phase::fetching) {
    return;
  }
  at->now = lane::phase::idle;
  if (one == nullptr) {
    at->redriving = false;
  } else {
    join_twin(*at, *one);
    at->push_front({std::move(one)});
  }
  at->reload_next = true;
  go(entity, *at, out);
}

bool shard_lanes::hand_over(const entity_ref& entity, shard_output& out) {
  lane* at = find(entity);
  if (at == nullptr || at->now != lane::phase::fetching) {
    return false;
  }
  at->now = lane::phase::idle;
  at->redriving = false;
  at->elsewhere = true;
  go(entity, *at, out);
  return true;
}

void shard_lanes::handled_elsewhere(const entity_ref& entity, std::int64_t id, std::int64_t now_ms,
                                    shard_output& out) {
  lane& at = open_lane(entity, now_ms);
  at.elsewhere = false;
  redrives_[entity] = {id, dead_letter_mark::discard};
  go(entity, at, out);
}

void shard_lanes::join_twin(lane& at, task& stored) {
  const auto twin = twins_.find(stored.pair->key);
  if (twin != twins_.end() && says_the_same(*twin->second->pair, *stored.pair)) {
    // A redelivery that came while this was read: handled behind it, it could overwrite what comes
    // in between with what is old.
    const task& live = *twin->second;
    stored.waiting = live.waiting;
    twins_.erase(twin);
    at.take_out(live);
    --tasks_;
  }
  twins_.try_emplace(stored.pair->key, &stored);
  ++tasks_;
}

void shard_lanes::finish_stored(const entity_ref& entity, lane& at, const task& done, bool holds) {
  if (done.stored->from == stored_ref::table::parked) {
    at.drain_behind = at.drain_behind || (done.drain_more && !holds);
    return;
  }
  at.redriving = false;
  if (done.verdict == task_verdict::discard) {
    alarms_->clear("conflict:" + entity.type + '/' + entity.key);
  }
  if (done.held_entity && !holds) {
    alarms_->clear(dead_letter_alarm(entity));
    at.held = false;
    at.drain_behind = true;
  }
}

void shard_lanes::forget_stored(lane& at) {
  for (const task_ptr& dropped : at.drop_stored()) {
    forget_twin(*dropped);
    --tasks_;
    if (!dropped->waiting.empty()) {
      // Live duplicates waited for it: one of them takes its place, and will be found parked.
      auto live = std::make_shared<task>();
      live->pair = dropped->pair;
      live->shard = dropped->shard;
      live->waiting = dropped->waiting;
      twins_.try_emplace(live->pair->key, live.get());
      ++tasks_;
      at.push_back(std::move(live));
    }
  }
  at.redriving = false;
}

}  // namespace pawl
