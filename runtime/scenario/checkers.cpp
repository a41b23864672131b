#include "runtime/scenario/checkers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace pawl {
namespace {

using pair_key = std::pair<entity_ref, std::uint64_t>;

std::string describe(const entity_ref& entity) {
  return fmt::format("{} {}", entity.type, entity.key);
}

std::string describe(const expected_pair& pair) {
  return fmt::format("message {} ({} for {}{})", pair.message, pair.type, describe(pair.entity),
                     pair.version ? fmt::format(", version {}", pair.version->value) : "");
}

/// Counts what speaks against the promise and keeps the first in words.
class objections {
 public:
  void add(std::string text) {
    ++count_;
    if (first_.size() < counterexamples_max) {
      first_.push_back(std::move(text));
    }
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

  check_answer answer(std::string expected, std::string got, std::string note = {}) {
    return {count_ == 0, std::move(expected), std::move(got), std::move(first_), std::move(note)};
  }

 private:
  std::uint64_t count_ = 0;
  std::vector<std::string> first_;
};

bool is_natural(const expected_pair& pair) { return pair.contract->pair == policies::natural; }

std::string note_of_natural(const ground_truth& truth) {
  for (const expected_pair& pair : truth.pairs()) {
    if (!pair.undecodable && is_natural(pair)) {
      return "`dedupe: natural` writes no probe rows: its messages are not checked here, only by "
             "queries";
    }
  }
  return {};
}

/// What makes two pairs the same to a guard: a later one of them is a duplicate, not lost.
using guard_identity = std::tuple<entity_ref, std::string, std::uint64_t>;

guard_identity identity_of(const expected_pair& pair) {
  switch (pair.contract->pair.dedupe) {
    case dedupe_policy::ledger:
      return {pair.entity, "id " + pair.id, pair.content.value};
    case dedupe_policy::version:
      return {pair.entity, fmt::format("version {}", pair.version ? pair.version->value : -1),
              pair.content.value};
    case dedupe_policy::unique:
    case dedupe_policy::natural:
      break;
  }
  return {pair.entity, "type " + pair.type, pair.content.value};
}

}  // namespace

check_answer effects_once::check(const ground_truth& truth, const evidence& found) const {
  objections against;
  std::map<pair_key, std::uint64_t> times;
  std::uint64_t too_many = 0;
  for (const probe_row& row : found.probes) {
    const expected_pair* pair = truth.find(row.message, row.entity);
    if (pair == nullptr) {
      ++too_many;
      against.add(fmt::format("message {} took effect for {}, which it does not name", row.message,
                              describe(row.entity)));
      continue;
    }
    ++times[{row.entity, row.message}];
  }
  for (const auto& [key, count] : times) {
    if (count > 1) {
      too_many += count - 1;
      against.add(fmt::format("{} took effect {} times",
                              describe(*truth.find(key.second, key.first)), count));
    }
  }
  return against.answer("no effect twice",
                        too_many == 0 ? "none" : fmt::format("{} too many", too_many),
                        note_of_natural(truth));
}

namespace {

/// Order of the probe rows of one entity, row after row.
class entity_order {
 public:
  /// Nothing if the row follows the ones before, else the objection.
  std::optional<std::string> next(const expected_pair& pair, const probe_row& row,
                                  std::optional<std::uint64_t> received) {
    return pair.contract->pair.dedupe == dedupe_policy::version ? next_version(pair)
                                                                : next_arrival(pair, row, received);
  }

 private:
  std::optional<std::string> next_version(const expected_pair& pair) {
    const std::int64_t version = pair.version ? pair.version->value : -1;
    const std::optional<std::int64_t> before = std::exchange(version_, version);
    if (pair.contract->pair == policies::sequence) {
      const bool from_one = pair.contract->start == sequence_start::one;
      if ((before && version != *before + 1) || (!before && from_one && version != 1)) {
        return fmt::format("{} took effect after version {}, not one by one", describe(pair),
                           before.value_or(0));
      }
    } else if (before && version <= *before) {
      return fmt::format("{} took effect after version {}", describe(pair), *before);
    }
    return std::nullopt;
  }

  std::optional<std::string> next_arrival(const expected_pair& pair, const probe_row& row,
                                          std::optional<std::uint64_t> received) {
    // Not received in this run: it came from the store, parked in an earlier one. Not new: the
    // repeat breaks another promise, and says nothing of the order.
    if (!received || !seen_.insert(row.message).second) {
      return std::nullopt;
    }
    if (row.run == run_ && *received < received_) {
      return fmt::format("{} took effect after message {}, which came later in run {}",
                         describe(pair), message_, row.run);
    }
    run_ = row.run;
    received_ = *received;
    message_ = row.message;
    return std::nullopt;
  }

  std::optional<std::int64_t> version_;
  std::set<std::uint64_t> seen_;
  std::uint32_t run_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t message_ = 0;
};

/// First delivery of each message in each run.
std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> first_receipts(
    const std::vector<delivery_record>& deliveries) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> first;
  for (std::uint64_t sequence = 0; sequence < deliveries.size(); ++sequence) {
    first.try_emplace({deliveries[sequence].run, deliveries[sequence].message}, sequence);
  }
  return first;
}

}  // namespace

check_answer order_per_entity::check(const ground_truth& truth, const evidence& found) const {
  objections against;
  const auto receipts = first_receipts(found.deliveries);
  std::map<entity_ref, entity_order> orders;
  for (const probe_row& row : found.probes) {
    const expected_pair* pair = truth.find(row.message, row.entity);
    if (pair == nullptr || pair->undecodable) {
      continue;
    }
    const auto received = receipts.find({row.run, row.message});
    auto objection = orders[row.entity].next(
        *pair, row, received == receipts.end() ? std::nullopt : std::optional(received->second));
    if (objection) {
      against.add(std::move(*objection));
    }
  }
  return against.answer("each entity in order",
                        against.count() == 0 ? fmt::format("{} entities in order", orders.size())
                                             : fmt::format("{} out of order", against.count()),
                        note_of_natural(truth));
}

namespace {

/// What is known of the pairs that reached an end, for `nothing_lost`.
struct known_ends {
  std::set<pair_key> applied;
  std::set<pair_key> dead;
  std::set<pair_key> conflicts;
  std::set<pair_key> parked;
  std::set<guard_identity> identities;  // of the applied
  std::map<entity_ref, std::int64_t> lowest_applied_version;
};

known_ends collect_ends(const ground_truth& truth, const evidence& found) {
  known_ends ends;
  for (const probe_row& row : found.probes) {
    ends.applied.insert({row.entity, row.message});
    const expected_pair* pair = truth.find(row.message, row.entity);
    if (pair == nullptr || pair->undecodable) {
      continue;
    }
    ends.identities.insert(identity_of(*pair));
    if (pair->version) {
      const auto [lowest, fresh] =
          ends.lowest_applied_version.try_emplace(pair->entity, pair->version->value);
      lowest->second = std::min(lowest->second, pair->version->value);
    }
  }
  for (const set_aside& one : found.dead) {
    (one.reason == "conflict" ? ends.conflicts : ends.dead).insert({one.entity, one.message});
  }
  for (const set_aside& one : found.parked) {
    ends.parked.insert({one.entity, one.message});
  }
  return ends;
}

bool is_stale(const expected_pair& pair, const known_ends& ends, const evidence& found) {
  const auto stored = found.versions.find(pair.entity);
  if (!pair.version || stored == found.versions.end()) {
    return false;
  }
  if (pair.contract->pair == policies::sequence) {
    // Every version takes effect, except those before the first one that was seen.
    const auto lowest = ends.lowest_applied_version.find(pair.entity);
    return pair.contract->start == sequence_start::first &&
           lowest != ends.lowest_applied_version.end() && pair.version->value < lowest->second;
  }
  return pair.version->value < stored->second.value;
}

}  // namespace

check_answer nothing_lost::check(const ground_truth& truth, const evidence& found) const {
  objections against;
  const known_ends ends = collect_ends(truth, found);
  for (const expected_pair& pair : truth.pairs()) {
    const entity_ref& entity = pair.entity;
    const pair_key key{entity, pair.message};
    const bool applied = ends.applied.contains(key);
    const bool dead = ends.dead.contains(key);
    const bool parked = ends.parked.contains(key);
    if (static_cast<int>(applied) + static_cast<int>(dead) + static_cast<int>(parked) > 1) {
      against.add(fmt::format("{} has two outcomes:{}{}{}", describe(pair),
                              applied ? " applied" : "", dead ? " dead" : "",
                              parked ? " parked" : ""));
      continue;
    }
    if (applied || dead || parked || ends.conflicts.contains(key)) {
      continue;
    }
    if (!pair.undecodable && (is_natural(pair) || ends.identities.contains(identity_of(pair)) ||
                              is_stale(pair, ends, found))) {
      continue;
    }
    against.add(fmt::format("{} left no trace", describe(pair)));
  }
  return against.answer("every message accounted for",
                        against.count() == 0 ? fmt::format("{} accounted for", truth.pairs().size())
                                             : fmt::format("{} not accounted for", against.count()),
                        note_of_natural(truth));
}

}  // namespace pawl
