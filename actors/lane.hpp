#pragma once

#include "actors/task.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace pawl {

/// One busy entity's undone messages, in order, and what is in flight. At most one flight at a
/// time: it ends when worker and committer have both said what became of it. Owned by its shard.
class lane {
 public:
  enum class phase : std::uint8_t {
    idle,      ///< nothing in flight
    flying,    ///< a flight is with the worker or the committer
    waiting,   ///< a backoff runs
    fetching,  ///< parked messages are being read: nothing may overtake them
  };

  void push_back(task_ptr one) { undone_.push_back(std::move(one)); }
  /// In the order given, before everything else that is undone.
  void push_front(const std::vector<task_ptr>& several) {
    undone_.insert(undone_.begin(), several.begin(), several.end());
  }
  [[nodiscard]] bool empty() const { return undone_.empty() && flying_.empty(); }
  /// What was read from the store stands before everything else.
  [[nodiscard]] bool has_stored() const {
    const bool flies = !flying_.empty() && flying_.front()->stored.has_value();
    return flies || (!undone_.empty() && undone_.front()->stored.has_value());
  }
  [[nodiscard]] std::size_t size() const { return undone_.size() + flying_.size(); }
  [[nodiscard]] const std::deque<task_ptr>& undone() const { return undone_; }
  [[nodiscard]] const std::vector<task_ptr>& flying() const { return flying_; }

  /// Starts a flight with the head, and with what follows it up to `tasks_max`. A head that has
  /// failed goes alone, so that it is known what fails; so does one that is redriven from the dead
  /// letters, whose outcome decides what follows. One that is set aside takes its successors along,
  /// unless it was parked: then those behind it stay where they are in the store.
  [[nodiscard]] flight_ptr start(std::size_t tasks_max);

  /// Takes an undone task out.
  void take_out(const task& one);
  /// Tasks from `first` on were not done: back to the head, in order.
  void put_back(std::size_t first);
  /// The tasks of the flight, whose outcomes are known; what is undone has been put back before.
  [[nodiscard]] std::vector<task_ptr> finish();
  /// Undone tasks that were read from the store are forgotten here: they are still there.
  [[nodiscard]] std::vector<task_ptr> drop_stored();

  phase now = phase::idle;
  std::uint64_t flight_number = 0;
  bool has_worker = false;
  bool reload_next = true;     ///< the next flight starts with a load
  int reloads = 0;             ///< in a row, without progress
  bool row_locked = false;     ///< the alarm of a held part is raised
  bool failure_noted = false;  ///< the worker of this flight crashed after its part
  bool redriving = false;      ///< a dead letter of this entity is on its way
  bool elsewhere = false;      ///< its messages are handled in other entities' lanes
  bool held = false;           ///< a dead letter that was made or read here holds the entity
  std::optional<message_version> gap_closed_at;  ///< told by the flight's note: true once the
                                                 ///< flight is committed
  /// Parked messages are to be read as soon as nothing is in flight and nothing that was read
  /// before is left.
  bool drain_behind = false;
  bool drain_gap = false;
  std::optional<message_version> gap_next;  ///< they go on from here; nothing: from the first, as
                                            ///< the store said
  std::int64_t active_ms = 0;

 private:
  std::deque<task_ptr> undone_;
  std::vector<task_ptr> flying_;
};

}  // namespace pawl
