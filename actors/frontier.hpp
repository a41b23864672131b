#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace pawl {

/// The frontier of one partition: the lowest delivery that is not finished. Everything below it is,
/// so it is what may be stored as the position; it never passes one in flight. Positions are only
/// compared, never computed (logs have holes): what follows the last delivery is what the source
/// said. Owned by one intake.
class frontier {
 public:
  /// A delivery came. Positions may come again (a rewind): then the delivery counts twice.
  void deliver(std::int64_t position, std::int64_t next) {
    ++open_[position];
    if (next > next_) {
      next_ = next;
    }
  }

  /// A delivery is finished; false if none is open at that position (an ack for an older
  /// assignment).
  bool finish(std::int64_t position) {
    const auto found = open_.find(position);
    if (found == open_.end()) {
      return false;
    }
    if (--found->second == 0) {
      open_.erase(found);
    }
    return true;
  }

  /// Nothing before the first delivery.
  [[nodiscard]] std::optional<std::int64_t> position() const {
    if (!open_.empty()) {
      return open_.begin()->first;
    }
    if (next_ == nothing) {
      return std::nullopt;
    }
    return next_;
  }

  [[nodiscard]] bool idle() const { return open_.empty(); }

 private:
  static constexpr std::int64_t nothing = INT64_MIN;
  std::map<std::int64_t, std::uint32_t> open_;
  std::int64_t next_ = nothing;
};

}  // namespace pawl
