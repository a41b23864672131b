#pragma once

#include "actors/alarms.hpp"
#include "actors/counts.hpp"
#include "actors/entity_logic.hpp"
#include "actors/position_board.hpp"
#include "actors/shard_lanes.hpp"
#include "protocol/decode.hpp"
#include "storage/runner.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace pawl {

/// What all actors of a node share. Made before them, outlives them; everything in it is
/// thread-safe or never changes.
struct node_surroundings {
  std::string consumer;
  shard_settings shards;
  entity_surroundings entities;
  decoder_config decoding;
  /// Where a source's messages say their type, by the source's name; `decoding` says it for others.
  std::map<std::string, std::string, std::less<>> type_paths;
  counters* counted = nullptr;
  position_board* delivered = nullptr;
  alarm_board* alarms = nullptr;
  std::function<std::int64_t()> now_ms;  ///< a steady clock
  fault_hook at_fault_point;             ///< also true once the node is abandoned
  /// Something ended the node for good: a lost lease, a source that can't go on.
  std::function<void(bool lost_leases, const std::string& text)> ended;
  /// An intake has come to its end: nothing more will come, all is acknowledged and its position is
  /// stored.
  std::function<void(std::uint32_t intake)> finished;
  std::atomic<bool> abandoned{false};
  /// Blocking actors get a thread of their own; not in simulations, where one thread runs
  /// everything.
  bool detached = true;

  /// What decodes the messages of a source, received now or read from the store.
  [[nodiscard]] decoder_config decoding_of(std::string_view source) const {
    decoder_config made = decoding;
    const auto own = type_paths.find(source);
    if (own != type_paths.end()) {
      made.type_path = own->second;
    }
    return made;
  }
};

}  // namespace pawl
