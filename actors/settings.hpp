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
#include <string>

namespace pawl {

/// What all actors of a node share. Made before them, outlives them; everything in it is
/// thread-safe or never changes.
struct node_surroundings {
  std::string consumer;
  shard_settings shards;
  entity_surroundings entities;
  decoder_config decoding;
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
};

}  // namespace pawl
