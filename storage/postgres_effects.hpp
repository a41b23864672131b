#pragma once

#include "protocol/catalog.hpp"
#include "storage/commit_session.hpp"
#include "storage/postgres_connection.hpp"
#include "storage/postgres_statements.hpp"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace pawl {

/// Writes effects and guards and locks rows, set-based, with SQL made once per shape. Belongs to
/// one session; survives its connections.
class postgres_effects {
 public:
  explicit postgres_effects(const catalog* tables) : tables_(tables) {}

  [[nodiscard]] result<std::vector<row_verdict>> apply(postgres_connection& connection,
                                                       const effect_statement& statement);
  [[nodiscard]] status lock(postgres_connection& connection, const row_locks& locks);

 private:
  struct known_shape {
    effect_shape shape;
    std::vector<const catalog_column*> columns;
    effect_sql effect;
    std::string create;  ///< for `lock`
    std::vector<std::string> compared;
    guard_sql guard;
  };
  using creators = std::vector<const row_locks::row*>;

  result<known_shape*> known(const effect_shape* shape);
  result<std::vector<row_verdict>> apply_guard(postgres_connection& connection, known_shape& shape,
                                               const effect_statement& statement);
  status create_missing(postgres_connection& connection, const effect_shape* creator,
                        const creators& rows);

  const catalog* tables_;
  std::unordered_map<const effect_shape*, known_shape> shapes_;
  std::unordered_map<std::string, std::string> lock_texts_;
};

}  // namespace pawl
