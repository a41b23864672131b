#pragma once

#include "actors/source.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace pawl_test {

enum class feed_kind : std::uint8_t { queue, log };

/// What a test says to a runtime, and what it heard back. Behaves as a broker: a source that is
/// opened anew gets what was not acknowledged (a queue), or everything from the stored position on
/// (a log). Outlives its sources; thread-safe.
class message_feed : public std::enable_shared_from_this<message_feed> {
 public:
  explicit message_feed(feed_kind kind = feed_kind::queue) : kind_(kind) {}

  void say(std::string payload, std::vector<pawl::header> headers = {});
  /// Nothing more will be said.
  void end();
  [[nodiscard]] std::unique_ptr<pawl::source> open();

  /// Deliveries of the present source that were acknowledged, by their place from 0.
  [[nodiscard]] std::set<std::int64_t> acked() const;
  [[nodiscard]] std::size_t delivered() const;
  /// Most deliveries, and most bytes, that were given out and not acknowledged at a time.
  [[nodiscard]] std::size_t most_held() const;
  [[nodiscard]] std::size_t most_bytes_held() const;
  /// Called on the intake's thread before an acknowledgement is noted. Set before the source runs.
  std::function<void()> at_ack;

 private:
  friend class feed_source;
  struct entry {
    pawl::message_ptr what;
    bool acked = false;
    std::int64_t given_in = 0;  // number of the source that has it
  };

  void begin(std::span<const pawl::source_position> stored);
  pawl::poll_answer poll(const pawl::poll_limits& limits);
  void ack(std::span<const pawl::message_origin> finished);

  const feed_kind kind_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<entry> entries_;
  std::size_t next_ = 0;
  bool ended_ = false;
  std::int64_t source_number_ = 0;
  std::size_t delivered_ = 0;
  std::size_t held_ = 0;
  std::size_t bytes_held_ = 0;
  std::size_t most_held_ = 0;
  std::size_t most_bytes_held_ = 0;
};

}  // namespace pawl_test
