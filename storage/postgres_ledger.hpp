#pragma once

#include "protocol/ids.hpp"
#include "storage/commit_session.hpp"
#include "storage/postgres_connection.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// The ledger tables that commits read: one takes inserts, the frozen ones are looked up.
struct generation_set {
  int current = 0;
  std::vector<int> frozen;
  friend bool operator==(const generation_set&, const generation_set&) = default;
};

/// From a scalar subquery of the form that `generation_set_sql` gives; nothing if no table is
/// current.
[[nodiscard]] std::optional<generation_set> read_generation_set(std::string_view text);
/// `CURRENT;FROZEN,FROZEN`, of the consumer in an SQL expression.
[[nodiscard]] std::string generation_set_sql(std::string_view consumer);

/// The guards of one consumer: ledger rows, and dead letters and parked rows that stand for one.
/// Belongs to one session; the set of generations is read behind each fence.
class postgres_ledger {
 public:
  explicit postgres_ledger(consumer_number consumer) : consumer_(consumer) {}

  void use(const generation_set& set);
  [[nodiscard]] const generation_set& set() const { return set_; }

  [[nodiscard]] result<std::vector<std::optional<guard_trace>>> insert(
      postgres_connection& connection, std::span<const ledger_row> rows) const;
  [[nodiscard]] result<std::vector<std::optional<guard_trace>>> find(
      postgres_connection& connection, std::span<const ledger_key> keys, bool in_ledger) const;

 private:
  consumer_number consumer_;
  generation_set set_;
  std::string insert_text_;
  std::string find_text_;  ///< in the ledger too
};

}  // namespace pawl
