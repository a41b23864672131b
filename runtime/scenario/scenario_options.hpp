#pragma once

#include "runtime/config/option.hpp"

namespace pawl {

/// Every option of a scenario file.
[[nodiscard]] option_table scenario_options();

}  // namespace pawl
