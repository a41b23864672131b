#pragma once

#include "actors/alarms.hpp"
#include "actors/counts.hpp"
#include "actors/lane.hpp"
#include "actors/retry.hpp"
#include "actors/seen_keys.hpp"
#include "storage/batch.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace pawl {

struct shard_settings {
  retry_policy retry;
  std::size_t flight_tasks_max = 1024;  ///< most messages of one entity in one commit
  std::size_t seen_keys = 4096;
  std::int64_t passivate_ms = 60'000;
  std::size_t idle_lanes_max = 8192;  ///< past it idle entities are passivated at once
};

/// What a shard has to do after an event; the actor does it, in this order.
struct shard_output {
  struct dispatch {
    entity_ref entity;
    bool new_worker = false;
    flight_ptr work;
  };
  struct wake {
    entity_ref entity;
    std::uint64_t flight = 0;
    std::int64_t after_ms = 0;
  };
  struct fetch {
    entity_ref entity;
    park_reason why = park_reason::behind_dead;
  };
  struct fetch_dead {
    entity_ref entity;
    std::int64_t id = 0;
    dead_letter_mark mark = dead_letter_mark::none;
  };

  std::vector<entity_ref> ended_workers;
  std::vector<dispatch> dispatches;
  std::vector<wake> wakes;
  std::vector<fetch> fetches;
  std::vector<fetch_dead> dead_fetches;
  std::vector<delivery_ptr> finished;  ///< deliveries whose last pair is finished: acknowledge
  bool lost = false;  ///< the shard's lease is gone: nothing of it will ever commit here
};

/// All lanes of one shard and every decision about them: order, duplicates, retry, dead letters,
/// parking, redrive, passivation. Plain class: time comes in as milliseconds of any steady clock.
/// Owned by one shard actor.
class shard_lanes {
 public:
  shard_lanes(shard_settings settings, counters& counted, alarm_board& alarms);

  /// New messages, in order of receipt.
  void accept(const std::vector<task_ptr>& tasks, std::int64_t now_ms, shard_output& out);
  /// From a worker, before its part is sent to the committer.
  void note(const entity_ref& entity, const flight_note& note, shard_output& out);
  /// From the committer: what became of a flight's part.
  void settle(const entity_ref& entity, std::uint64_t flight, const part_answer& answer,
              std::int64_t now_ms, shard_output& out);
  /// A backoff is over.
  void wake(const entity_ref& entity, std::uint64_t flight, shard_output& out);

  /// A person marked a dead letter: its entity's lane reads it as soon as nothing is in flight.
  void redrive(const entity_ref& entity, std::int64_t id, dead_letter_mark mark,
               std::int64_t now_ms, shard_output& out);
  /// Messages that a crash left parked may go on.
  void drain(const entity_ref& entity, park_reason why, std::int64_t now_ms, shard_output& out);
  /// What was fetched: at most one dead letter, or parked messages in order. `last`: there are no
  /// more behind them.
  void fetched(const entity_ref& entity, park_reason why, std::vector<task_ptr> tasks, bool last,
               shard_output& out);
  void fetched_dead(const entity_ref& entity, task_ptr one, shard_output& out);
  /// The dead letter that was fetched is decodable by now, and the caller sends its pairs to their
  /// shards if this is true. Until `handled_elsewhere` no other one of its entity is redriven.
  [[nodiscard]] bool hand_over(const entity_ref& entity, shard_output& out);
  /// Its pairs are finished: it is given up.
  void handled_elsewhere(const entity_ref& entity, std::int64_t id, std::int64_t now_ms,
                         shard_output& out);

  /// Ends the workers of entities that have been idle for long.
  void passivate(std::int64_t now_ms, shard_output& out);

  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }
  [[nodiscard]] std::size_t tasks() const { return tasks_; }

 private:
  lane& open_lane(const entity_ref& entity, std::int64_t now_ms);
  /// Under `version` an id is not looked at, so two versions of one id are two messages.
  [[nodiscard]] static bool says_the_same(const addressed_message& left,
                                          const addressed_message& right);
  [[nodiscard]] lane* find(const entity_ref& entity);
  /// True if the task needs no lane: its outcome is known, or a twin carries its delivery.
  bool absorb(const task_ptr& one, shard_output& out);
  void go(const entity_ref& entity, lane& at, shard_output& out);
  /// True if stored messages are to be read before anything else goes.
  bool fetch(const entity_ref& entity, lane& at, shard_output& out);
  void finish(const entity_ref& entity, lane& at, task& done, outcome what, shard_output& out);
  /// Enters a task that was read; a live one that says the same waits for its outcome from now on.
  void join_twin(lane& at, task& stored);
  void finish_stored(const entity_ref& entity, lane& at, const task& done, bool holds);
  void release(const task& done, outcome what, shard_output& out);
  void failed(const entity_ref& entity, lane& at, const error& why, shard_output& out);
  void back_off(const entity_ref& entity, lane& at, int times, shard_output& out);
  void forget_twin(const task& one);
  static void close_gap(lane& at);
  void forget_stored(lane& at);

  struct pending_redrive {
    std::int64_t id = 0;
    dead_letter_mark mark = dead_letter_mark::none;
  };

  shard_settings settings_;
  counters* counters_;
  alarm_board* alarms_;
  std::unordered_map<entity_ref, lane> lanes_;
  std::unordered_map<ledger_key, task*> twins_;  ///< undone and flying tasks by key
  std::unordered_map<entity_ref, pending_redrive> redrives_;
  seen_keys seen_;
  std::size_t tasks_ = 0;
};

}  // namespace pawl
