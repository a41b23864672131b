#pragma once

#include "protocol/result.hpp"
#include "runtime/scenario/ground_truth.hpp"
#include "runtime/scenario/in_process_broker.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pawl {

/// One applied effect, as the probe table recorded it.
struct probe_row {
  std::int64_t sequence = 0;  ///< order of commit
  std::uint32_t run = 0;      ///< the consumer instance that handled the message
  entity_ref entity;
  std::uint64_t message = 0;
};

/// A message that was set aside.
struct set_aside {
  std::uint64_t message = 0;
  entity_ref entity;
  std::string reason;  ///< of a dead letter; empty for a parked message
};

/// What a consumer left behind, for the checkers.
struct evidence {
  std::vector<probe_row> probes;  ///< by sequence
  std::vector<set_aside> dead;
  std::vector<set_aside> parked;
  std::map<entity_ref, message_version> versions;  ///< stored ones
  std::vector<delivery_record> deliveries;
};

/// Reads the probe table.
[[nodiscard]] result<std::vector<probe_row>> read_probes(store& database);
/// Adds dead letters, parked messages and entity versions of a Pawl consumer.
[[nodiscard]] status read_traces(store& database, const std::string& consumer,
                                 const ground_truth& truth, evidence& found);

}  // namespace pawl
