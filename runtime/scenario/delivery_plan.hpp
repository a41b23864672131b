#pragma once

#include "runtime/scenario/scenario_config.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pawl {

/// One publication to the broker: a message, or a message once more.
struct planned_delivery {
  std::uint64_t message = 0;  ///< its number in the workload
  bool duplicate = false;
  /// The first acknowledgement of it is lost, and it comes again after so many other deliveries;
  /// 0: it arrives.
  std::uint64_t lost_ack_returns_after = 0;
};

/// What is published, in order: late ones, duplicates and lost acknowledgements, all from the seed
/// and in message counts, so that every consumer compared meets the same.
[[nodiscard]] std::vector<planned_delivery> plan_deliveries(std::size_t messages,
                                                            const fault_config& faults,
                                                            std::uint64_t seed);

}  // namespace pawl
