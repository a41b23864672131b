#pragma once

#include "actors/handler.hpp"
#include "protocol/catalog.hpp"
#include "protocol/shape_registry.hpp"
#include "runtime/config/node_config.hpp"
#include "runtime/config/problem.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// The database as it is now.
struct bind_input {
  const catalog* tables = nullptr;        ///< outlives the handlers
  shape_registry* shapes = nullptr;       ///< outlives the handlers
  std::vector<std::string> known_tables;  ///< all of the user's, for the nearest name
  std::string_view store_kind;            ///< `store::kind`
};

/// Handlers of every declared message, in the file's order; none if there are problems.
struct bound_handlers {
  std::vector<handler_registration> handlers;
  std::vector<config_problem> problems;
};

/// The tables that the effects name, each once: what `store::read_catalog` is to read.
[[nodiscard]] std::vector<std::string> tables_of(const node_config& config);

/// Binds the declared effects to the tables: whatever can't keep its promise there is a problem now
/// and not at three in the morning. Fills in each contract's `fields`: the paths that its effects
/// read.
[[nodiscard]] bound_handlers bind_handlers(const node_config& config, const bind_input& input);

}  // namespace pawl
