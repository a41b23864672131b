#pragma once

#include "runtime/config/environment.hpp"
#include "runtime/config/problem.hpp"
#include "runtime/config/yaml_node.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pawl {

/// Parses one strict YAML document: the part of YAML that has one reading. Refused, each with its
/// place: duplicate keys, anchors, aliases, tags, a second document, control characters, tabs in
/// the indentation, invalid UTF-8, more than `limits::config_bytes_max` bytes or
/// `limits::config_depth_max` levels. Problems that leave the rest readable are collected and the
/// tree is given all the same; nothing is given where the syntax is broken. `${NAME}` in a value
/// takes from `environment`; `$${` stands for `${`.
/// Total: any bytes give a tree or a problem. `file` is the name for the positions.
[[nodiscard]] std::optional<yaml_node> parse_yaml(const std::string& file, std::string_view text,
                                                  const environment_lookup& environment,
                                                  config_problems& problems);

/// Reads and parses a file; a file that can't be read is a problem too.
[[nodiscard]] std::optional<yaml_node> parse_yaml_file(const std::string& file,
                                                       const environment_lookup& environment,
                                                       config_problems& problems);

}  // namespace pawl
