#pragma once

#include "storage/commit_session.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pawl {

/// A partition's stored position. `position` is the frontier: everything below it is finished. A
/// file's belongs to its path (the source's partition) and the hash of its first line (`identity`).
struct source_position {
  std::string source;
  std::string partition;
  std::int64_t position = 0;
  std::string identity;
};

enum class generation_state : std::uint8_t { current, frozen, retired, empty };

[[nodiscard]] constexpr std::string_view name_of(generation_state which) {
  constexpr std::string_view names[] = {"current", "frozen", "retired", "empty"};
  return names[static_cast<std::size_t>(which)];
}

/// One table of the ledger's ring. Clock values are of the consumer's running clock, in
/// milliseconds.
struct ledger_generation {
  int slot = 0;             ///< which table of the ring
  std::int64_t number = 0;  ///< rises with every rotation; 0: never used
  generation_state state = generation_state::empty;
  std::int64_t opened_ms = 0;
  std::int64_t closed_ms = 0;
  std::int64_t rows = 0;  ///< an estimate where counting is dear
  bool positions_known = false;
  std::vector<source_position> highest;  ///< highest positions delivered when it was closed
};

struct ledger_status {
  std::int64_t clock_ms = 0;  ///< the running clock: downtime does not age it (commit.md section 5)
  std::vector<ledger_generation> ring;
};

/// A dead letter that a person marked, for the owner of its shard.
struct marked_dead_letter {
  std::int64_t id = 0;
  entity_ref entity;
  shard_id shard;
  dead_letter_mark mark = dead_letter_mark::none;
};

/// An entity whose parked messages may go on though nothing in memory knows it (after a crash):
/// those behind a dead letter that is gone, or behind a gap whose predecessor has come.
struct undrained_entity {
  entity_ref entity;
  shard_id shard;
  park_reason why = park_reason::behind_dead;
};

/// The janitor's connection: ledger generations, running clock, source positions, marks. Used by
/// one thread. Decisions (when to rotate, what may go) are not made here but in
/// actors/retention.hpp.
class janitor_session {
 public:
  virtual ~janitor_session() = default;

  virtual result<ledger_status> ledger() = 0;
  /// Adds running time; answers the clock.
  virtual result<std::int64_t> advance_clock(std::int64_t elapsed_ms) = 0;
  /// Freezes the current generation and opens the next empty slot, behind every node's exclusive
  /// fence. `refused` if no slot is empty.
  virtual status rotate() = 0;
  /// Records, after a rotation, the highest positions delivered so far: what the closed generation
  /// can hold.
  virtual status record_highest(std::int64_t generation,
                                std::span<const source_position> highest) = 0;
  /// Commits stop reading the generation, behind every node's exclusive fence.
  virtual status retire(std::int64_t generation) = 0;
  /// Empties a retired generation under a short lock time-out; `contended`: try again.
  virtual status truncate(std::int64_t generation) = 0;

  virtual result<std::vector<source_position>> positions() = 0;
  /// Only upwards; another `identity` replaces the row.
  virtual status save_positions(std::span<const source_position> positions) = 0;
  /// Marks that wait for an owner, `limit` at most.
  virtual result<std::vector<marked_dead_letter>> marked(std::size_t limit) = 0;
  /// Entities that are blocked though no dead letter blocks them, and entities that have a message
  /// parked behind a gap at their version + 1 or below; `limit` at most.
  virtual result<std::vector<undrained_entity>> undrained(std::size_t limit) = 0;
};

}  // namespace pawl
