#pragma once

#include "protocol/catalog.hpp"
#include "storage/sqlite_db.hpp"

#include <span>
#include <string>
#include <vector>

namespace pawl {

/// The named tables of the user as SQLite describes them. Throws `sqlite_failure`.
[[nodiscard]] catalog read_sqlite_catalog(sqlite_db& db, std::span<const std::string> tables);
/// Names of the user's tables and views: neither SQLite's nor Pawl's.
[[nodiscard]] std::vector<std::string> sqlite_table_names(sqlite_db& db);

}  // namespace pawl
