#pragma once

#include "protocol/catalog.hpp"
#include "storage/postgres_connection.hpp"

#include <span>
#include <string>
#include <vector>

namespace pawl {

/// Reads the named tables from `pg_catalog`, by `search_path` or with their schema. Missing ones
/// are left out.
[[nodiscard]] result<catalog> read_postgres_catalog(postgres_connection& connection,
                                                    std::span<const std::string> tables);

/// The user's tables and views: `table` where `search_path` finds it, else `schema.table`.
[[nodiscard]] result<std::vector<std::string>> postgres_table_names(
    postgres_connection& connection);

}  // namespace pawl
