#include "storage/runner.hpp"

#include <array>
#include <cstddef>

namespace pawl {
namespace {

constexpr std::array<std::string_view, 7> names{"before_fence",
                                                "after_fence",
                                                "after_guards",
                                                "after_effects",
                                                "before_commit",
                                                "after_commit_before_ack",
                                                "after_ack_before_position"};

}  // namespace

std::string_view name_of(fault_point point) { return names[static_cast<std::size_t>(point)]; }

std::optional<fault_point> fault_point_from(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      return static_cast<fault_point>(i);
    }
  }
  return std::nullopt;
}

}  // namespace pawl
