#include "storage/memory_disk.hpp"

#include <algorithm>
#include <limits>

namespace pawl {

std::vector<layered*> memory_consumer::layers() {
  return {&entities, &ledger, &parked, &parked_order, &dead_letters, &tokens};
}

ledger_generation* memory_consumer::generation(std::int64_t of_number) {
  const auto found = std::find_if(ring.begin(), ring.end(), [&](const ledger_generation& slot) {
    return slot.number == of_number && slot.state != generation_state::empty;
  });
  return found == ring.end() ? nullptr : &*found;
}

std::int64_t memory_consumer::current_generation() const {
  const auto found = std::find_if(ring.begin(), ring.end(), [](const ledger_generation& slot) {
    return slot.state == generation_state::current;
  });
  return found == ring.end() ? 0 : found->number;
}

std::optional<guard_trace> memory_consumer::trace(const ledger_key& key, bool in_ledger,
                                                  sight seen) {
  const auto look = [&](const auto& map) {
    return seen == sight::committed ? map.find_committed(key) : map.find(key);
  };
  if (const auto* known = in_ledger ? look(ledger) : nullptr; known != nullptr) {
    const auto* slot = generation(known->generation);
    if (slot != nullptr && slot->state != generation_state::retired) {
      return guard_trace{guard_trace::place::ledger, known->content};
    }
  }
  if (const auto* letters = look(dead_letters); letters != nullptr) {
    for (const auto& letter : *letters) {
      if (letter.reason != "conflict") {
        return guard_trace{guard_trace::place::dead_letter, letter.content};
      }
    }
  }
  if (const auto* waiting = look(parked); waiting != nullptr) {
    return guard_trace{guard_trace::place::parked, waiting->content};
  }
  return std::nullopt;
}

loaded_entity memory_consumer::load(const entity_ref& entity) const {
  loaded_entity answer;
  if (const auto* known = entities.find_committed(entity); known != nullptr) {
    answer.row = known->row;
  }
  if (const auto gaps = parked_of(entity, park_reason::gap, 1); !gaps.empty()) {
    answer.lowest_gap = gaps.front().version;
  }
  answer.parked_behind = !parked_of(entity, park_reason::behind_dead, 1).empty();
  return answer;
}

std::vector<parked_row> memory_consumer::parked_of(const entity_ref& entity, park_reason why,
                                                   std::size_t limit) const {
  std::vector<parked_row> found;
  const auto& order = parked_order.committed();
  auto at =
      order.lower_bound({entity, why, std::numeric_limits<std::int64_t>::min(), ledger_key{}});
  for (; at != order.end() && found.size() < limit; ++at) {
    if (std::get<0>(at->first) != entity || std::get<1>(at->first) != why) {
      break;
    }
    found.push_back(*parked.find_committed(std::get<3>(at->first)));
  }
  return found;
}

status memory_disk::take_slot(std::unique_lock<std::mutex>& lock) {
  if (taken_ && holder_ == std::this_thread::get_id()) {
    return error{fault::retry, "busy", "another transaction of this thread is open"};
  }
  freed_.wait(lock, [this] { return !taken_; });
  taken_ = true;
  holder_ = std::this_thread::get_id();
  return {};
}

void memory_disk::free_slot() {
  taken_ = false;
  freed_.notify_one();
}

memory_consumer* memory_disk::find(const std::string& consumer) {
  const auto found = consumers.find(consumer);
  return found == consumers.end() ? nullptr : found->second.get();
}

}  // namespace pawl
