#include "storage/commit_attempt.hpp"

#include "protocol/contract.hpp"
#include "protocol/envelope.hpp"
#include "protocol/invariant.hpp"
#include "protocol/limits.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace pawl {
namespace {

constexpr std::string_view conflict_reason = "conflict";

/// The entity's row before the item at `index` of the part.
const entity_row& row_before(const commit_part& part, std::size_t index) {
  for (auto i = index; i > 0; --i) {
    if (part.items[i - 1].after) {
      return *part.items[i - 1].after;
    }
  }
  return part.before;
}

/// What a fresh item comes to if nothing else is said.
outcome outcome_of(const commit_item& item) {
  switch (item.what) {
    case disposition::apply:
      return outcome::applied;
    case disposition::settle:
      return item.settled;
    case disposition::park:
      return outcome::parked;
    case disposition::dead_letter:
    case disposition::discard:
      return outcome::dead;
  }
  return outcome::applied;
}

}  // namespace

commit_attempt::commit_attempt(commit_session& session, const runner_config& config)
    : session_(session),
      hook_(config.at_fault_point),
      guards_(session),
      plan_(config.tables, &config.rules, config.folds) {}

status commit_attempt::run(const std::vector<commit_part>& parts,
                           std::span<const segment> segments) {
  lay_out(parts, segments);
  if (auto done = guard(); !done.ok() || !reloads_.empty()) {
    return done;
  }
  if (auto done = move_entities(parts); !done.ok() || !reloads_.empty()) {
    return done;
  }
  if (auto done = cut(fault_point::after_guards); !done.ok()) {
    return done;
  }
  if (auto done = apply_effects(); !done.ok()) {
    return done;
  }
  if (auto done = set_aside(); !done.ok()) {
    return done;
  }
  return cut(fault_point::after_effects);
}

std::span<const outcome> commit_attempt::outcomes(std::size_t segment) const {
  return std::span(outcomes_).subspan(first_of_[segment],
                                      first_of_[segment + 1] - first_of_[segment]);
}

void commit_attempt::lay_out(const std::vector<commit_part>& parts,
                             std::span<const segment> segments) {
  segments_ = segments;
  first_of_.clear();
  entries_.clear();
  items_.clear();
  outcomes_.clear();
  reloads_.clear();
  for (std::size_t s = 0; s < segments.size(); ++s) {
    first_of_.push_back(entries_.size());
    const auto& part = parts[segments[s].part];
    for (auto i = segments[s].first; i < segments[s].last; ++i) {
      const auto& item = part.items[i];
      const bool refused = item.what == disposition::settle && item.settled == outcome::conflict;
      entries_.push_back({&item, &part, static_cast<std::uint32_t>(s), true, refused});
      items_.push_back(&item);
      outcomes_.push_back(outcome_of(item));
    }
  }
  first_of_.push_back(entries_.size());
}

status commit_attempt::guard() {
  auto answers = guards_.decide(items_);
  if (!answers.ok()) {
    return answers.error();
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    auto& entry = entries_[i];
    const auto& answer = answers.value()[i];
    if (answer.fresh) {
      continue;
    }
    entry.fresh = false;
    if (answer.conflict && entry.item->what == disposition::discard) {
      outcomes_[i] = outcome::dead;  // set aside again, it could never be got rid of
      continue;
    }
    entry.refused = answer.conflict;
    outcomes_[i] = answer.conflict ? outcome::conflict : outcome::duplicate;
  }
  note_reloads();
  return {};
}

/// Leaving out an item that has left its trace in the entity's row would not undo the trace: such a
/// part is decided again, with all that is known of its items.
void commit_attempt::note_reloads() {
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    bool reload = false;
    part_reload found{segments_[s].part, {}};
    for (auto i = first_of_[s]; i < first_of_[s + 1]; ++i) {
      const auto& entry = entries_[i];
      if (!entry.fresh) {
        reload = reload || entry.item->decided_fresh || entry.item->after.has_value();
        found.known.push_back({index_of(entry), outcomes_[i]});
      }
    }
    if (reload) {
      reloads_.push_back(std::move(found));
    }
  }
}

std::size_t commit_attempt::index_of(const tried& entry) {
  return static_cast<std::size_t>(entry.item - entry.part->items.data());
}

status commit_attempt::move_entities(const std::vector<commit_part>& parts) {
  writes_.clear();
  write_segments_.clear();
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const auto& here = segments_[s];
    const auto& part = parts[here.part];
    for (auto i = here.last; i > here.first; --i) {
      if (part.items[i - 1].after) {
        writes_.push_back({part.entity, part.shard, row_before(part, here.first).revision,
                           *part.items[i - 1].after});
        write_segments_.push_back(s);
        break;
      }
    }
  }
  if (writes_.empty()) {
    return {};
  }
  auto moved = session_.move_entities(writes_);
  if (!moved.ok()) {
    return moved.error();
  }
  invariant(moved->size() == writes_.size(), "move_entities answered for other rows");
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    if (!moved.value()[i]) {
      reloads_.push_back({segments_[write_segments_[i]].part, {}});
    }
  }
  return {};
}

status commit_attempt::apply_effects() {
  fresh_items_.clear();
  fresh_entries_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& entry = entries_[i];
    if (entry.fresh && entry.item->what == disposition::apply && !entry.item->effects.empty()) {
      fresh_items_.push_back(entry.item);
      fresh_entries_.push_back(i);
    }
  }
  if (fresh_items_.empty()) {
    return {};
  }
  plan_.make(fresh_items_);
  for (const auto& locks : plan_.locks()) {
    if (auto locked = session_.lock_rows(locks); !locked.ok()) {
      return locked;
    }
  }
  dropped_.assign(fresh_items_.size(), false);
  for (const auto& planned : plan_.statements()) {
    const auto& statement = plan_.build(planned, dropped_);
    if (statement.rows.empty()) {
      continue;
    }
    auto verdicts = session_.apply(statement);
    if (!verdicts.ok()) {
      return verdicts.error();
    }
    invariant(verdicts->size() == statement.rows.size(), "apply answered for other rows");
    for (std::size_t i = 0; planned.guard && i < statement.rows.size(); ++i) {
      const auto verdict = verdicts.value()[i];
      if (verdict == row_verdict::written) {
        continue;
      }
      const auto item = statement.rows[i].item;
      auto& entry = entries_[fresh_entries_[item]];
      dropped_[item] = true;
      entry.fresh = false;
      entry.refused = verdict == row_verdict::conflict;
      outcomes_[fresh_entries_[item]] = entry.refused ? outcome::conflict : outcome::duplicate;
    }
  }
  return {};
}

status commit_attempt::set_aside() {
  std::vector<parked_row> parked;
  for (const auto& entry : entries_) {
    if (entry.item->what != disposition::park || !entry.fresh) {
      continue;
    }
    const auto& pair = *entry.item->pair;
    parked.push_back({pair.key, pair.entity, entry.part->shard, parked_sequence{},
                      entry.item->park_why, pair.version, pair.content, encode_envelope(pair)});
  }
  if (!parked.empty()) {
    if (auto written = session_.write_parked(parked); !written.ok()) {
      return written;
    }
  }
  return write_letters();
}

status commit_attempt::write_letters() {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& entry = entries_[i];
    if (entry.refused || (entry.fresh && entry.item->what == disposition::dead_letter)) {
      left.push_back(i);
    }
  }
  std::sort(left.begin(), left.end());
  // Rows of one call differ in key and content: a twin goes into the next, and is counted there.
  while (!left.empty()) {
    std::vector<dead_letter_row> letters;
    std::vector<std::size_t> now;
    std::vector<std::size_t> later;
    std::unordered_map<ledger_key, std::vector<fingerprint>> taken;
    for (const auto i : left) {
      const auto& pair = *entries_[i].item->pair;
      auto& contents = taken[pair.key];
      if (std::find(contents.begin(), contents.end(), pair.content) != contents.end()) {
        later.push_back(i);
        continue;
      }
      contents.push_back(pair.content);
      now.push_back(i);
      letters.push_back(letter_of(i));
    }
    auto fresh = session_.write_dead_letters(letters);
    if (!fresh.ok()) {
      return fresh.error();
    }
    invariant(fresh->size() == letters.size(), "write_dead_letters answered for other rows");
    for (std::size_t k = 0; k < now.size(); ++k) {
      if (entries_[now[k]].refused && !fresh.value()[k]) {
        outcomes_[now[k]] = outcome::duplicate;
      }
    }
    left = std::move(later);
  }
  return {};
}

dead_letter_row commit_attempt::letter_of(std::size_t at) const {
  const auto& entry = entries_[at];
  const auto& item = *entry.item;
  const auto& pair = *item.pair;
  dead_letter_row letter;
  letter.key = pair.key;
  letter.entity = pair.entity;
  letter.shard = entry.part->shard;
  letter.content = pair.content;
  letter.attempts = item.attempts;
  letter.version = pair.version;
  letter.envelope = encode_envelope(pair);
  if (entry.refused) {
    letter.reason = conflict_reason;
    letter.text = pair.contract->pair.dedupe == dedupe_policy::version
                      ? "a message with this version and other content has taken effect"
                      : "a message with this id or key and other content is known already";
  } else {
    letter.reason = item.dead_reason;
    letter.text = cut_utf8(item.dead_text, limits::error_text_bytes_max);
    letter.blocks = item.blocks;
  }
  return letter;
}

status commit_attempt::cut(fault_point point) const {
  if (hook_ && hook_(point)) {
    return error{fault::stopped, std::string(name_of(point)), "stopped by a fault point"};
  }
  return {};
}

}  // namespace pawl
