#include "storage/memory_janitor.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace pawl {
namespace {

error no_generation(std::int64_t number, const char* state) {
  return {fault::refused, "generation",
          "generation " + std::to_string(number) + " is not " + state};
}

}  // namespace

ledger_status count_ledger(const memory_consumer& consumer) {
  ledger_status answer{consumer.clock_ms, {consumer.ring.begin(), consumer.ring.end()}};
  for (const auto& [key, record] : consumer.ledger.committed()) {
    for (auto& slot : answer.ring) {
      slot.rows += slot.number == record.generation && slot.state != generation_state::empty;
    }
  }
  return answer;
}

memory_janitor::memory_janitor(std::shared_ptr<memory_disk> disk, memory_consumer& consumer)
    : disk_(std::move(disk)), consumer_(consumer) {}

result<ledger_status> memory_janitor::ledger() {
  const std::unique_lock lock(disk_->mutex);
  return count_ledger(consumer_);
}

result<std::int64_t> memory_janitor::advance_clock(std::int64_t elapsed_ms) {
  const std::unique_lock lock(disk_->mutex);
  return consumer_.clock_ms += elapsed_ms;
}

status memory_janitor::rotate() {
  std::unique_lock lock(disk_->mutex);
  if (auto slot = disk_->take_slot(lock); !slot.ok()) {
    return slot;
  }
  disk_->free_slot();
  const auto empty = std::find_if(consumer_.ring.begin(), consumer_.ring.end(),
                                  [](const auto& g) { return g.state == generation_state::empty; });
  if (empty == consumer_.ring.end()) {
    return error{fault::refused, "ring", "every generation of the ledger is in use"};
  }
  const auto number = consumer_.current_generation();
  auto* current = consumer_.generation(number);
  current->state = generation_state::frozen;
  current->closed_ms = consumer_.clock_ms;
  *empty = ledger_generation{
      empty->slot, number + 1, generation_state::current, consumer_.clock_ms, 0, 0, false, {}};
  return {};
}

status memory_janitor::record_highest(std::int64_t generation,
                                      std::span<const source_position> highest) {
  const std::unique_lock lock(disk_->mutex);
  auto* slot = consumer_.generation(generation);
  if (slot == nullptr) {
    return no_generation(generation, "known");
  }
  slot->highest.assign(highest.begin(), highest.end());
  slot->positions_known = true;
  return {};
}

status memory_janitor::retire(std::int64_t generation) {
  std::unique_lock lock(disk_->mutex);
  if (auto slot = disk_->take_slot(lock); !slot.ok()) {
    return slot;
  }
  disk_->free_slot();
  auto* slot = consumer_.generation(generation);
  if (slot == nullptr || slot->state != generation_state::frozen) {
    return no_generation(generation, "frozen");
  }
  slot->state = generation_state::retired;
  return {};
}

status memory_janitor::truncate(std::int64_t generation) {
  std::unique_lock lock(disk_->mutex);
  if (auto slot = disk_->take_slot(lock); !slot.ok()) {
    return slot;
  }
  disk_->free_slot();
  auto* slot = consumer_.generation(generation);
  if (slot == nullptr || slot->state != generation_state::retired) {
    return no_generation(generation, "retired");
  }
  std::vector<ledger_key> gone;
  for (const auto& [key, record] : consumer_.ledger.committed()) {
    if (record.generation == generation) {
      gone.push_back(key);
    }
  }
  for (const auto& key : gone) {
    consumer_.ledger.erase(key);
  }
  slot->state = generation_state::empty;
  return {};
}

result<std::vector<source_position>> memory_janitor::positions() {
  const std::unique_lock lock(disk_->mutex);
  std::vector<source_position> all;
  for (const auto& [name, position] : consumer_.positions) {
    all.push_back(position);
  }
  return all;
}

status memory_janitor::save_positions(std::span<const source_position> positions) {
  const std::unique_lock lock(disk_->mutex);
  for (const auto& given : positions) {
    auto& known =
        consumer_.positions.try_emplace({given.source, given.partition}, given).first->second;
    if (known.identity != given.identity || known.position < given.position) {
      known = given;
    }
  }
  return {};
}

result<std::vector<marked_dead_letter>> memory_janitor::marked(std::size_t limit) {
  const std::unique_lock lock(disk_->mutex);
  std::vector<marked_dead_letter> all;
  for (const auto& [key, letters] : consumer_.dead_letters.committed()) {
    for (const auto& letter : letters) {
      if (letter.mark != dead_letter_mark::none) {
        all.push_back({letter.id, letter.entity, letter.shard, letter.mark});
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const auto& left, const auto& right) { return left.id < right.id; });
  all.resize(std::min(all.size(), limit));
  return all;
}

result<std::vector<undrained_entity>> memory_janitor::undrained(std::size_t limit) {
  const std::unique_lock lock(disk_->mutex);
  std::set<entity_ref> held;
  for (const auto& [key, letters] : consumer_.dead_letters.committed()) {
    for (const auto& letter : letters) {
      if (letter.blocks) {
        held.insert(letter.entity);
      }
    }
  }
  std::vector<undrained_entity> found;
  for (const auto& [entity, known] : consumer_.entities.committed()) {
    if (known.row.blocked && !held.contains(entity) && found.size() < limit) {
      found.push_back({entity, known.shard, park_reason::behind_dead});
    }
  }
  std::set<entity_ref> seen;
  for (const auto& [place, present] : consumer_.parked_order.committed()) {
    const auto& [entity, why, order, key] = place;
    if (why != park_reason::gap || !seen.insert(entity).second || found.size() >= limit) {
      continue;
    }
    const auto* known = consumer_.entities.find_committed(entity);
    const auto version = known != nullptr && known->row.version ? known->row.version->value : 0;
    if (order - 1 <= version) {
      found.push_back({entity, consumer_.parked.find_committed(key)->shard, park_reason::gap});
    }
  }
  return found;
}

}  // namespace pawl
