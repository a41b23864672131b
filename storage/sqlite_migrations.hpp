#pragma once

#include "protocol/ids.hpp"
#include "storage/sqlite_db.hpp"

#include <string>

namespace pawl {

/// The version of Pawl's tables that this program works with.
[[nodiscard]] int sqlite_wanted_version() noexcept;
/// The version of the tables in a database; 0 without any.
[[nodiscard]] int sqlite_schema_version(sqlite_db& db);
/// Throws `refused` unless the tables are of the wanted version.
void require_sqlite_schema(sqlite_db& db);
/// Applies what is missing in one transaction; answers how many migrations. Throws `refused` for a
/// version that it doesn't know.
int migrate_sqlite(sqlite_db& db);

/// Tables in a consumer's ledger ring.
inline constexpr int sqlite_ring_slots = 8;
/// The table of one slot, quoted.
[[nodiscard]] std::string sqlite_ledger_table(consumer_number consumer, int slot);
/// Makes a consumer's ring, with its first generation current. Inside a transaction.
void make_sqlite_ring(sqlite_db& db, consumer_number consumer);

}  // namespace pawl
