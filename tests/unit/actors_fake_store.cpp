#include "tests/unit/actors_fake_store.hpp"

#include "protocol/invariant.hpp"

#include <algorithm>

namespace pawl::actors_test {

part_answer fake_store::commit(const commit_part& part) {
  fake_store work = *this;
  part_answer answer;
  entity_row& row = work.rows[part.entity];
  const bool moves = std::any_of(part.items.begin(), part.items.end(),
                                 [](const commit_item& one) { return one.after.has_value(); });
  if (moves && row.revision != part.before.revision) {
    return {part_status::reload, {}, {}, {}};
  }
  for (std::size_t i = 0; i < part.items.size(); ++i) {
    const commit_item& item = part.items[i];
    verdict said;
    if (item.from.has_value() && !work.claim(*item.from)) {
      said.fresh = false;
    } else if (item.what != disposition::settle) {
      said = work.guard(item);
    }
    if (!said.fresh && (item.decided_fresh || item.after.has_value())) {
      const outcome known = said.conflict ? outcome::conflict : outcome::duplicate;
      return {part_status::reload, {}, {}, {{i, known}}};
    }
    const auto refused = refusals.find(item.pair->id);
    if (said.fresh && item.what == disposition::apply && refused != refusals.end() &&
        refused->second > 0) {
      --refused->second;
      if (i > 0) {
        commit_part prefix = part;
        prefix.items.resize(i);
        answer = commit(prefix);
        if (answer.status != part_status::done) {
          return answer;
        }
      }
      answer.status = part_status::failed;
      answer.why = {fault::poison, "23514", "the store refuses " + item.pair->id};
      return answer;
    }
    answer.outcomes.push_back(work.write(item, part, said));
    if (item.after.has_value()) {
      invariant(item.after->revision.value == row.revision.value + 1, "a revision was left out");
      row = *item.after;
    }
  }
  work.refusals = refusals;
  *this = std::move(work);
  return answer;
}

bool fake_store::claim(const stored_ref& from) {
  auto& table = from.from == stored_ref::table::parked ? parked : letters;
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& one) {
    return one.second.pair->key == from.key && one.second.content == from.content;
  });
  if (found == table.end()) {
    return false;
  }
  table.erase(found);
  return true;
}

std::optional<fingerprint> fake_store::aside(const ledger_key& key) const {
  for (const auto& [number, one] : letters) {
    if (one.pair->key == key && one.reason != "conflict") {
      return one.content;
    }
  }
  for (const auto& [number, one] : parked) {
    if (one.pair->key == key) {
      return one.content;
    }
  }
  return std::nullopt;
}

fake_store::verdict fake_store::guard(const commit_item& item) {
  const bool in_ledger = item.pair->contract->pair.dedupe == dedupe_policy::ledger;
  std::optional<fingerprint> trace;
  if (in_ledger) {
    const auto found = ledger.find(item.pair->key);
    trace = found == ledger.end() ? std::nullopt : std::optional(found->second);
  }
  if (!trace.has_value() && (in_ledger || item.what != disposition::discard)) {
    trace = aside(item.pair->key);
  }
  if (!trace.has_value()) {
    return {};
  }
  return {false, contradict(*trace, item.pair->content)};
}

outcome fake_store::write(const commit_item& item, const commit_part& part, verdict said) {
  const bool in_ledger = item.pair->contract->pair.dedupe == dedupe_policy::ledger;
  const bool conflict =
      said.conflict || (item.what == disposition::settle && item.settled == outcome::conflict);
  if (conflict) {
    const bool known = std::any_of(letters.begin(), letters.end(), [&](const auto& one) {
      return one.second.pair->key == item.pair->key && one.second.content == item.pair->content;
    });
    if (known) {
      return outcome::duplicate;
    }
    letters[next_number++] = {item.pair, item.pair->content, {}, "conflict", false, {}};
    return outcome::conflict;
  }
  if (!said.fresh) {
    return outcome::duplicate;
  }
  switch (item.what) {
    case disposition::settle:
      return item.settled;
    case disposition::park:
      parked[next_number++] = {item.pair, item.pair->content, item.park_why, "", false, {}};
      return outcome::parked;
    case disposition::dead_letter:
      letters[next_number++] = {item.pair,        item.pair->content, {},
                                item.dead_reason, item.blocks,        {}};
      return outcome::dead;
    case disposition::discard:
    case disposition::apply:
      break;
  }
  if (in_ledger) {
    ledger[item.pair->key] = item.pair->content;
  }
  if (item.what == disposition::discard) {
    return outcome::dead;
  }
  applied[part.entity].push_back(item.pair);
  return outcome::applied;
}

entity_answer fake_store::load(const entity_query& query) const {
  entity_answer answer;
  if (const auto found = rows.find(query.entity); found != rows.end()) {
    answer.entity.row = found->second;
  }
  for (const auto& [number, one] : parked) {
    if (one.pair->entity != query.entity) {
      continue;
    }
    if (one.why == park_reason::behind_dead) {
      answer.entity.parked_behind = true;
    } else if (!answer.entity.lowest_gap.has_value() ||
               *one.pair->version < *answer.entity.lowest_gap) {
      answer.entity.lowest_gap = one.pair->version;
    }
  }
  for (const ledger_key& key : query.ledger) {
    std::optional<guard_trace> trace;
    if (const auto found = ledger.find(key); found != ledger.end()) {
      trace = guard_trace{guard_trace::place::ledger, found->second};
    } else if (const auto content = aside(key); content.has_value()) {
      trace = guard_trace{guard_trace::place::parked, *content};
    }
    answer.ledger.push_back(trace);
  }
  return answer;
}

std::vector<fake_store::kept> fake_store::load_parked(const entity_ref& entity, park_reason why,
                                                      std::size_t limit) const {
  std::vector<kept> found;
  for (const auto& [number, one] : parked) {
    if (one.pair->entity == entity && one.why == why) {
      found.push_back(one);
    }
  }
  if (why == park_reason::gap) {
    std::stable_sort(found.begin(), found.end(), [](const kept& left, const kept& right) {
      return left.pair->version < right.pair->version;
    });
  }
  found.resize(std::min(found.size(), limit));
  return found;
}

std::vector<undrained_entity> fake_store::undrained() const {
  std::vector<undrained_entity> all;
  for (const auto& [entity, row] : rows) {
    const bool holds = std::any_of(letters.begin(), letters.end(), [&](const auto& one) {
      return one.second.pair->entity == entity && one.second.blocks;
    });
    if (row.blocked && !holds) {
      all.push_back({entity, {}, park_reason::behind_dead});
    }
    const auto gap = load({entity, {}}).entity.lowest_gap;
    if (gap.has_value() && row.version.has_value() && gap->value - 1 <= row.version->value) {
      all.push_back({entity, {}, park_reason::gap});
    }
  }
  return all;
}

}  // namespace pawl::actors_test
