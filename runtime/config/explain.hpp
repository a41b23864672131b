#pragma once

#include "protocol/catalog.hpp"
#include "protocol/shape_registry.hpp"
#include "runtime/config/bind.hpp"
#include "runtime/config/check_report.hpp"
#include "runtime/config/node_config.hpp"

#include <string>

namespace pawl {

/// Decodes one message and runs its handlers, but commits nothing.
[[nodiscard]] explained_message explain_message(const node_config& config,
                                                const std::vector<handler_registration>& handlers,
                                                const catalog& tables, shape_registry& shapes,
                                                const message_ptr& received);

/// An effect as a line that looks like SQL, for a person.
[[nodiscard]] std::string to_text(const effect& shown);

}  // namespace pawl
