#pragma once

#include "protocol/catalog.hpp"
#include "storage/commit_session.hpp"
#include "storage/sqlite_db.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl {

/// Runs effects row by row (commit.md section 3): inside one process a prepared statement costs
/// less than putting rows together would save. Every write says OR ABORT, which overrides the
/// conflict clauses of the user's tables: IGNORE and REPLACE would lose rows in silence, and
/// ROLLBACK would end the transaction under the other messages. Throws `sqlite_failure`.
class sqlite_effects {
 public:
  explicit sqlite_effects(const catalog* tables) : tables_(tables) {}

  [[nodiscard]] std::vector<row_verdict> apply(sqlite_db& db, const effect_statement& statement);
  /// Forgets statements that belonged to a closed connection.
  void forget() { plans_.clear(); }

 private:
  /// A shape, compiled. Statements that the kind does not need are null.
  struct compiled {
    effect_shape shape;  ///< a copy: an address can come back with another shape
    bool guard = false;
    std::vector<std::string> compared;
    std::vector<bool> as_blob;  ///< by value of a row
    std::size_t key_size = 0;
    sqlite_statement* update = nullptr;
    sqlite_statement* exists = nullptr;
    sqlite_statement* insert = nullptr;
    sqlite_statement* compare = nullptr;
  };

  const compiled& plan_of(sqlite_db& db, const effect_statement& statement);
  compiled compile(sqlite_db& db, const effect_statement& statement) const;
  static void bind(sqlite_statement& statement, const compiled& plan,
                   const std::vector<value>& values, std::size_t count);
  static std::int64_t run(sqlite_statement& statement, const compiled& plan,
                          const std::vector<value>& values, std::size_t count);
  static row_verdict apply_row(const compiled& plan, const std::vector<value>& values);
  static void write_or_create(const compiled& plan, const std::vector<value>& values);
  static row_verdict decide(const compiled& plan, const std::vector<value>& values);

  const catalog* tables_;
  std::multimap<const effect_shape*, compiled> plans_;
};

}  // namespace pawl
