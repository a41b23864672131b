#pragma once

#include <functional>
#include <optional>
#include <string>

namespace pawl {

/// Where `${NAME}` in a configuration file is looked up; nothing if there is no such variable.
using environment_lookup = std::function<std::optional<std::string>(const std::string& name)>;

/// The variables of this process.
[[nodiscard]] environment_lookup process_environment();

}  // namespace pawl
