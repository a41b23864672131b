#pragma once

#include <chrono>
#include <cstdint>

namespace pawl {

/// Milliseconds since 1970, by this machine's clock: for people only.
[[nodiscard]] inline std::int64_t wall_clock_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

/// Milliseconds of a clock that never goes back.
[[nodiscard]] inline std::int64_t steady_clock_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace pawl
