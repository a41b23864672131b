#pragma once

#include "actors/credits.hpp"
#include "actors/frontier.hpp"
#include "actors/source.hpp"
#include "actors/task.hpp"
#include "protocol/decode.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pawl {

struct intake_settings {
  std::uint32_t index = 0;   ///< which intake of the node
  std::uint32_t shards = 1;  ///< of the consumer
  std::size_t credit_messages = 50'000;
  std::size_t credit_bytes = 64U << 20U;
  std::size_t poll_messages_max = 1024;  ///< more would only make the first of them wait
  std::vector<std::string> ignore_types;
};

/// The intake of one source as plain bookkeeping: credits, frontiers, decoding, addressing. Owned
/// by one intake actor.
class intake {
 public:
  intake(intake_settings settings, decoder_config decoding, bool is_log);

  [[nodiscard]] bool may_poll() const { return credits_.any(); }
  [[nodiscard]] poll_limits limits(std::chrono::milliseconds wait) const;

  struct addressed {
    std::vector<std::vector<task_ptr>> per_shard;  ///< by shard number
    std::vector<delivery_ptr> finished;  ///< nothing to do for them: unaddressed or ignored
    std::uint64_t pairs = 0;
    std::uint64_t unaddressed = 0;
    std::uint64_t ignored = 0;
  };
  [[nodiscard]] addressed address(const std::vector<message_ptr>& received);

  /// Deliveries whose outcomes are all durable; answers the origins to acknowledge. One of an
  /// assignment that has ended gives its credits back and is not among them: whoever has the
  /// partition now gets it again.
  [[nodiscard]] std::vector<message_origin> finish(const std::vector<delivery_ptr>& deliveries);

  /// Frontiers that moved since the last call, by partition.
  [[nodiscard]] std::map<std::string, std::int64_t> moved_frontiers();
  /// Positions after the highest that was ever delivered, by partition of a log.
  [[nodiscard]] std::map<std::string, std::int64_t> highest() const;
  [[nodiscard]] std::size_t held() const { return credits_.messages_held(); }

 private:
  struct partition {
    frontier at;
    std::int64_t assignment = INT64_MIN;
    std::int64_t told = INT64_MIN;
    std::int64_t highest = INT64_MIN;  ///< of all assignments
  };
  partition& open_partition(const message_origin& origin);

  intake_settings settings_;
  std::set<std::string, std::less<>> ignored_;
  message_decoder decoder_;
  bool is_log_;
  credits credits_;
  std::map<std::string, partition, std::less<>> partitions_;
};

}  // namespace pawl
