#pragma once

#include "protocol/message.hpp"
#include "protocol/result.hpp"
#include "storage/janitor_session.hpp"

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pawl {

struct poll_limits {
  std::size_t messages = 0;           ///< credits left; at least 1
  std::size_t bytes = 0;              ///< one message may exceed it
  std::chrono::milliseconds wait{0};  ///< how long to wait for the first message
};

struct poll_answer {
  std::vector<message_ptr> messages;
  bool ended = false;  ///< nothing will ever come again (a file read once, a finished scenario)
};

/// Where messages come from. All calls come from one thread, the intake actor's.
class source {
 public:
  virtual ~source() = default;

  [[nodiscard]] virtual const std::string& name() const noexcept = 0;
  /// True for logs: positions are kept in the store, and given to `start`. False for queues: every
  /// delivery is acknowledged by itself.
  [[nodiscard]] virtual bool is_log() const noexcept = 0;

  /// Opens it at the stored positions (of this source; empty for queues and at the first start).
  /// `refused` if it can't go on from there: the text says why and what to do.
  virtual status start(std::span<const source_position> stored) = 0;
  /// `retry`: the broker can't be reached, ask again later.
  virtual result<poll_answer> poll(const poll_limits& limits) = 0;
  /// These deliveries are finished: every outcome or parking is durable.
  virtual void ack(std::span<const message_origin> finished) = 0;
  /// A log's frontier with the source's identity, ready to be stored.
  [[nodiscard]] virtual source_position stored_form(const std::string& partition,
                                                    std::int64_t position) const = 0;
  /// How much is left to read now, in the source's unit (bytes for a file); negative if unknown.
  [[nodiscard]] virtual std::int64_t lag() const = 0;
  virtual void stop() = 0;
};

}  // namespace pawl
