#pragma once

#include <string>

namespace pawl {

/// The service's log: one line an event, on standard error, with the time. Thread-safe. Control
/// characters in the text are shown escaped, so that a message's content can't forge lines.
void log_info(const std::string& text);
void log_warning(const std::string& text);
void log_error(const std::string& text);

}  // namespace pawl
