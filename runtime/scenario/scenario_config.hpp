#pragma once

#include "protocol/value.hpp"
#include "runtime/config/position.hpp"
#include "storage/runner.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// How often each entity is drawn: all alike, or by Zipf's law (entity 1 is the hottest).
enum class entity_skew : std::uint8_t { uniform, zipf };
/// A queue acknowledges each delivery by itself; a log keeps order per partition and positions.
enum class broker_kind : std::uint8_t { queue, log };

[[nodiscard]] constexpr std::string_view name_of(broker_kind which) {
  return which == broker_kind::log ? "log" : "queue";
}

/// What a person says of one generated field: a range of integers, or a choice.
struct field_hint {
  std::optional<std::int64_t> low;
  std::optional<std::int64_t> high;
  std::vector<value> choices;
};

/// One workload: generated messages of a type, or the lines of a file.
struct workload_config {
  std::string type;  ///< of generated messages; empty for a file
  std::uint64_t count = 0;
  std::uint64_t entities = 1;
  entity_skew skew = entity_skew::uniform;
  std::map<std::string, field_hint> fields;  ///< by path, as written
  std::filesystem::path file;                ///< NDJSON; empty for generated messages
  file_position where;
};

struct crash_config {
  fault_point at = fault_point::after_commit_before_ack;
  std::uint64_t every = 0;  ///< in finished deliveries, from 1
};

/// Shares are 0 to 1.
struct fault_config {
  double duplicate = 0;                ///< of the messages: published twice
  double reorder_share = 0;            ///< of the messages: published late
  std::uint64_t reorder_distance = 0;  ///< by up to so many messages
  double lost_ack = 0;                 ///< of the deliveries: the acknowledgement gets lost
  double worker_throws = 0;            ///< of the handler's attempts
  std::optional<crash_config> crash;
};

enum class expectation_kind : std::uint8_t { effects_once, order_per_entity, nothing_lost, query };

struct expectation_config {
  expectation_kind kind = expectation_kind::effects_once;
  std::string query;   ///< of `query`: one row, one column
  std::string equals;  ///< of `query`: a number, or an expression over the generated messages
  std::string type;    ///< of `query`: only messages of this type are counted; empty: all
  file_position where;
};

/// A scenario file, read and checked as far as that goes without its node file. Paths are resolved
/// against the file's directory.
struct scenario_config {
  std::filesystem::path file;
  std::string name;
  std::uint64_t seed = 1;
  std::filesystem::path node;
  std::filesystem::path setup;        ///< SQL script; empty: none
  std::optional<broker_kind> broker;  ///< nothing: the kind of the declared source
  std::vector<workload_config> workloads;
  fault_config faults;
  std::vector<expectation_config> expectations;
  bool compare_naive = false;
  file_position where;
};

}  // namespace pawl
