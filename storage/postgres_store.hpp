#pragma once

#include "storage/store.hpp"

#include <memory>
#include <string>

namespace pawl {

/// A PostgreSQL database (13 or newer) by URL or libpq connection string. Connects once to see that
/// it can: `refused` for an address that can't be read or a server that is too old, `retry` if
/// there is none. Passwords never appear in an error's text. Direct or session-pooled connections
/// only.
[[nodiscard]] result<std::unique_ptr<store>> open_postgres_store(const std::string& url);

}  // namespace pawl
