#pragma once

#include "actors/entity_logic.hpp"
#include "actors/shard_lanes.hpp"
#include "protocol/catalog.hpp"
#include "protocol/contract.hpp"
#include "tests/unit/actors_fake_store.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pawl::actors_test {

/// The declared message types of the tests, all of entity type `e`.
struct contracts {
  message_contract ledger;       ///< a dead letter parks
  message_contract ledger_skip;  ///< a dead letter is passed by
  message_contract stateful;     ///< ledger, reads state
  message_contract sequence;
  message_contract sequence_skip;
  message_contract latest;
  message_contract natural;
  contracts();
};
[[nodiscard]] const contracts& declared();

/// `content` is what the message says, below 2^48.
[[nodiscard]] addressed_ptr addressed(const message_contract& contract, const std::string& entity,
                                      const std::string& id,
                                      std::optional<std::int64_t> version = std::nullopt,
                                      std::uint64_t content = 1);

/// Throws as often as it is told; a stateful message appends its id to the state.
class planned_handler final : public handler {
 public:
  explicit planned_handler(std::map<std::string, int>& throws) : throws_(&throws) {}
  void handle(const addressed_message& message, const std::optional<std::string>& state,
              effect_list& out) const override;

 private:
  std::map<std::string, int>* throws_;
};

/// A shard with its workers and its committer, one event at a time: the real `shard_lanes` and
/// `entity_logic` over a store in memory. What an actor would send is an event that waits to be
/// chosen.
class world {
 public:
  explicit world(shard_settings given = default_settings());
  [[nodiscard]] static shard_settings default_settings();

  /// A delivery that addresses these pairs, in one call with `with` others if given by
  /// `deliver_all`.
  std::size_t deliver(const std::vector<addressed_ptr>& pairs);
  std::size_t deliver(const addressed_ptr& pair) { return deliver(std::vector{pair}); }
  /// Each pair is a delivery of its own; they reach the shard together.
  void deliver_together(const std::vector<addressed_ptr>& pairs);

  /// Lets the event of that index happen; false if it must wait for another.
  bool happen(std::size_t index);
  /// Until nothing waits. Fails the test if that takes for ever.
  void run();
  /// Like `run`, but backoffs don't end.
  void run_without_time();
  /// One round of the janitor: marks and undrained entities.
  void sweep();
  /// Everything in memory is gone; the store stays. Answers what was not acknowledged.
  std::vector<std::size_t> crash();
  void mark(const std::string& id, dead_letter_mark mark);

  [[nodiscard]] bool acked(std::size_t delivery) const { return acks_[delivery] == 1; }
  [[nodiscard]] std::string applied(const std::string& entity) const;
  [[nodiscard]] counts counted() const { return counters_.read(); }
  [[nodiscard]] const entity_row& row(const std::string& entity) {
    return store.rows[{"e", entity}];
  }
  [[nodiscard]] std::set<std::string> alarms() const;

  struct event {
    enum class what : std::uint8_t { work, note, commit, answer, wake, fetched, fetched_dead };
    what kind = what::work;
    entity_ref entity;
    std::uint64_t flight = 0;
    flight_ptr work_to_do;
    flight_note told;
    commit_part part;
    part_answer answered;
    std::int64_t due_ms = 0;
    shard_output::fetch wanted;
    shard_output::fetch_dead wanted_dead;
  };

  fake_store store;
  std::map<std::string, int> throws;  ///< by id: how often the handler will still throw
  /// Says instead of the store what becomes of a part; nothing: the store decides.
  std::function<std::optional<part_answer>(const commit_part&)> interfere;
  std::vector<event> waiting;
  std::int64_t now_ms = 0;
  std::size_t fetch_max = 256;
  std::vector<std::size_t> flight_sizes;  ///< of all flights so far
  std::size_t ended_workers = 0;
  bool lost = false;
  std::unique_ptr<shard_lanes> lanes;
  std::vector<std::vector<addressed_ptr>> deliveries;

 private:
  std::vector<task_ptr> make_tasks(const std::vector<addressed_ptr>& pairs, std::size_t& number);
  void act(shard_output& out);
  void work(event& one);
  void commit(event& one);
  [[nodiscard]] task_ptr stored_task(const fake_store::kept& row, stored_ref::table from) const;

  shard_settings settings_;
  counters counters_;
  alarm_board alarms_;
  catalog tables_;
  shape_registry shapes_;
  handler_table handlers_;
  std::map<entity_ref, entity_logic> workers_;
  std::map<entity_ref, std::uint64_t> flying_;
  std::vector<int> acks_;
};

}  // namespace pawl::actors_test
