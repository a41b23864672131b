#pragma once

#include "protocol/shape_registry.hpp"
#include "runtime/config/environment.hpp"
#include "runtime/config/node_config.hpp"
#include "runtime/config/problem.hpp"
#include "runtime/runtime.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// A node file whose database has been opened.
struct opened_node {
  node_config config;
  std::shared_ptr<store> database;
};

/// What became of reading a node file: a value, or problems in the file, or an error of the
/// database.
template <class T>
struct node_attempt {
  std::optional<T> value;
  std::vector<config_problem> problems;
  std::optional<error> failure;
};

/// Reads the file and opens its store; the database is not touched yet. A node without a name gets
/// the host's.
[[nodiscard]] node_attempt<opened_node> open_node(const std::string& file,
                                                  const environment_lookup& environment);

/// Refused if Pawl's tables are not those that this program needs; the text says what to do.
[[nodiscard]] status require_schema(const opened_node& node);

/// The numbers and names of a node file; store, handlers and sources are still to come.
[[nodiscard]] runtime_config runtime_options(const node_config& config);

/// Reads the catalog and binds the declared handlers; migrates before if the file says `migrate:
/// auto`, else the schema must be the one that this program needs. A SQLite file that is not there
/// is a problem: it would have none of the user's tables. Sources are made too, unless
/// `with_sources` is false.
[[nodiscard]] node_attempt<runtime_config> configure(const opened_node& node, bool once,
                                                     bool with_sources = true);

}  // namespace pawl
