#pragma once

#include "runtime/config/option.hpp"

#include <string>

namespace pawl {

/// Every option of a node file.
[[nodiscard]] option_table node_options();

/// The text of docs/config.md: how a node file is written, and the reference of its options.
[[nodiscard]] std::string node_reference();

}  // namespace pawl
