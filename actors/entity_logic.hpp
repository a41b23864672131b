#pragma once

#include "actors/handler.hpp"
#include "actors/task.hpp"
#include "protocol/shape_registry.hpp"
#include "storage/batch.hpp"
#include "storage/commit_session.hpp"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pawl {

/// The handlers by contract. Built once at start, then read by all workers.
class handler_table {
 public:
  void enter(const message_contract* contract, std::shared_ptr<const handler> run) {
    handlers_.emplace(contract, std::move(run));
  }
  /// Null for a contract that has none (undecodable messages).
  [[nodiscard]] const handler* find(const message_contract* contract) const {
    const auto found = handlers_.find(contract);
    return found == handlers_.end() ? nullptr : found->second.get();
  }

 private:
  std::unordered_map<const message_contract*, std::shared_ptr<const handler>> handlers_;
};

/// What workers share. Outlives them.
struct entity_surroundings {
  const handler_table* handlers = nullptr;
  const catalog* tables = nullptr;
  shape_registry* shapes = nullptr;
};

/// One entity's row and every decision about its messages: version order, gaps, what a dead letter
/// holds, state. Turns a flight into a part for the committer. Plain class, owned by one worker;
/// what it remembers of the row is what its last part makes of it, and the shard says so if that
/// part did not commit.
class entity_logic {
 public:
  entity_logic(entity_ref entity, shard_id shard, lease_epoch epoch, entity_surroundings around);

  /// True if the row, or ledger look-ups, must be read before `build`.
  [[nodiscard]] bool needs_load(const flight& work) const;
  [[nodiscard]] entity_query query(const flight& work) const;
  void loaded(const flight& work, const entity_answer& answer);

  struct built {
    commit_part part;  ///< of the tasks before the one that failed
    flight_note note;
  };
  /// Never throws: a handler's exception ends the part there and is told in the note. A handler
  /// that throws leaves no trace in what is remembered of the row.
  [[nodiscard]] built build(const flight& work);

 private:
  commit_item decide(const task& one);
  void decide_version(const task& one, commit_item& item);
  void handle(const task& one, commit_item& item);
  void set_aside(const task& one, commit_item& item);
  void give_up(const task& one, commit_item& item);
  void park(const task& one, park_reason why, commit_item& item);
  void change(commit_item& item);

  entity_ref entity_;
  shard_id shard_;
  lease_epoch epoch_;
  entity_surroundings around_;
  bool known_ = false;
  entity_row row_;
  std::optional<message_version> lowest_gap_;
  bool parked_behind_ = false;
  std::unordered_map<ledger_key, guard_trace> done_before_;  ///< of this flight, for handlers that
                                                             ///< read state
};

}  // namespace pawl
