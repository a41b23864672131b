#pragma once

#include "runtime/config/environment.hpp"
#include "runtime/config/node_config.hpp"
#include "runtime/config/problem.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// A node file as far as it could be read. `config` is there only if there are no problems.
struct node_file {
  std::optional<node_config> config;
  std::vector<config_problem> problems;  ///< by place in the file
};

/// Reads a node file without touching its database. Paths in it are relative to the file's folder.
[[nodiscard]] node_file read_node_file(const std::string& file,
                                       const environment_lookup& environment);

/// The same for a text in memory that calls itself `file`.
[[nodiscard]] node_file parse_node_file(const std::string& file, std::string_view text,
                                        const environment_lookup& environment);

}  // namespace pawl
