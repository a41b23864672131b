#pragma once

#include "storage/janitor_session.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

struct lease_row {
  shard_id shard;
  lease_epoch epoch;
  std::string node;
  std::int64_t expires_in_ms = 0;  ///< negative: expired
};

struct consumer_status {
  std::string consumer;
  std::uint32_t shards = 0;
  std::vector<lease_row> leases;
  std::vector<source_position> positions;
  std::int64_t parked_behind_dead = 0;
  std::int64_t parked_gap = 0;
  std::int64_t blocked_entities = 0;
  std::map<std::string, std::int64_t> dead_letters;  ///< by reason
};

/// Everything a store knows of one message id in one consumer: its traces for the entities that it
/// named.
struct message_traces {
  std::optional<guard_trace> ledger;
  std::int64_t ledger_generation = 0;
  std::vector<dead_letter_row> dead_letters;
  std::optional<parked_row> parked;
};

/// The command line's connection: reads, and marks in short transactions; it never does a shard's
/// work. One consumer, one thread.
class admin_session {
 public:
  virtual ~admin_session() = default;

  virtual result<consumer_status> status_of() = 0;
  virtual result<ledger_status> ledger() = 0;
  virtual result<std::vector<dead_letter_row>> dead_letters(std::size_t limit) = 0;
  virtual result<std::optional<dead_letter_row>> dead_letter(std::int64_t id) = 0;
  /// False if there is no such dead letter.
  virtual result<bool> mark(std::int64_t id, dead_letter_mark mark) = 0;
  virtual result<std::optional<loaded_entity>> entity(const entity_ref& entity) = 0;
  virtual result<std::vector<parked_row>> parked(const entity_ref& entity, std::size_t limit) = 0;
  virtual result<message_traces> trace(const ledger_key& key) = 0;
  /// Known entities of a type (a row, a dead letter or a parked message), `limit` at most.
  virtual result<std::vector<entity_ref>> entities(const std::string& type, std::size_t limit) = 0;
};

}  // namespace pawl
