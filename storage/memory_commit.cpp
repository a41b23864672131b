#include "storage/memory_commit.hpp"

#include "protocol/invariant.hpp"

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

/// Where a parked row stands among those of its entity.
memory_consumer::parked_place place_of(const parked_row& row) {
  const auto order =
      row.why == park_reason::gap && row.version ? row.version->value : row.sequence.value;
  return {row.entity, row.why, order, row.key};
}

}  // namespace

memory_commit::memory_commit(std::shared_ptr<memory_disk> disk, memory_consumer& consumer,
                             const commit_identity& identity, std::function<store_time_ms()> now)
    : disk_(std::move(disk)),
      consumer_(consumer),
      node_(identity.node.node),
      committer_(identity.committer),
      now_(std::move(now)) {}

memory_commit::~memory_commit() { rollback(); }

std::pair<std::int32_t, std::uint32_t> memory_commit::token() const {
  return {node_.value, committer_};
}

status memory_commit::begin() {
  std::unique_lock lock(disk_->mutex);
  if (auto slot = disk_->take_slot(lock); !slot.ok()) {
    return slot;
  }
  open_ = consumer_.layers();
  for (const auto& [name, table] : disk_->tables) {
    for (auto* each : table->layers()) {
      open_.push_back(each);
    }
  }
  for (auto* each : open_) {
    each->open();
  }
  depth_ = 1;
  return {};
}

result<std::vector<shard_id>> memory_commit::fence(std::span<const shard_grant> shards) {
  const std::unique_lock lock(disk_->mutex);
  std::vector<shard_id> lost;
  for (const auto& grant : shards) {
    const auto at = static_cast<std::size_t>(grant.shard.value);
    if (at >= consumer_.leases.size() || consumer_.leases[at].epoch != grant.epoch) {
      lost.push_back(grant.shard);
    }
  }
  const auto* known = consumer_.tokens.find(token());
  raised_to_ = (known != nullptr ? *known : 0) + 1;
  consumer_.tokens.put(token(), raised_to_);
  return lost;
}

result<std::vector<bool>> memory_commit::claim(std::span<const stored_ref> refs) {
  const std::unique_lock lock(disk_->mutex);
  std::vector<bool> was_there;
  was_there.reserve(refs.size());
  for (const auto& ref : refs) {
    was_there.push_back(ref.from == stored_ref::table::parked ? claim_parked(ref)
                                                              : claim_dead_letter(ref));
  }
  return was_there;
}

bool memory_commit::claim_parked(const stored_ref& ref) {
  const auto* row = consumer_.parked.find(ref.key);
  if (row == nullptr) {
    return false;
  }
  consumer_.parked_order.erase(place_of(*row));
  consumer_.parked.erase(ref.key);
  return true;
}

bool memory_commit::claim_dead_letter(const stored_ref& ref) {
  const auto* known = consumer_.dead_letters.find(ref.key);
  if (known == nullptr) {
    return false;
  }
  auto letters = *known;
  const auto gone = std::erase_if(
      letters, [&](const dead_letter_row& letter) { return letter.content == ref.content; });
  if (letters.empty()) {
    consumer_.dead_letters.erase(ref.key);
  } else {
    consumer_.dead_letters.put(ref.key, std::move(letters));
  }
  return gone != 0;
}

result<std::vector<std::optional<guard_trace>>> memory_commit::insert_ledger(
    std::span<const ledger_row> rows) {
  const std::unique_lock lock(disk_->mutex);
  std::vector<std::optional<guard_trace>> traces;
  traces.reserve(rows.size());
  const auto generation = consumer_.current_generation();
  for (const auto& row : rows) {
    traces.push_back(consumer_.trace(row.key, true, sight::transaction));
    if (!traces.back().has_value()) {
      consumer_.ledger.put(row.key, {row.content, generation});
    }
  }
  return traces;
}

result<std::vector<std::optional<guard_trace>>> memory_commit::find(
    std::span<const ledger_key> keys, bool in_ledger) {
  const std::unique_lock lock(disk_->mutex);
  std::vector<std::optional<guard_trace>> traces;
  traces.reserve(keys.size());
  for (const auto& key : keys) {
    traces.push_back(consumer_.trace(key, in_ledger, sight::transaction));
  }
  return traces;
}

result<std::vector<bool>> memory_commit::move_entities(std::span<const entity_write> writes) {
  const std::unique_lock lock(disk_->mutex);
  std::vector<bool> moved;
  moved.reserve(writes.size());
  for (const auto& write : writes) {
    const auto* known = consumer_.entities.find(write.entity);
    const auto revision = known != nullptr ? known->row.revision : entity_revision{};
    moved.push_back(revision == write.expected);
    if (moved.back()) {
      consumer_.entities.put(write.entity, {write.row, write.shard});
    }
  }
  return moved;
}

status memory_commit::lock_rows(const row_locks& /*locks*/) { return {}; }

result<std::vector<row_verdict>> memory_commit::apply(const effect_statement& statement) {
  const std::unique_lock lock(disk_->mutex);
  const auto table = disk_->tables.find(statement.shape->table);
  if (table == disk_->tables.end()) {
    return error{fault::deployment, "table", "there is no table " + statement.shape->table};
  }
  return table->second->apply(statement);
}

result<std::vector<bool>> memory_commit::write_dead_letters(std::span<const dead_letter_row> rows) {
  const std::unique_lock lock(disk_->mutex);
  std::vector<bool> fresh;
  fresh.reserve(rows.size());
  for (const auto& row : rows) {
    const auto* known = consumer_.dead_letters.find(row.key);
    auto letters = known != nullptr ? *known : std::vector<dead_letter_row>{};
    const auto same = std::find_if(letters.begin(), letters.end(), [&](const auto& letter) {
      return letter.content == row.content;
    });
    fresh.push_back(same == letters.end());
    if (fresh.back()) {
      letters.push_back(row);
      letters.back().since = now_();
      letters.back().id = ++consumer_.dead_letter_id;
    } else {
      same->count += row.count;
      same->blocks = same->blocks || row.blocks;
      if (same->reason == "conflict") {
        same->reason = row.reason;
      }
    }
    consumer_.dead_letters.put(row.key, std::move(letters));
  }
  return fresh;
}

status memory_commit::write_parked(std::span<const parked_row> rows) {
  const std::unique_lock lock(disk_->mutex);
  for (const auto& row : rows) {
    if (consumer_.parked.find(row.key) != nullptr) {
      return error{fault::poison, "unique", "the message is parked already"};
    }
    auto stored = row;
    stored.sequence.value = ++consumer_.parked_sequence;
    consumer_.parked_order.put(place_of(stored), true);
    consumer_.parked.put(row.key, std::move(stored));
  }
  return {};
}

status memory_commit::check_constraints() { return {}; }

status memory_commit::commit() {
  const std::unique_lock lock(disk_->mutex);
  if (depth_ == 0) {
    return error{fault::retry, "transaction", "no transaction is open"};
  }
  for (; depth_ > 0; --depth_) {
    for (auto* each : open_) {
      each->keep();
    }
  }
  open_.clear();
  disk_->free_slot();
  return {};
}

void memory_commit::rollback() noexcept {
  const std::unique_lock lock(disk_->mutex);
  if (depth_ == 0) {
    return;
  }
  for (; depth_ > 0; --depth_) {
    for (auto* each : open_) {
      each->drop();
    }
  }
  open_.clear();
  disk_->free_slot();
}

status memory_commit::savepoint() {
  const std::unique_lock lock(disk_->mutex);
  for (auto* each : open_) {
    each->open();
  }
  ++depth_;
  return {};
}

status memory_commit::release() {
  const std::unique_lock lock(disk_->mutex);
  invariant(depth_ > 1, "a savepoint was released that is not open");
  for (auto* each : open_) {
    each->keep();
  }
  --depth_;
  return {};
}

status memory_commit::rollback_to() {
  const std::unique_lock lock(disk_->mutex);
  if (depth_ < 2) {
    return error{fault::retry, "savepoint", "the transaction is gone"};
  }
  for (auto* each : open_) {
    each->drop();
  }
  --depth_;
  return {};
}

result<bool> memory_commit::was_committed() {
  const std::unique_lock lock(disk_->mutex);
  const auto* known = consumer_.tokens.find_committed(token());
  return known != nullptr && *known == raised_to_;
}

result<std::vector<entity_answer>> memory_commit::load(std::span<const entity_query> queries) {
  const std::unique_lock lock(disk_->mutex);
  std::vector<entity_answer> answers;
  answers.reserve(queries.size());
  for (const auto& query : queries) {
    entity_answer answer{consumer_.load(query.entity), {}};
    for (const auto& key : query.ledger) {
      answer.ledger.push_back(consumer_.trace(key, true, sight::committed));
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

result<std::vector<parked_row>> memory_commit::load_parked(const entity_ref& entity,
                                                           park_reason why, std::size_t limit) {
  const std::unique_lock lock(disk_->mutex);
  return consumer_.parked_of(entity, why, limit);
}

result<std::optional<dead_letter_row>> memory_commit::load_dead_letter(std::int64_t id) {
  const std::unique_lock lock(disk_->mutex);
  for (const auto& [key, letters] : consumer_.dead_letters.committed()) {
    for (const auto& letter : letters) {
      if (letter.id == id) {
        return std::optional<dead_letter_row>(letter);
      }
    }
  }
  return std::optional<dead_letter_row>();
}

}  // namespace pawl
