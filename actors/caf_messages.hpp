#pragma once

#include "actors/task.hpp"
#include "storage/batch.hpp"
#include "storage/commit_session.hpp"
#include "storage/janitor_session.hpp"

#include <caf/all.hpp>

#include <memory>
#include <vector>

namespace pawl {

/// Messages between the actors of one node. All are shared pointers to data that nobody changes any
/// more; nothing here crosses a network (caf.md section 0), so none has a wire form.

/// Intake -> shard: new messages in order of receipt.
using accepted_tasks = std::vector<task_ptr>;

/// Worker -> shard, before the part goes to the committer.
struct worker_note {
  entity_ref entity;
  flight_note note;
};

/// Worker -> committer, handed over for good: the committer takes the part out of it.
struct flight_part {
  commit_part part;
  std::uint64_t flight = 0;
  caf::actor shard;
};

/// Worker -> committer: read this entity before its flight.
struct load_request {
  entity_query query;
  std::uint64_t flight = 0;
  caf::actor worker;
};

/// Committer -> worker.
struct load_answer {
  entity_answer answer;
  std::uint64_t flight = 0;
};

/// Committer -> shard: what became of its flights in one commit.
struct flight_answer {
  entity_ref entity;
  std::uint64_t flight = 0;
  part_answer answer;
};
using flight_answers = std::vector<flight_answer>;

/// Shard -> itself, later.
struct wake_lane {
  entity_ref entity;
  std::uint64_t flight = 0;
};
struct sweep_lanes {};

/// Shard -> committer, and back: parked messages of an entity in order.
struct fetch_parked {
  entity_ref entity;
  park_reason why = park_reason::behind_dead;
  caf::actor shard;
};
struct fetched_parked {
  entity_ref entity;
  park_reason why = park_reason::behind_dead;
  std::vector<parked_row> rows;
  bool last = false;
};
/// Shard -> committer, and back: one dead letter that a person marked.
struct fetch_dead_letter {
  entity_ref entity;
  std::int64_t id = 0;
  dead_letter_mark mark = dead_letter_mark::none;
  caf::actor shard;
};
struct fetched_dead_letter {
  entity_ref entity;
  dead_letter_mark mark = dead_letter_mark::none;
  std::optional<dead_letter_row> row;
};

/// Janitor -> shard.
struct redrive_request {
  entity_ref entity;
  std::int64_t id = 0;
  dead_letter_mark mark = dead_letter_mark::none;
};
struct drain_request {
  entity_ref entity;
  park_reason why = park_reason::behind_dead;
};

/// Shard -> shard: the pairs of a dead letter that was decoded anew are finished.
struct letter_handled {
  decoded_letter letter;
};

/// Committer -> itself: commit what has gathered.
struct flush_commits {};

/// Shard -> intake: these deliveries are finished.
using finished_deliveries = std::vector<delivery_ptr>;

/// Intake -> itself.
struct poll_source {};
/// Runtime -> intake: poll no more.
struct stop_intake {};

/// Intake -> janitor: frontiers to be stored; answered with `positions_stored` when they are.
struct store_positions {
  std::vector<source_position> frontiers;
  std::uint64_t number = 0;
  caf::actor intake;
};
struct positions_stored {
  std::uint64_t number = 0;
};

/// Janitor and keeper -> themselves.
struct do_rounds {};

template <class T>
using msg = std::shared_ptr<const T>;

}  // namespace pawl

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::accepted_tasks>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::worker_note>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::flight>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::shared_ptr<pawl::flight_part>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::load_request>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::load_answer>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::flight_answers>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::wake_lane>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::fetch_parked>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::fetched_parked>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::fetch_dead_letter>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::fetched_dead_letter>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::redrive_request>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::drain_request>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::letter_handled>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::finished_deliveries>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::store_positions>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::sweep_lanes)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::flush_commits)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::poll_source)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::stop_intake)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::positions_stored)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::do_rounds)
