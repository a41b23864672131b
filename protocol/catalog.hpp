#pragma once

#include "protocol/result.hpp"
#include "protocol/value.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// What a column holds, as far as Pawl must know. `other`: the database parses our text
/// (timestamps, enums, arrays, domains ...); never canonical, never folded.
enum class column_type : std::uint8_t {
  integer,
  decimal,
  real,
  text,
  bytes,
  boolean,
  uuid,
  json,
  other
};

struct catalog_column {
  std::string name;
  column_type type = column_type::other;
  std::string sql_type;      ///< the type as the database writes it, for casts: `numeric(10,2)`
  int integer_bits = 64;     ///< 16, 32 or 64 for `integer`
  std::optional<int> scale;  ///< of a `decimal` with a fixed scale
  bool not_null = false;
  bool has_default = false;  ///< or is generated as identity
  bool generated = false;    ///< always computed by the database: can't be written
  /// The column's equality is what we call equality: text under a deterministic collation, bytes,
  /// integers, UUIDs (commit.md section 1.3).
  bool canonical = false;
};

struct catalog_unique {
  std::string name;
  std::vector<std::string> columns;
  bool primary = false;
  bool partial = false;  ///< a WHERE, or an expression column
  bool deferrable = false;
  bool nulls_distinct = true;
};

struct catalog_check {
  std::string name;
  std::vector<std::string> columns;
  /// `column >= constant` or `column > constant`: then adds of one sign may be folded.
  bool lower_bound = false;
};

struct catalog_foreign_key {
  std::string name;
  std::vector<std::string> columns;
  std::string parent;  ///< table name
  std::vector<std::string> parent_columns;
  bool cascades = false;  ///< ON DELETE/UPDATE does more than refuse
  bool deferrable = false;
};

struct catalog_table {
  std::string name;  ///< as the user writes it: `table` or `schema.table`
  std::vector<catalog_column> columns;
  std::vector<catalog_unique> uniques;
  std::vector<catalog_check> checks;
  std::vector<catalog_foreign_key> foreign_keys;  ///< from this table to its parents
  bool row_triggers = false;                      ///< row triggers, rules, or a rewritten view
  bool before_insert_triggers = false;
  bool exclusion = false;  ///< an exclusion constraint

  [[nodiscard]] const catalog_column* find(std::string_view column) const;
};

/// The user's tables as they were at start. Immutable.
struct catalog {
  std::map<std::string, catalog_table, std::less<>> tables;
  [[nodiscard]] const catalog_table* find(std::string_view table) const;
};

/// The value as the column takes it, or `poison` with a text. Strict, and the same for all stores:
/// an integer column takes integers in range; a text column takes text, numbers and booleans as
/// text; a decimal column takes integers and decimals; a UUID becomes lower case; NUL in text is
/// refused (libpqxx would cut there); json takes any; `other` takes text and numbers. Null passes,
/// and is refused for a NOT NULL column.
[[nodiscard]] result<value> coerce(const value& given, const catalog_column& column);

/// The known name that is nearest to `given` by edit distance, or empty if none is near.
[[nodiscard]] std::string nearest_name(std::string_view given,
                                       const std::vector<std::string>& known);

}  // namespace pawl
