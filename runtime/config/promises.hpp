#pragma once

#include "runtime/config/node_config.hpp"
#include "runtime/config/position.hpp"

#include <string>
#include <vector>

namespace pawl {

/// What one declared handler is promised, in plain words, and what its author should know.
struct handler_promise {
  std::string entity_type;
  std::string message_type;
  std::string policies;  ///< `dedupe: ledger, order: arrival`
  file_position where;
  std::vector<std::string> promised;  ///< sentences
  std::vector<std::string> warnings;  ///< sentences; none is best
};

/// One for each declared message, in the file's order.
[[nodiscard]] std::vector<handler_promise> promises_of(const node_config& config);

}  // namespace pawl
