#include "actors/retention.hpp"

#include <algorithm>
#include <cstddef>

namespace pawl {
namespace {

/// The partition whose position has not passed what the generation can hold.
const source_position* behind(const ledger_generation& generation,
                              const std::vector<source_position>& positions) {
  for (const source_position& highest : generation.highest) {
    const auto stored = std::find_if(positions.begin(), positions.end(), [&](const auto& one) {
      return one.source == highest.source && one.partition == highest.partition;
    });
    if (stored == positions.end()) {
      return &highest;
    }
    // A replaced file or topic (another identity) will never pass the old one's positions.
    if (stored->identity == highest.identity && stored->position < highest.position) {
      return &highest;
    }
  }
  return nullptr;
}

bool window_passed(const ledger_status& ledger, const ledger_generation& one,
                   std::int64_t window_ms) {
  return ledger.clock_ms - one.closed_ms >= window_ms;
}

const ledger_generation* oldest_frozen(const ledger_status& ledger) {
  const ledger_generation* oldest = nullptr;
  for (const ledger_generation& one : ledger.ring) {
    if (one.state == generation_state::frozen &&
        (oldest == nullptr || one.number < oldest->number)) {
      oldest = &one;
    }
  }
  return oldest;
}

}  // namespace

std::optional<retention_step> next_retention_step(const ledger_status& ledger,
                                                  std::int64_t window_ms,
                                                  const std::vector<source_position>& positions) {
  bool has_empty = false;
  const ledger_generation* current = nullptr;
  for (const ledger_generation& one : ledger.ring) {
    if (one.state == generation_state::retired) {
      return retention_step{retention_step::what::truncate, one.number};
    }
    has_empty = has_empty || one.state == generation_state::empty;
    if (one.state == generation_state::current) {
      current = &one;
    }
  }
  const ledger_generation* oldest = oldest_frozen(ledger);
  if (oldest != nullptr && window_passed(ledger, *oldest, window_ms) && oldest->positions_known &&
      behind(*oldest, positions) == nullptr) {
    return retention_step{retention_step::what::retire, oldest->number};
  }
  // Two slots of the ring are the current one and the one being emptied; the rest share the window.
  const auto shares = std::max<std::int64_t>(1, static_cast<std::int64_t>(ledger.ring.size()) - 2);
  if (current != nullptr && has_empty &&
      ledger.clock_ms - current->opened_ms >= window_ms / shares) {
    return retention_step{retention_step::what::rotate, 0};
  }
  return std::nullopt;
}

std::string retention_held_by(const ledger_status& ledger, std::int64_t window_ms,
                              const std::vector<source_position>& positions) {
  const ledger_generation* oldest = oldest_frozen(ledger);
  if (oldest == nullptr || !window_passed(ledger, *oldest, window_ms)) {
    return {};
  }
  const source_position* late = behind(*oldest, positions);
  if (late == nullptr) {
    return {};
  }
  return "generation " + std::to_string(oldest->number) +
         " of the ledger is past its window, but " + late->source + "/" + late->partition +
         " has not passed position " + std::to_string(late->position) + " yet";
}

}  // namespace pawl
