#include "runtime/scenario/delivery_plan.hpp"

#include "runtime/scenario/seeded_random.hpp"

#include <algorithm>

namespace pawl {
namespace {

// A duplicate comes at once (a publisher that retried) or much later (a publisher that restarted).
constexpr std::int64_t duplicate_distance_max = 2000;
// Between a lost acknowledgement and the redelivery: a visibility timeout, in deliveries.
constexpr std::int64_t redelivery_distance_min = 50;
constexpr std::int64_t redelivery_distance_max = 500;

struct placed_delivery {
  std::uint64_t place = 0;
  planned_delivery what;
};

}  // namespace

std::vector<planned_delivery> plan_deliveries(std::size_t messages, const fault_config& faults,
                                              std::uint64_t seed) {
  seeded_random late(seed, "reorder");
  seeded_random twice(seed, "duplicate");
  seeded_random lost(seed, "lost_ack");
  std::vector<placed_delivery> placed;
  placed.reserve(messages);
  for (std::uint64_t number = 0; number < messages; ++number) {
    std::uint64_t place = number;
    if (faults.reorder_distance > 0 && late.chance(faults.reorder_share)) {
      place += 1 + late.below(faults.reorder_distance);
    }
    placed.push_back({place, {number, false, 0}});
    if (twice.chance(faults.duplicate)) {
      // Half of them close by, where both are in flight at the same time.
      const std::int64_t distance_max = twice.chance(0.5) ? 20 : duplicate_distance_max;
      placed.push_back(
          {place + static_cast<std::uint64_t>(twice.between(1, distance_max)), {number, true, 0}});
    }
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const placed_delivery& left, const placed_delivery& right) {
                     return left.place < right.place;
                   });
  std::vector<planned_delivery> plan;
  plan.reserve(placed.size());
  for (const placed_delivery& one : placed) {
    plan.push_back(one.what);
    if (lost.chance(faults.lost_ack)) {
      plan.back().lost_ack_returns_after = static_cast<std::uint64_t>(
          lost.between(redelivery_distance_min, redelivery_distance_max));
    }
  }
  return plan;
}

}  // namespace pawl
