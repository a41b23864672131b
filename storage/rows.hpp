#pragma once

#include "protocol/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl {

/// Milliseconds since 1970 of the store's clock; nobody else's clock is written to it.
using store_time_ms = std::int64_t;

/// The row of one entity. Only the owner of its shard writes it, one revision after the other.
/// `revision` 0: there is no row, and all else is empty.
struct entity_row {
  entity_revision revision;
  std::optional<message_version> version;
  fingerprint version_content;  ///< of the message that moved the version
  bool blocked = false;  ///< a dead letter holds the entity's later messages (`on_dead: park`)
  std::optional<std::string> state;
};

/// An entity as it is loaded: its row and what waits for it.
struct loaded_entity {
  entity_row row;
  std::optional<message_version> lowest_gap;  ///< lowest version parked behind a gap
  bool parked_behind = false;                 ///< something is parked behind a dead letter
};

enum class park_reason : std::uint8_t { behind_dead, gap };

[[nodiscard]] constexpr std::string_view name_of(park_reason why) {
  return why == park_reason::gap ? "gap" : "behind_dead";
}

/// A message that waits in the store. Unique by (consumer, key).
struct parked_row {
  ledger_key key;
  entity_ref entity;
  shard_id shard;
  parked_sequence sequence;  ///< given by the store: order of parking within the consumer
  park_reason why = park_reason::behind_dead;
  std::optional<message_version> version;
  fingerprint content;
  std::string envelope;
};

/// What a person asked to be done with a dead letter; the shard's owner does it.
enum class dead_letter_mark : std::uint8_t { none, retry, discard };

/// A message set aside. Unique by (consumer, key, fingerprint).
struct dead_letter_row {
  ledger_key key;
  entity_ref entity;
  shard_id shard;
  fingerprint content;
  std::string reason;  ///< `handler`, `store`, `undecodable`, `conflict`: one word
  std::string text;    ///< the error, for a person
  int attempts = 0;
  bool blocks = false;  ///< the entity's later messages are parked behind this one
  std::optional<message_version> version;
  std::string envelope;
  dead_letter_mark mark = dead_letter_mark::none;
  std::int64_t count = 1;  ///< how often a conflict with this content came
  store_time_ms since = 0;
  std::int64_t id = 0;  ///< given by the store; what the command line calls it by
};

/// Where a pair that is being redriven was read from: the row is deleted in the commit that settles
/// it, and not being there any more means that somebody else did.
struct stored_ref {
  enum class table : std::uint8_t { parked, dead_letter };
  table from = table::parked;
  ledger_key key;
  fingerprint content;
};

/// What a store remembers of a ledger key.
struct guard_trace {
  enum class place : std::uint8_t { ledger, dead_letter, parked };
  place where = place::ledger;
  fingerprint content;
};

}  // namespace pawl
