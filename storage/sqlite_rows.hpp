#pragma once

#include "storage/admin_session.hpp"
#include "storage/sqlite_db.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace pawl {

/// Reads of Pawl's own tables that more than one session needs. All throw `sqlite_failure`.

[[nodiscard]] loaded_entity read_entity(sqlite_db& db, consumer_number consumer,
                                        const entity_ref& entity);
[[nodiscard]] std::vector<parked_row> read_parked(sqlite_db& db, consumer_number consumer,
                                                  const entity_ref& entity, park_reason why,
                                                  std::size_t limit);
[[nodiscard]] std::optional<parked_row> read_parked(sqlite_db& db, consumer_number consumer,
                                                    const ledger_key& key);
[[nodiscard]] std::optional<dead_letter_row> read_dead_letter(sqlite_db& db,
                                                              consumer_number consumer,
                                                              std::int64_t id);
[[nodiscard]] std::vector<dead_letter_row> read_dead_letters(sqlite_db& db,
                                                             consumer_number consumer,
                                                             const ledger_key& key);
/// The oldest ones.
[[nodiscard]] std::vector<dead_letter_row> read_dead_letters(sqlite_db& db,
                                                             consumer_number consumer,
                                                             std::size_t limit);
[[nodiscard]] ledger_status read_ledger(sqlite_db& db, consumer_number consumer);
[[nodiscard]] std::vector<source_position> read_positions(sqlite_db& db, consumer_number consumer);

/// The consumer of that name; throws `refused` if it has never run.
[[nodiscard]] consumer_number find_consumer(sqlite_db& db, std::string_view name);

}  // namespace pawl
