#pragma once

#include "protocol/ids.hpp"

#include <algorithm>
#include <cstdint>

namespace pawl {

/// When a failed message is tried again, and when it is given up.
struct retry_policy {
  int attempts = 5;  ///< from 1
  std::int64_t backoff_ms = 100;
  std::int64_t backoff_ms_max = 10'000;
};

/// Milliseconds to wait after `failed` failed attempts (from 1): doubling, at most
/// `backoff_ms_max`, and spread over the upper half by `spread` so that what failed together does
/// not come back together.
[[nodiscard]] inline std::int64_t backoff_ms(const retry_policy& retry, int failed,
                                             std::uint64_t spread) {
  const int doublings = std::clamp(failed - 1, 0, 30);
  const std::int64_t full =
      std::min(retry.backoff_ms_max, std::max<std::int64_t>(1, retry.backoff_ms) << doublings);
  const auto half = static_cast<std::uint64_t>(full / 2);
  return full - static_cast<std::int64_t>(spread % (half + 1));
}

}  // namespace pawl
