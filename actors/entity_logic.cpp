#include "actors/entity_logic.hpp"

#include "protocol/limits.hpp"
#include "protocol/order.hpp"

#include <exception>
#include <utility>

namespace pawl {
namespace {

/// A handler failed; carried from `handle` to `build`, both of this file.
struct handler_failure {
  std::string text;
};

/// Its handler must not run before the ledger was asked.
bool asks_ledger(const message_contract& contract) {
  return contract.reads_state && contract.pair.dedupe == dedupe_policy::ledger;
}

bool looks_up_ledger(const task& one) {
  return one.verdict == task_verdict::handle && asks_ledger(*one.pair->contract);
}

/// Versions end at 2^63-1: behind the last one comes nothing.
message_version successor(message_version version) {
  return {version.value == INT64_MAX ? INT64_MAX : version.value + 1};
}

std::string clipped(std::string text) {
  if (text.size() > limits::error_text_bytes_max) {
    text.resize(limits::error_text_bytes_max);
  }
  return text;
}

}  // namespace

entity_logic::entity_logic(entity_ref entity, shard_id shard, lease_epoch epoch,
                           entity_surroundings around)
    : entity_(std::move(entity)), shard_(shard), epoch_(epoch), around_(around) {}

bool entity_logic::needs_load(const flight& work) const {
  if (!known_ || work.reload) {
    return true;
  }
  for (const auto& one : work.tasks) {
    if (looks_up_ledger(*one)) {
      return true;
    }
  }
  return false;
}

entity_query entity_logic::query(const flight& work) const {
  entity_query wanted{entity_, {}};
  for (const auto& one : work.tasks) {
    if (looks_up_ledger(*one)) {
      wanted.ledger.push_back(one->pair->key);
    }
  }
  return wanted;
}

void entity_logic::loaded(const flight& work, const entity_answer& answer) {
  known_ = true;
  row_ = answer.entity.row;
  lowest_gap_ = answer.entity.lowest_gap;
  parked_behind_ = answer.entity.parked_behind;
  done_before_.clear();
  std::size_t next = 0;
  for (const auto& one : work.tasks) {
    if (looks_up_ledger(*one) && next < answer.ledger.size()) {
      if (const auto& trace = answer.ledger[next++]; trace.has_value()) {
        done_before_.emplace(one->pair->key, *trace);
      }
    }
  }
  for (const auto& one : work.tasks) {
    // A redriven message meets its own stored row, which the commit claims: that is no guard, also
    // not for a live one of its id, which comes behind it.
    const auto own = done_before_.find(one->pair->key);
    if (one->stored.has_value() && own != done_before_.end() &&
        own->second.where != guard_trace::place::ledger) {
      done_before_.erase(own);
    }
  }
}

entity_logic::built entity_logic::build(const flight& work) {
  built made;
  made.note.flight = work.number;
  made.part.entity = entity_;
  made.part.shard = shard_;
  made.part.epoch = epoch_;
  made.part.before = row_;
  made.part.items.reserve(work.tasks.size());
  for (std::size_t i = 0; i < work.tasks.size(); ++i) {
    try {
      made.part.items.push_back(decide(*work.tasks[i]));
    } catch (const handler_failure& failure) {
      made.note.failed_at = i;
      made.note.failure = clipped(failure.text);
      break;
    }
  }
  if (lowest_gap_.has_value() && row_.version.has_value() && !row_.blocked &&
      *lowest_gap_ <= successor(*row_.version)) {
    made.note.gap_closed_at = successor(*row_.version);
    lowest_gap_.reset();  // those parked behind it are loaded anew with the drain
  }
  done_before_.clear();
  return made;
}

commit_item entity_logic::decide(const task& one) {
  commit_item item;
  item.pair = one.pair;
  item.from = one.stored;
  item.attempts = one.attempts;
  if (one.known.has_value()) {
    item.what = disposition::settle;
    item.settled = *one.known;
  } else if (one.verdict == task_verdict::discard) {
    give_up(one, item);
  } else if (one.pair->undecodable.has_value()) {
    set_aside(one, item);
  } else if (row_.blocked && (!one.stored.has_value() || one.behind_gap)) {
    park(one, park_reason::behind_dead, item);
  } else if (one.verdict == task_verdict::dead_letter) {
    set_aside(one, item);
  } else if (one.pair->contract->pair.dedupe == dedupe_policy::version) {
    decide_version(one, item);
  } else {
    handle(one, item);
  }
  const bool holds = item.what == disposition::dead_letter && item.blocks;
  const bool freed =
      !holds && (one.unblocks || (one.held_entity && one.stored.has_value() && !parked_behind_));
  if (freed && row_.blocked) {
    row_.blocked = false;
    parked_behind_ = false;
    change(item);
  }
  return item;
}

void entity_logic::decide_version(const task& one, commit_item& item) {
  const message_contract& contract = *one.pair->contract;
  const message_version version = one.pair->version.value_or(message_version{0});
  const order_verdict verdict =
      decide_order(contract.pair.order, contract.start, {row_.version, row_.version_content},
                   version, one.pair->content);
  switch (verdict) {
    case order_verdict::apply:
      handle(one, item);
      row_.version = version;
      row_.version_content = one.pair->content;
      change(item);
      break;
    case order_verdict::gap:
      park(one, park_reason::gap, item);
      break;
    case order_verdict::stale:
    case order_verdict::duplicate:
    case order_verdict::conflict:
      item.what = disposition::settle;
      item.settled = verdict == order_verdict::stale       ? outcome::stale
                     : verdict == order_verdict::duplicate ? outcome::duplicate
                                                           : outcome::conflict;
      break;
  }
}

void entity_logic::handle(const task& one, commit_item& item) {
  const message_contract& contract = *one.pair->contract;
  if (contract.reads_state) {
    const auto known = done_before_.find(one.pair->key);
    if (asks_ledger(contract) && known != done_before_.end()) {
      item.what = disposition::settle;
      item.settled = contradict(known->second.content, one.pair->content) ? outcome::conflict
                                                                          : outcome::duplicate;
      return;
    }
    item.decided_fresh = true;
  }
  const handler* run = around_.handlers->find(&contract);
  invariant(run != nullptr, "a message without a handler reached an entity");
  effect_list listed(contract.pair, *around_.tables, *around_.shapes);
  static const std::optional<std::string> no_state;
  try {
    run->handle(*one.pair, contract.reads_state ? row_.state : no_state, listed);
  } catch (const std::exception& thrown) {
    throw handler_failure{thrown.what()};
  } catch (...) {
    throw handler_failure{"the handler threw something that is not a std::exception"};
  }
  auto effects = listed.take();
  if (!effects.ok()) {
    throw handler_failure{effects.error().text};
  }
  item.what = disposition::apply;
  item.effects = std::move(effects).value();
  if (auto state = listed.take_state(); state.has_value()) {
    row_.state = std::move(*state);
    change(item);
    // Within the flight the next message of this id must not run on the state that this one made.
    done_before_.emplace(one.pair->key, guard_trace{guard_trace::place::ledger, one.pair->content});
  }
}

void entity_logic::set_aside(const task& one, commit_item& item) {
  item.what = disposition::dead_letter;
  if (one.pair->undecodable.has_value()) {
    item.dead_reason = "undecodable";
    item.dead_text = clipped(one.pair->undecodable->text);
    return;
  }
  item.dead_reason = one.dead_reason;
  item.dead_text = clipped(one.dead_text);
  const message_contract& contract = *one.pair->contract;
  if (contract.on_dead == on_dead_policy::park) {
    item.blocks = true;
    if (!row_.blocked) {
      row_.blocked = true;
      change(item);
    }
    return;
  }
  give_up(one, item);
  item.what = disposition::dead_letter;
}

void entity_logic::give_up(const task& one, commit_item& item) {
  item.what = disposition::discard;
  const message_contract& contract = *one.pair->contract;
  if (contract.pair != policies::sequence || !one.pair->version.has_value()) {
    return;
  }
  const order_verdict verdict =
      decide_order(contract.pair.order, contract.start, {row_.version, row_.version_content},
                   *one.pair->version, one.pair->content);
  if (verdict == order_verdict::apply) {
    // Given up for good: a sequence goes on, or it would wait for this one for ever.
    row_.version = *one.pair->version;
    row_.version_content = one.pair->content;
    change(item);
  }
}

void entity_logic::park(const task& one, park_reason why, commit_item& item) {
  item.what = disposition::park;
  item.park_why = why;
  if (why == park_reason::behind_dead) {
    parked_behind_ = true;
  } else if (!lowest_gap_.has_value() || *one.pair->version < *lowest_gap_) {
    lowest_gap_ = one.pair->version;
  }
}

void entity_logic::change(commit_item& item) {
  if (!item.after.has_value()) {
    row_.revision = entity_revision{row_.revision.value + 1};
  }
  item.after = row_;
}

}  // namespace pawl
