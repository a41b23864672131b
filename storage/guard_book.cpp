#include "storage/guard_book.hpp"

#include "protocol/contract.hpp"
#include "protocol/invariant.hpp"

#include <utility>

namespace pawl {

result<std::span<const guard_answer>> guard_book::decide(
    std::span<const commit_item* const> items) {
  items_ = items;
  answers_.assign(items.size(), {});
  if (auto claimed = claim(items); !claimed.ok()) {
    return claimed.error();
  }
  group_keys(items);
  waiting_.clear();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (seeks(i)) {
      waiting_.push_back(i);
    }
  }
  // One round does it, unless a key has items that look in different places.
  while (!waiting_.empty()) {
    askers_.clear();
    std::size_t kept = 0;
    for (const auto i : waiting_) {
      auto& key = keys_[key_of_[i]];
      if (key.asking || !settle(i)) {
        if (!key.asking) {
          key.asking = true;
          askers_.push_back({i, question_of(i)});
        } else {
          waiting_[kept++] = i;
        }
      }
    }
    waiting_.resize(kept);
    if (auto asked = ask(); !asked.ok()) {
      return asked.error();
    }
  }
  return std::span<const guard_answer>(answers_);
}

status guard_book::claim(std::span<const commit_item* const> items) {
  refs_.clear();
  gone_.assign(items.size(), false);
  for (const auto* item : items) {
    if (item->from) {
      refs_.push_back(*item->from);
    }
  }
  if (refs_.empty()) {
    return {};
  }
  auto was_there = session_.claim(refs_);
  if (!was_there.ok()) {
    return was_there.error();
  }
  invariant(was_there->size() == refs_.size(), "claim answered for other rows");
  std::size_t next = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i]->from && !was_there.value()[next++]) {
      gone_[i] = true;
      answers_[i].fresh = false;
    }
  }
  return {};
}

void guard_book::group_keys(std::span<const commit_item* const> items) {
  keys_.clear();
  key_of_.resize(items.size());
  for (std::size_t first = 0; first < items.size();) {
    // A key holds its entity, so twins stand among the items of one entity.
    std::size_t last = first + 1;
    while (last < items.size() && items[last]->pair->entity == items[first]->pair->entity) {
      ++last;
    }
    twins_.clear();
    for (std::size_t i = first; i < last; ++i) {
      auto number = static_cast<std::uint32_t>(keys_.size());
      if (last - first > 1) {
        number = twins_.emplace(items[i]->pair->key, number).first->second;
      }
      if (number == keys_.size()) {
        keys_.emplace_back();
      }
      key_of_[i] = number;
      const auto& from = items[i]->from;
      if (from && !gone_[i] && from->from == stored_ref::table::parked) {
        keys_[number].claimer = i;
        keys_[number].claimed = from->content;
      }
    }
    first = last;
  }
}

bool guard_book::in_ledger(const commit_item& item) {
  return item.pair->contract->pair.dedupe == dedupe_policy::ledger;
}

bool guard_book::seeks(std::size_t i) const {
  const auto& item = *items_[i];
  if (gone_[i] || item.what == disposition::settle) {
    return false;
  }
  return item.what != disposition::discard || in_ledger(item);
}

bool guard_book::inserts(const commit_item& item) {
  return in_ledger(item) && (item.what == disposition::apply || item.what == disposition::discard);
}

guard_book::question guard_book::question_of(std::size_t i) const {
  const auto& item = *items_[i];
  if (!in_ledger(item)) {
    return question::aside;
  }
  // An earlier twin is set aside but not yet written: a ledger row must not get in beside it.
  const bool twin_aside = keys_[key_of_[i]].aside.has_value();
  return inserts(item) && !twin_aside ? question::insert : question::ledger;
}

/// True if what is known decides the item.
bool guard_book::settle(std::size_t i) {
  const auto& key = keys_[key_of_[i]];
  const auto asks = question_of(i);
  if (key.claimer != no_item && i < key.claimer) {
    settle_by(i, key.claimed);
    return true;
  }
  if (asks != question::aside && key.in_ledger) {
    settle_by(i, key.in_ledger);
    return true;
  }
  if (asks != question::aside && !key.ledger_known) {
    return false;  // the ledger's word comes first
  }
  if (key.aside) {
    settle_by(i, key.aside);
    return true;
  }
  if (!key.aside_known || asks == question::insert) {
    return false;
  }
  settle_by(i, std::nullopt);
  return true;
}

void guard_book::settle_by(std::size_t i, std::optional<fingerprint> trace) {
  answers_[i].fresh = !trace.has_value();
  answers_[i].conflict = trace && contradict(*trace, items_[i]->pair->content);
  if (!trace) {
    leave_trace(i);
  }
}

void guard_book::leave_trace(std::size_t i) {
  const auto& item = *items_[i];
  auto& key = keys_[key_of_[i]];
  if (inserts(item)) {
    key.in_ledger = item.pair->content;
  } else if (item.what == disposition::park ||
             (item.what == disposition::dead_letter && item.dead_reason != "conflict")) {
    key.aside = item.pair->content;
  }
}

status guard_book::ask() {
  const auto answer = [&](question asked, auto&& send) -> status {
    auto traces = send();
    if (!traces.ok()) {
      return traces.error();
    }
    std::size_t next = 0;
    for (const auto& each : askers_) {
      if (each.asked == asked) {
        learn(each.item, asked, traces.value()[next++]);
      }
    }
    invariant(next == traces->size(), "the guards answered for other rows");
    return {};
  };
  rows_.clear();
  for (const auto& [item, asked] : askers_) {
    if (asked == question::insert) {
      rows_.push_back({items_[item]->pair->key, items_[item]->pair->content});
    }
  }
  if (!rows_.empty()) {
    if (auto done = answer(question::insert, [&] { return session_.insert_ledger(rows_); });
        !done.ok()) {
      return done;
    }
  }
  for (const auto asked : {question::ledger, question::aside}) {
    lookups_.clear();
    for (const auto& each : askers_) {
      if (each.asked == asked) {
        lookups_.push_back(items_[each.item]->pair->key);
      }
    }
    if (lookups_.empty()) {
      continue;
    }
    const auto send = [&] { return session_.find(lookups_, asked == question::ledger); };
    if (auto done = answer(asked, send); !done.ok()) {
      return done;
    }
  }
  return {};
}

void guard_book::learn(std::size_t i, question asked, const std::optional<guard_trace>& trace) {
  auto& key = keys_[key_of_[i]];
  key.asking = false;
  key.ledger_known = key.ledger_known || asked != question::aside;
  if (!trace) {
    key.aside_known = true;
    settle_by(i, key.aside);
  } else if (trace->where == guard_trace::place::ledger) {
    settle_by(i, key.in_ledger = trace->content);
  } else {
    settle_by(i, key.aside = trace->content);
  }
}

}  // namespace pawl
