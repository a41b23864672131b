#pragma once

#include "protocol/path.hpp"
#include "runtime/config/node_config.hpp"
#include "runtime/config/problem.hpp"
#include "runtime/config/yaml_node.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace pawl {

/// A path; reported at the wrong character and nothing if it is none.
[[nodiscard]] std::optional<path> read_path(const yaml_node& node, config_problems& problems);

/// A path, or a list of paths; those that are wrong are reported and left out.
[[nodiscard]] std::vector<path> read_paths(const yaml_node& node, config_problems& problems);

/// A path if the text starts with `$` or `-$`; else a constant: a plain number, `true`, `false` or
/// `null` is that, anything else and whatever is quoted is text, with one `$` for a `$$` in front.
[[nodiscard]] std::optional<value_expression> read_expression(const yaml_node& node,
                                                              config_problems& problems);

}  // namespace pawl
