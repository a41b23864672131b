#pragma once

#include <cstddef>

namespace pawl {

/// What one source may hold at a time: everything polled and not yet acknowledged costs credits, in
/// messages and in bytes. One message larger than all the bytes may pass when nothing else is held.
/// Owned by one intake.
class credits {
 public:
  credits(std::size_t messages, std::size_t bytes) : messages_max_(messages), bytes_max_(bytes) {}

  [[nodiscard]] std::size_t messages_left() const {
    return messages_held_ < messages_max_ ? messages_max_ - messages_held_ : 0;
  }
  [[nodiscard]] std::size_t bytes_left() const {
    return bytes_held_ < bytes_max_ ? bytes_max_ - bytes_held_ : 0;
  }
  [[nodiscard]] bool any() const { return messages_left() > 0 && bytes_left() > 0; }

  void take(std::size_t bytes) {
    ++messages_held_;
    bytes_held_ += bytes;
  }
  void give_back(std::size_t bytes) {
    --messages_held_;
    bytes_held_ -= bytes;
  }

  [[nodiscard]] std::size_t messages_held() const { return messages_held_; }
  [[nodiscard]] std::size_t bytes_held() const { return bytes_held_; }

 private:
  std::size_t messages_max_;
  std::size_t bytes_max_;
  std::size_t messages_held_ = 0;
  std::size_t bytes_held_ = 0;
};

}  // namespace pawl
