#include "storage/memory_admin.hpp"

#include "storage/memory_janitor.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace pawl {

memory_admin::memory_admin(std::shared_ptr<memory_disk> disk, memory_consumer& consumer,
                           std::function<store_time_ms()> now)
    : disk_(std::move(disk)), consumer_(consumer), now_(std::move(now)) {}

std::vector<dead_letter_row> memory_admin::letters_by_id() const {
  std::vector<dead_letter_row> all;
  for (const auto& [key, letters] : consumer_.dead_letters.committed()) {
    all.insert(all.end(), letters.begin(), letters.end());
  }
  std::sort(all.begin(), all.end(),
            [](const auto& left, const auto& right) { return left.id < right.id; });
  return all;
}

result<consumer_status> memory_admin::status_of() {
  const std::unique_lock lock(disk_->mutex);
  consumer_status answer;
  answer.consumer = consumer_.name;
  answer.shards = static_cast<std::uint32_t>(consumer_.leases.size());
  const auto now = now_();
  for (std::size_t i = 0; i < consumer_.leases.size(); ++i) {
    for (const auto& [name, node] : consumer_.nodes) {
      if (node.number == consumer_.leases[i].owner) {
        answer.leases.push_back({shard_id{static_cast<std::uint32_t>(i)}, consumer_.leases[i].epoch,
                                 name, node.expires - now});
      }
    }
  }
  for (const auto& [name, position] : consumer_.positions) {
    answer.positions.push_back(position);
  }
  for (const auto& [key, row] : consumer_.parked.committed()) {
    ++(row.why == park_reason::gap ? answer.parked_gap : answer.parked_behind_dead);
  }
  for (const auto& [entity, known] : consumer_.entities.committed()) {
    answer.blocked_entities += known.row.blocked ? 1 : 0;
  }
  for (const auto& letter : letters_by_id()) {
    ++answer.dead_letters[letter.reason];
  }
  return answer;
}

result<ledger_status> memory_admin::ledger() {
  const std::unique_lock lock(disk_->mutex);
  return count_ledger(consumer_);
}

result<std::vector<dead_letter_row>> memory_admin::dead_letters(std::size_t limit) {
  const std::unique_lock lock(disk_->mutex);
  auto all = letters_by_id();
  all.resize(std::min(all.size(), limit));
  return all;
}

result<std::optional<dead_letter_row>> memory_admin::dead_letter(std::int64_t id) {
  const std::unique_lock lock(disk_->mutex);
  for (auto& letter : letters_by_id()) {
    if (letter.id == id) {
      return std::optional<dead_letter_row>(std::move(letter));
    }
  }
  return std::optional<dead_letter_row>();
}

result<bool> memory_admin::mark(std::int64_t id, dead_letter_mark mark) {
  std::unique_lock lock(disk_->mutex);
  if (auto slot = disk_->take_slot(lock); !slot.ok()) {
    return slot.error();
  }
  disk_->free_slot();
  for (const auto& [key, known] : consumer_.dead_letters.committed()) {
    auto letters = known;
    for (auto& letter : letters) {
      if (letter.id == id) {
        letter.mark = mark;
        consumer_.dead_letters.put(key, std::move(letters));
        return true;
      }
    }
  }
  return false;
}

result<std::optional<loaded_entity>> memory_admin::entity(const entity_ref& entity) {
  const std::unique_lock lock(disk_->mutex);
  const auto loaded = consumer_.load(entity);
  const bool known =
      loaded.row.revision.value != 0 || loaded.lowest_gap.has_value() || loaded.parked_behind;
  return known ? std::optional<loaded_entity>(loaded) : std::nullopt;
}

result<std::vector<parked_row>> memory_admin::parked(const entity_ref& entity, std::size_t limit) {
  const std::unique_lock lock(disk_->mutex);
  auto rows = consumer_.parked_of(entity, park_reason::behind_dead, limit);
  for (auto& row : consumer_.parked_of(entity, park_reason::gap, limit - rows.size())) {
    rows.push_back(std::move(row));
  }
  return rows;
}

result<message_traces> memory_admin::trace(const ledger_key& key) {
  const std::unique_lock lock(disk_->mutex);
  message_traces traces;
  if (const auto* known = consumer_.ledger.find_committed(key); known != nullptr) {
    const auto* kept = consumer_.generation(known->generation);
    if (kept != nullptr && kept->state != generation_state::retired) {
      traces.ledger = guard_trace{guard_trace::place::ledger, known->content};
      traces.ledger_generation = known->generation;
    }
  }
  if (const auto* letters = consumer_.dead_letters.find_committed(key); letters != nullptr) {
    traces.dead_letters = *letters;
  }
  if (const auto* row = consumer_.parked.find_committed(key); row != nullptr) {
    traces.parked = *row;
  }
  return traces;
}

result<std::vector<entity_ref>> memory_admin::entities(const std::string& type, std::size_t limit) {
  const std::unique_lock lock(disk_->mutex);
  std::set<entity_ref> known;
  for (const auto& [entity, row] : consumer_.entities.committed()) {
    known.insert(entity);
  }
  for (const auto& [key, row] : consumer_.parked.committed()) {
    known.insert(row.entity);
  }
  for (const auto& letter : letters_by_id()) {
    known.insert(letter.entity);
  }
  std::vector<entity_ref> found;
  for (const auto& entity : known) {
    if (entity.type == type && found.size() < limit) {
      found.push_back(entity);
    }
  }
  return found;
}

}  // namespace pawl
