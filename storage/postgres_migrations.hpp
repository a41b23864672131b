#pragma once

#include "protocol/ids.hpp"
#include "protocol/result.hpp"
#include "storage/postgres_connection.hpp"

#include <string>

namespace pawl {

/// Tables in the ring of a consumer's ledger (commit.md section 5).
inline constexpr int postgres_ledger_slots = 8;

/// The version of schema `pawl` that this program needs.
[[nodiscard]] int postgres_schema_wanted() noexcept;

/// The version that is there; 0: none.
[[nodiscard]] result<int> postgres_schema_version(postgres_connection& connection);

/// Applies the missing migrations in one transaction, behind a lock that makes others wait; answers
/// how many. `refused` for a version above the wanted one.
[[nodiscard]] result<int> migrate_postgres(postgres_link& link);

/// `pawl.ledger_CONSUMER_SLOT`.
[[nodiscard]] std::string ledger_table_name(consumer_number consumer, int slot);

/// Makes a new consumer's ring, its first table current. Inside the transaction that makes the
/// consumer.
[[nodiscard]] status create_ledger_ring(postgres_connection& connection, consumer_number consumer);

}  // namespace pawl
