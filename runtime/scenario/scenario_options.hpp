#pragma once

#include "runtime/config/option.hpp"

#include <string>

namespace pawl {

/// Every option of a scenario file.
[[nodiscard]] option_table scenario_options();

/// The text of docs/scenarios.md: how a scenario file is written, and the reference of its options.
[[nodiscard]] std::string scenario_reference();

}  // namespace pawl
