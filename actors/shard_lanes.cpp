#include "actors/shard_lanes.hpp"

#include "protocol/contract.hpp"

#include <utility>

namespace pawl {
namespace {

bool is_ledger(const task& one) { return one.pair->contract->pair.dedupe == dedupe_policy::ledger; }

std::string alarm_name(std::string_view what, const entity_ref& entity) {
  return std::string(what) + ':' + entity.type + '/' + entity.key;
}

bool sees_effect(outcome what) { return what == outcome::applied || what == outcome::duplicate; }

}  // namespace

shard_lanes::shard_lanes(shard_settings settings, counters& counted, alarm_board& alarms)
    : settings_(settings), counters_(&counted), alarms_(&alarms), seen_(settings.seen_keys) {}

lane& shard_lanes::open_lane(const entity_ref& entity, std::int64_t now_ms) {
  lane& at = lanes_[entity];
  at.active_ms = now_ms;
  return at;
}

bool shard_lanes::says_the_same(const addressed_message& left, const addressed_message& right) {
  return left.version == right.version && !contradict(left.content, right.content);
}

lane* shard_lanes::find(const entity_ref& entity) {
  const auto found = lanes_.find(entity);
  return found == lanes_.end() ? nullptr : &found->second;
}

void shard_lanes::accept(const std::vector<task_ptr>& tasks, std::int64_t now_ms,
                         shard_output& out) {
  std::vector<std::pair<const entity_ref*, lane*>> ready;
  for (const task_ptr& one : tasks) {
    if (absorb(one, out)) {
      continue;
    }
    const entity_ref& entity = one->pair->entity;
    lane& at = open_lane(entity, now_ms);
    twins_.try_emplace(one->pair->key, one.get());
    ++tasks_;
    at.push_back(one);
    if (at.now == lane::phase::idle && at.undone().size() == 1) {
      ready.emplace_back(&entity, &at);  // after the loop, so that all of its messages go together
    }
  }
  for (const auto& [entity, at] : ready) {
    go(*entity, *at, out);
  }
}

bool shard_lanes::absorb(const task_ptr& one, shard_output& out) {
  const auto twin = twins_.find(one->pair->key);
  if (twin != twins_.end() && says_the_same(*twin->second->pair, *one->pair)) {
    // Acknowledged when its twin is, not before: if the twin fails, this one must come again too.
    twin->second->waiting.insert(twin->second->waiting.end(), one->waiting.begin(),
                                 one->waiting.end());
    return true;
  }
  if (twin == twins_.end() && is_ledger(*one)) {
    const auto seen = seen_.find(one->pair->key);
    if (seen.has_value() && !contradict(*seen, one->pair->content)) {
      release(*one, outcome::duplicate, out);
      return true;
    }
  }
  return false;
}

void shard_lanes::go(const entity_ref& entity, lane& at, shard_output& out) {
  if (at.now != lane::phase::idle) {
    return;
  }
  // What was read before goes first: reading the same rows again would do them twice.
  if (!at.has_stored() && fetch(entity, at, out)) {
    return;
  }
  if (at.undone().empty()) {
    return;
  }
  const bool new_worker = !std::exchange(at.has_worker, true);
  out.dispatches.push_back({entity, new_worker, at.start(settings_.flight_tasks_max)});
}

void shard_lanes::note(const entity_ref& entity, const flight_note& note, shard_output& out) {
  lane* at = find(entity);
  if (at == nullptr || at->flight_number != note.flight || at->now != lane::phase::flying) {
    return;
  }
  at->gap_closed_at = note.gap_closed_at;
  if (!note.failed_at.has_value()) {
    return;
  }
  at->has_worker = false;
  out.ended_workers.push_back(entity);
  at->put_back(*note.failed_at);
  task& head = *at->undone().front();
  head.dead_text = note.failure;
  head.dead_reason = "handler";
  at->failure_noted = true;
  if (at->flying().empty()) {
    (void)at->finish();
    close_gap(*at);
    failed(entity, *at, {fault::poison, "handler", note.failure}, out);
  }
}

void shard_lanes::settle(const entity_ref& entity, std::uint64_t flight, const part_answer& answer,
                         std::int64_t now_ms, shard_output& out) {
  lane* found = find(entity);
  if (found == nullptr || found->flight_number != flight || found->now != lane::phase::flying) {
    return;
  }
  lane& at = *found;
  at.active_ms = now_ms;
  if (answer.status == part_status::lost) {
    out.lost = true;  // the lane stays as it is: nothing may be acknowledged or tried again here
    return;
  }
  for (const known_item& one : answer.known) {
    at.flying()[one.item]->known = one.what;
  }
  const bool failure_noted = std::exchange(at.failure_noted, false);
  at.put_back(answer.outcomes.size());
  const std::vector<task_ptr> done = at.finish();
  for (std::size_t i = 0; i < done.size(); ++i) {
    finish(entity, at, *done[i], answer.outcomes[i], out);
  }
  if (!done.empty()) {
    at.reloads = 0;
  }
  switch (answer.status) {
    case part_status::done:
      close_gap(at);
      if (failure_noted) {
        failed(entity, at, {fault::poison, "handler", at.undone().front()->dead_text}, out);
      } else {
        go(entity, at, out);
      }
      break;
    case part_status::failed:
      at.undone().front()->dead_reason = "store";
      at.undone().front()->dead_text = answer.why.text;
      failed(entity, at, answer.why, out);
      break;
    case part_status::reload:
      at.reload_next = true;
      forget_stored(at);  // whoever wrote may have settled them too; what is still there is found
                          // again
      // Somebody else wrote once; if that goes on, something is wrong that haste does not cure.
      if (++at.reloads > 3) {
        back_off(entity, at, at.reloads - 3, out);
      } else {
        go(entity, at, out);
      }
      break;
    case part_status::held:
      at.reload_next = true;
      if (answer.why.kind == fault::contended) {
        at.row_locked = true;
        alarms_->raise(alarm_name("row-locked", entity), answer.why.text);
      }
      back_off(entity, at, ++at.reloads, out);
      break;
    case part_status::lost:
      break;
  }
}

void shard_lanes::failed(const entity_ref& entity, lane& at, const error& why, shard_output& out) {
  counters_->attempt_failed();
  task& head = *at.undone().front();
  ++head.attempts;
  at.reload_next = true;
  if (head.attempts >= settings_.retry.attempts && head.verdict == task_verdict::handle) {
    head.verdict = task_verdict::dead_letter;
    head.dead_text = why.text;
    go(entity, at, out);
    return;
  }
  back_off(entity, at, head.attempts, out);
}

void shard_lanes::back_off(const entity_ref& entity, lane& at, int times, shard_output& out) {
  at.now = lane::phase::waiting;
  const std::uint64_t spread =
      std::hash<entity_ref>{}(entity) + static_cast<std::uint64_t>(times) * 7919U;
  out.wakes.push_back({entity, at.flight_number, backoff_ms(settings_.retry, times, spread)});
}

void shard_lanes::wake(const entity_ref& entity, std::uint64_t flight, shard_output& out) {
  lane* at = find(entity);
  if (at == nullptr || at->flight_number != flight || at->now != lane::phase::waiting) {
    return;
  }
  at->now = lane::phase::idle;
  go(entity, *at, out);
}

void shard_lanes::finish(const entity_ref& entity, lane& at, task& done, outcome what,
                         shard_output& out) {
  if (is_ledger(done) && sees_effect(what)) {
    seen_.enter(done.pair->key, done.pair->content);
  }
  forget_twin(done);
  --tasks_;
  if (std::exchange(at.row_locked, false)) {
    alarms_->clear(alarm_name("row-locked", entity));
  }
  const bool holds = what == outcome::dead && done.verdict != task_verdict::discard &&
                     done.pair->contract->on_dead == on_dead_policy::park &&
                     !done.pair->undecodable.has_value();
  if (holds) {
    alarms_->raise(alarm_name("dead-letter", entity), done.dead_text);
    at.held = true;
    at.drain_behind = false;
    forget_stored(at);  // they wait behind the new dead letter, where they are
  } else if (what == outcome::conflict) {
    alarms_->raise(
        alarm_name("conflict", entity),
        "message " + done.pair->id + " came with other content than one of its id before");
  }
  if (done.stored.has_value()) {
    finish_stored(entity, at, done, holds);
  }
  release(done, what, out);
}

void shard_lanes::release(const task& done, outcome what, shard_output& out) {
  // The message itself has the outcome; deliveries that shared it are duplicates of it.
  outcome counted = what;
  if (done.stored.has_value()) {
    counted = outcome::duplicate;
    if (done.stored->from == stored_ref::table::dead_letter) {
      if (what != outcome::dead || done.verdict == task_verdict::discard) {
        counters_->redriven();
      }
    } else if (what != outcome::parked) {
      counters_->count(what);
    }
  }
  for (const delivery_ptr& one : done.waiting) {
    counters_->count(counted);
    counted = outcome::duplicate;
    if (one->finish_one()) {
      out.finished.push_back(one);
    }
  }
}

void shard_lanes::forget_twin(const task& one) {
  const auto twin = twins_.find(one.pair->key);
  if (twin != twins_.end() && twin->second == &one) {
    twins_.erase(twin);
  }
}

void shard_lanes::passivate(std::int64_t now_ms, shard_output& out) {
  const bool crowded = lanes_.size() > settings_.idle_lanes_max;
  std::erase_if(lanes_, [&](const auto& entry) {
    const lane& at = entry.second;
    // That a dead letter holds the entity is kept until no request that was made before can come.
    const bool idle = at.now == lane::phase::idle && at.empty() && !at.elsewhere &&
                      ((crowded && !at.held) || now_ms - at.active_ms >= settings_.passivate_ms);
    if (idle && at.has_worker) {
      out.ended_workers.push_back(entry.first);
    }
    return idle;
  });
}

}  // namespace pawl
