#pragma once

#include "storage/admin_session.hpp"
#include "storage/memory_layers.hpp"
#include "storage/memory_table.hpp"

#include <array>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace pawl {

struct memory_ledger_record {
  fingerprint content;
  std::int64_t generation = 0;
};

/// Whose rows a look-up sees: those of the open transaction, or the committed ones.
enum class sight : std::uint8_t { transaction, committed };

struct memory_entity {
  entity_row row;
  shard_id shard;
};

struct memory_node {
  node_number number;
  std::int64_t incarnation = 0;
  store_time_ms expires = 0;
  std::int64_t lease_ms = 0;
};

struct memory_lease {
  node_number owner;
  lease_epoch epoch;
};

/// Everything of one consumer. The layered maps change in commits; the rest changes in short steps
/// of its own.
struct memory_consumer {
  using parked_place = std::tuple<entity_ref, park_reason, std::int64_t, ledger_key>;

  consumer_number number;
  std::string name;

  layered_map<entity_ref, memory_entity> entities;
  layered_map<ledger_key, memory_ledger_record> ledger;
  layered_map<ledger_key, parked_row> parked;
  /// Parked rows of an entity: `behind_dead` by sequence, those of a gap by version.
  layered_map<parked_place, bool> parked_order;
  layered_map<ledger_key, std::vector<dead_letter_row>> dead_letters;
  layered_map<std::pair<std::int32_t, std::uint32_t>, std::int64_t> tokens;

  std::vector<memory_lease> leases;  ///< by shard
  std::map<std::string, memory_node> nodes;
  std::array<ledger_generation, 8> ring;
  std::int64_t clock_ms = 0;
  std::map<std::pair<std::string, std::string>, source_position> positions;
  std::int64_t parked_sequence = 0;
  std::int64_t dead_letter_id = 0;

  [[nodiscard]] std::vector<layered*> layers();
  [[nodiscard]] ledger_generation* generation(std::int64_t of_number);
  [[nodiscard]] std::int64_t current_generation() const;
  /// What a commit sees of a key: nothing of retired generations, nothing of `conflict` dead
  /// letters.
  [[nodiscard]] std::optional<guard_trace> trace(const ledger_key& key, bool in_ledger, sight seen);
  [[nodiscard]] loaded_entity load(const entity_ref& entity) const;
  [[nodiscard]] std::vector<parked_row> parked_of(const entity_ref& entity, park_reason why,
                                                  std::size_t limit) const;
};

/// What survives when sessions die: the committed rows of the memory store. Thread-safe through
/// `mutex`, which is held for one step at a time; the writer's slot is held for a transaction.
struct memory_disk {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<memory_consumer>> consumers;
  std::map<std::string, std::unique_ptr<memory_rows>, std::less<>> tables;

  /// Waits until no other thread has the slot; `retry` if this thread has it, since waiting would
  /// be for ever. `lock` holds `mutex`.
  status take_slot(std::unique_lock<std::mutex>& lock);
  void free_slot();

  [[nodiscard]] memory_consumer* find(const std::string& consumer);

 private:
  std::condition_variable freed_;
  bool taken_ = false;
  std::thread::id holder_;
};

}  // namespace pawl
