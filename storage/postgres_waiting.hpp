#pragma once

#include "protocol/ids.hpp"
#include "storage/commit_session.hpp"
#include "storage/postgres_connection.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// Dead letters and parked rows of one consumer, as all sessions read and write them.
class postgres_waiting {
 public:
  explicit postgres_waiting(consumer_number consumer) : consumer_(std::to_string(consumer.value)) {}

  /// Deletes the rows; false where one was gone.
  [[nodiscard]] result<std::vector<bool>> claim(postgres_connection& connection,
                                                std::span<const stored_ref> refs) const;
  /// True where the row is new, else it is counted.
  [[nodiscard]] result<std::vector<bool>> write_dead_letters(
      postgres_connection& connection, std::span<const dead_letter_row> rows) const;
  /// A key that is parked already stays where it is in its queue.
  [[nodiscard]] status write_parked(postgres_connection& connection,
                                    std::span<const parked_row> rows) const;

  [[nodiscard]] result<std::vector<parked_row>> load_parked(postgres_connection& connection,
                                                            const entity_ref& entity,
                                                            park_reason why,
                                                            std::size_t limit) const;
  /// All that an entity has parked: those of a gap by version, then the others by sequence.
  [[nodiscard]] result<std::vector<parked_row>> load_all_parked(postgres_connection& connection,
                                                                const entity_ref& entity,
                                                                std::size_t limit) const;
  [[nodiscard]] result<std::optional<parked_row>> find_parked(postgres_connection& connection,
                                                              const ledger_key& key) const;
  [[nodiscard]] result<std::optional<dead_letter_row>> find_dead_letter(
      postgres_connection& connection, std::int64_t id) const;
  [[nodiscard]] result<std::vector<dead_letter_row>> dead_letters_of(
      postgres_connection& connection, const ledger_key& key) const;
  [[nodiscard]] result<std::vector<dead_letter_row>> dead_letters(postgres_connection& connection,
                                                                  std::size_t limit) const;

 private:
  result<std::vector<parked_row>> parked_where(postgres_connection& connection,
                                               std::string_view condition,
                                               const pg::parameters& given) const;
  result<std::vector<dead_letter_row>> dead_where(postgres_connection& connection,
                                                  std::string_view condition,
                                                  const pg::parameters& given) const;

  std::string consumer_;
};

[[nodiscard]] std::string_view name_of(dead_letter_mark mark);
[[nodiscard]] dead_letter_mark dead_letter_mark_from(std::string_view name);

/// Milliseconds since 1970 of a timestamp expression.
[[nodiscard]] std::string milliseconds_sql(std::string_view timestamp);

}  // namespace pawl
