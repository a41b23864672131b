#pragma once

#include "protocol/effect.hpp"

#include <deque>
#include <shared_mutex>
#include <unordered_set>
#include <vector>

namespace pawl {

/// Gives equal shapes one address, so that statements are grouped, prepared and cached by pointer.
/// One per runtime; it outlives every effect. Any thread. Shapes are never dropped: their number is
/// that of the effects declared or written in code, not of the messages.
class shape_registry {
 public:
  shape_registry() = default;
  shape_registry(const shape_registry&) = delete;
  shape_registry& operator=(const shape_registry&) = delete;

  /// The one shape equal to `shape`; never null, the address holds as long as the registry.
  [[nodiscard]] const effect_shape* intern(effect_shape shape);

  /// All shapes, in the order of their first `intern`.
  [[nodiscard]] std::vector<const effect_shape*> all() const;

 private:
  struct hash_shape {
    std::size_t operator()(const effect_shape* shape) const noexcept;
  };
  struct same_shape {
    bool operator()(const effect_shape* left, const effect_shape* right) const noexcept {
      return *left == *right;
    }
  };

  mutable std::shared_mutex mutex_;
  std::deque<effect_shape> shapes_;  // a deque does not move its elements
  std::unordered_set<const effect_shape*, hash_shape, same_shape> known_;
};

}  // namespace pawl
