#pragma once

#include "runtime/scenario/field_plan.hpp"
#include "runtime/scenario/scenario_message.hpp"
#include "runtime/scenario/seeded_random.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl {

/// The last version given to each entity, by entity type and number: versions are one sequence per
/// entity, whatever the message type.
using version_counters = std::map<std::pair<std::string, std::uint64_t>, std::int64_t>;

/// Makes the messages of one workload and one declared message type, each a function of the seed
/// and what came before. Ids are unique, versions of an entity rise with generation from 1.
class message_generator {
 public:
  /// `random` and `versions` are shared by the generators of a scenario and outlive this one.
  message_generator(const workload_config& workload, const declared_message& declared,
                    std::vector<planned_field> fields, seeded_random& random,
                    version_counters& versions);

  /// The next message; `number` is its place in the whole workload.
  [[nodiscard]] scenario_message make(std::uint64_t number);

 private:
  [[nodiscard]] std::uint64_t pick_entity();
  [[nodiscard]] value make_value(const planned_field& field, std::uint64_t entity,
                                 std::int64_t version, std::uint64_t number);
  [[nodiscard]] value make_plain(const planned_field& field);

  const workload_config& workload_;
  const message_contract& contract_;
  std::vector<planned_field> fields_;
  seeded_random& random_;
  version_counters& versions_;
  std::optional<zipf_ranks> zipf_;
  bool repeats_ = false;  // the key has a `[*]`: a message addresses several entities
};

}  // namespace pawl
