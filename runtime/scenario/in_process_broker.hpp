#pragma once

#include "protocol/message.hpp"
#include "runtime/scenario/delivery_plan.hpp"
#include "runtime/scenario/scenario_config.hpp"
#include "runtime/scenario/scenario_message.hpp"
#include "storage/janitor_session.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace pawl {

struct broker_options {
  broker_kind kind = broker_kind::queue;
  std::string source = "broker";  ///< name of the source that reads it
  std::size_t prefetch = 1000;    ///< most unacknowledged deliveries of a consumer
  std::uint32_t partitions = 4;   ///< of a log, 1 to 1024
  /// A delivery that is not acknowledged within this time comes again (queue).
  std::chrono::milliseconds visibility{30'000};
};

/// One delivery as the broker remembers it; its place in the list is its sequence.
struct delivery_record {
  std::uint32_t run = 0;      ///< the consumer instance that got it, from 1
  std::uint64_t message = 0;  ///< number in the workload
};

struct broker_counts {
  std::uint64_t published = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t redeliveries = 0;  ///< deliveries of what had been delivered before
  std::uint64_t lost_acks = 0;
  std::uint64_t late_acks = 0;  ///< of a consumer that is gone, or of a delivery that came back
  std::uint64_t settled = 0;    ///< publications acknowledged for good
};

struct broker_answer {
  std::vector<message_ptr> messages;
  bool ended = false;  ///< nothing will come to this consumer any more
};

/// A broker in memory that behaves like one: what is not acknowledged comes again, marked as
/// redelivered; a dead consumer's deliveries come back; acknowledgements of a consumer that is gone
/// count for nothing. A log hands each partition out in order instead, from a position. One
/// consumer at a time, called a run. Thread-safe.
class in_process_broker {
 public:
  /// `workload` outlives the broker.
  in_process_broker(broker_options options, std::span<const scenario_message> workload,
                    std::vector<planned_delivery> plan);

  /// Opens the next run and ends the one before. A log starts at `positions`, partitions not named
  /// at their beginning: for a consumer that keeps its positions itself.
  std::uint32_t open(std::span<const source_position> positions);
  /// The same for a consumer whose position is what it acknowledged.
  std::uint32_t open_at_acked();
  /// Ends a run at this instant, as a crash of the consumer does.
  void end(std::uint32_t run);

  /// Waits for the first message up to `wait`. A run that is over gets nothing, and is not `ended`.
  [[nodiscard]] broker_answer receive(std::uint32_t run, std::size_t messages, std::size_t bytes,
                                      std::chrono::milliseconds wait);
  void ack(std::uint32_t run, std::span<const message_origin> finished);
  /// The consumer could not handle it: it comes again (queue), or the run reads on from it (log).
  void give_back(std::uint32_t run, const message_origin& origin);

  [[nodiscard]] broker_counts counts() const;
  [[nodiscard]] std::uint64_t left() const;
  [[nodiscard]] std::vector<delivery_record> records() const;
  [[nodiscard]] const broker_options& options() const noexcept { return options_; }

 private:
  struct publication {
    planned_delivery planned;
    std::string partition;
    std::uint64_t next = 0;  // the publication that follows in its partition
    bool delivered = false;
    bool ack_lost = false;
    bool settled = false;
  };
  struct flight {
    std::uint64_t publication = 0;
    std::chrono::steady_clock::time_point since;
  };
  using lock = std::unique_lock<std::mutex>;

  void publish(std::vector<planned_delivery> plan);
  std::uint32_t begin_run(const std::map<std::string, std::int64_t>& from);
  void make_visible();
  void return_all();
  void settle(std::uint64_t publication);
  [[nodiscard]] bool ended() const;
  [[nodiscard]] std::size_t in_flight() const;
  [[nodiscard]] message_ptr deliver(std::uint64_t publication);

  const broker_options options_;
  const std::span<const scenario_message> workload_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<publication> publications_;
  std::set<std::uint64_t> ready_;           // by publication: what comes back keeps its place
  std::map<std::int64_t, flight> flights_;  // by delivery tag (queue) or position (log)
  std::multimap<std::uint64_t, std::uint64_t> hidden_;  // until so many deliveries: lost acks
  std::map<std::string, std::int64_t> acked_;           // of a log: position by partition
  std::int64_t last_tag_ = 0;
  std::uint32_t run_ = 0;
  bool open_ = false;
  broker_counts counts_;
  std::vector<delivery_record> records_;
};

}  // namespace pawl
