#pragma once

#include "runtime/config/node_config.hpp"
#include "runtime/config/problem.hpp"

#include <optional>

namespace pawl {

/// A SQLite file that is not there: opening it would make an empty one, without the user's tables.
/// Nothing if it is there, or the store is no file. The fix is a command that works as it stands if
/// the tables lie beside the database or the node file, under its name and `.sql`.
[[nodiscard]] std::optional<config_problem> missing_database(const node_config& config);

}  // namespace pawl
