#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pawl {

/// What became of one (entity, message) pair. The first five are final; each accepted pair ends in
/// exactly one of them. `parked` waits in the store and ends later.
enum class outcome : std::uint8_t { applied, duplicate, stale, conflict, dead, parked };

inline constexpr std::array all_outcomes{outcome::applied,  outcome::duplicate, outcome::stale,
                                         outcome::conflict, outcome::dead,      outcome::parked};

[[nodiscard]] constexpr std::string_view name_of(outcome which) {
  constexpr std::array<std::string_view, 6> names{"applied",  "duplicate", "stale",
                                                  "conflict", "dead",      "parked"};
  return names[static_cast<std::size_t>(which)];
}

}  // namespace pawl
