#pragma once

#include "protocol/message.hpp"
#include "protocol/outcome.hpp"
#include "storage/rows.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// A dead letter that could not be decoded once and can be now: its pairs are handled like those of
/// a received message, and it is given up when they are finished.
struct decoded_letter {
  entity_ref entity;  ///< the reserved one that it lies with
  shard_id shard;
  std::int64_t id = 0;
};

/// One received message on its way: its ack waits for all its (entity, message) pairs. Shared by
/// their tasks, in whichever shards they are.
struct delivery {
  message_origin origin;
  std::size_t bytes = 0;
  std::uint32_t source = 0;  ///< index of the intake that waits for it
  std::atomic<std::uint32_t> open{0};
  std::optional<decoded_letter> letter;  ///< then no intake waits for it, but this

  /// One pair is finished; true if it was the last.
  [[nodiscard]] bool finish_one() { return open.fetch_sub(1, std::memory_order_acq_rel) == 1; }
};

using delivery_ptr = std::shared_ptr<delivery>;

/// What is to be done with a task instead of handling it.
enum class task_verdict : std::uint8_t { handle, dead_letter, discard };

/// One (entity, message) pair in a lane, with everybody who waits for its outcome. Owned by its
/// shard; it stays in the lane until its outcome is durable, so a crashed worker loses nothing.
struct task {
  addressed_ptr pair;
  shard_id shard;
  std::vector<delivery_ptr> waiting;  ///< its own delivery and those of its duplicates; none if
                                      ///< redriven
  std::optional<stored_ref> stored;   ///< where it was read from, if it is being redriven
  bool held_entity = false;  ///< it is the dead letter behind which the entity's messages are
                             ///< parked
  bool behind_gap = false;   ///< it was parked behind a gap: a dead letter that came since holds it
  bool drain_more = false;   ///< the last of those fetched, and more are parked behind it
  bool unblocks = false;     ///< the last that was parked: after it the entity is free again
  task_verdict verdict = task_verdict::handle;
  std::optional<outcome> known;  ///< a guard has said so already: settle it as this
  int attempts = 0;              ///< failed ones
  std::string dead_reason;       ///< of `dead_letter`: one word
  std::string dead_text;         ///< the last error
};

using task_ptr = std::shared_ptr<task>;

/// Consecutive tasks of one entity on their way through worker and committer. Read-only for both.
struct flight {
  std::uint64_t number = 0;  ///< of its lane; answers to another number are late and mean nothing
  bool reload = false;       ///< what the worker remembers may be wrong: load first
  std::vector<std::shared_ptr<const task>> tasks;
};

using flight_ptr = std::shared_ptr<const flight>;

/// What a worker tells its shard before its part goes to the committer.
struct flight_note {
  std::uint64_t flight = 0;
  /// The handler of this task threw; those before it are on their way, those from it on are not.
  std::optional<std::size_t> failed_at;
  std::string failure;
  /// Once this flight is committed, messages parked behind a gap may go on from this version.
  std::optional<message_version> gap_closed_at;
};

}  // namespace pawl
