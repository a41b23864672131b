#pragma once

#include "runtime/config/environment.hpp"
#include "runtime/config/position.hpp"
#include "runtime/config/problem.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pawl {

/// What is checked in a file's text before YAML sees it: size, UTF-8, control characters, tabs in
/// the indentation. False if it can't be parsed.
[[nodiscard]] bool check_yaml_text(const std::string& file, std::string_view text,
                                   config_problems& problems);

/// Finds the last unquoted `${` or `name[` inside `{...}` or `[...]` up to line `line_max`: YAML
/// takes their brackets for its own, and its message then says nothing useful.
[[nodiscard]] std::optional<config_problem> find_flow_pitfall(const std::string& file,
                                                              std::string_view text, int line_max);

/// Replaces `${NAME}` in a scalar; nothing if that failed, which has been reported then.
[[nodiscard]] std::optional<std::string> expand_environment(const file_position& where,
                                                            std::string_view written,
                                                            const environment_lookup& environment,
                                                            config_problems& problems);

}  // namespace pawl
