#pragma once

#include "runtime/config/node_config.hpp"
#include "runtime/config/section.hpp"

#include <vector>

namespace pawl {

/// The section `entities` of a node file: every declared message with its policies and effects.
/// What is wrong is reported to the section's problems.
[[nodiscard]] std::vector<declared_message> read_messages(const config_section& root);

/// The list `effects` of one message.
[[nodiscard]] std::vector<declared_effect> read_effects(const config_section& message, policy pair);

}  // namespace pawl
