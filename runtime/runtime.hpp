#pragma once

// Start here. A program that embeds Pawl makes a `runtime_config` (by hand, or from a node file
// with `configure` in runtime/node.hpp), starts the runtime, and waits for it or drains it.
// Handlers in C++ are registered with `make_handler` (runtime/handlers.hpp).

#include "actors/alarms.hpp"
#include "actors/counts.hpp"
#include "actors/handler.hpp"
#include "actors/source.hpp"
#include "protocol/shape_registry.hpp"
#include "storage/runner.hpp"
#include "storage/store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pawl {

/// A source with what the runtime is told about it.
struct runtime_source {
  std::unique_ptr<source> from;
  std::vector<std::string> ignore_types;  ///< acknowledged and counted, never handled
  std::string type_path = "$.type";       ///< where a message without a header `type` says its type
};

/// Everything a runtime needs. Defaults are those of a node file.
struct runtime_config {
  std::string consumer;
  std::string node_name = "node";
  std::shared_ptr<store> database;
  std::shared_ptr<const catalog> tables;
  std::shared_ptr<shape_registry> shapes;  ///< none: one is made
  std::vector<handler_registration> handlers;
  std::vector<runtime_source> sources;

  std::uint32_t shards = 64;     ///< 1 to 4096; fixed at the consumer's first start
  std::uint32_t committers = 0;  ///< 0: two on a store with parallel commits, else one
  int attempts = 5;              ///< of one message, then it is a dead letter; from 1
  std::chrono::milliseconds backoff{100};
  std::chrono::milliseconds backoff_max{10'000};
  std::size_t credit_messages = 50'000;
  std::size_t credit_bytes = 64U << 20U;
  std::size_t batch_messages = 1024;  ///< most messages in one commit
  std::uint32_t handlers_spare = 8;   ///< threads of the pool beyond the cores
  std::chrono::milliseconds lease{15'000};
  std::chrono::milliseconds passivate{60'000};
  std::chrono::milliseconds ledger_window{std::chrono::hours(24 * 7)};

  alarm_board::hook on_alarm;  ///< see `alarm_board`
  fault_hook at_fault_point;   ///< scenarios and crash tests only; called on committer and intake
                               ///< threads
};

/// Why a runtime came to its end by itself.
struct runtime_end {
  bool lost_leases = false;  ///< another process of the same node name took over: this one must
                             ///< exit
  std::string text;          ///< for a person; empty if nothing is wrong
};

/// One node: sources, shards, entities, committers, over one store. Made, waited for and ended by
/// one thread of the embedding program; the counts and alarms may be read from any.
class runtime {
 public:
  /// Migrated store required. Registers the node, takes the leases, starts the sources. `refused`
  /// with a text for a person.
  [[nodiscard]] static result<std::unique_ptr<runtime>> start(runtime_config config);

  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /// As `abandon`, unless it was drained.
  ~runtime();

  /// Waits until every source has ended, all it delivered is finished and its position stored, and
  /// nothing in the store is on its way by itself (parked messages that may go on, dead letters
  /// that a person marked); false if that was not so within the time, or the runtime ended
  /// (`ended`) before.
  bool wait_finished(std::chrono::milliseconds at_most);
  /// Something is wrong for good (a lost lease, a source that can't go on); the owner should stop
  /// and say it.
  [[nodiscard]] runtime_end ended() const;

  /// Stops intake, finishes what is in flight, stores positions, gives the leases back. False if
  /// something was unfinished after the time: then it will be redelivered. The runtime is over
  /// afterwards. Returns only when no handler runs any more, since none can be ended from outside;
  /// so do `abandon` and the destructor.
  bool drain(std::chrono::milliseconds at_most);

  /// Ends everything at once, as a crash would: what is not committed is lost, nothing is
  /// acknowledged, stored or given back.
  void abandon();

  [[nodiscard]] counts count() const;
  [[nodiscard]] std::vector<alarm> alarms() const;

 private:
  struct impl;
  explicit runtime(std::unique_ptr<impl> inside);
  std::unique_ptr<impl> impl_;
};

}  // namespace pawl
