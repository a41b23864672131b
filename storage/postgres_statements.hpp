#pragma once

#include "protocol/catalog.hpp"
#include "protocol/effect.hpp"

#include <string>
#include <vector>

namespace pawl {

/// The columns that a shape's values fill, in their order. `deployment` if the catalog does not
/// know one.
[[nodiscard]] result<std::vector<const catalog_column*>> columns_of(const effect_shape& shape,
                                                                    const catalog& tables);

/// SQL of one shape over a set of rows: parameter n is an array with the n-th column's value of
/// every row. All parts are made together, from the catalog; identifiers are quoted.
struct effect_sql {
  /// Writes all rows. `upsert` answers one row with the count, the others by rows affected.
  std::string write;
  /// Of `add`: creates missing rows from their defaults; takes the key columns only, answers the
  /// ordinals of the rows that it made.
  std::string create;
};
[[nodiscard]] effect_sql make_effect_sql(const effect_shape& shape,
                                         const std::vector<const catalog_column*>& columns);

/// SQL of an insert that decides.
struct guard_sql {
  /// Inserts what no row stands in the way of; answers the ordinals written. Twins are merged by
  /// the columns' own equality.
  std::string write;
  /// For rows that were not written: ordinal, and whether the row there differs in a compared
  /// column.
  std::string compare;
};
[[nodiscard]] guard_sql make_guard_sql(const effect_shape& shape,
                                       const std::vector<const catalog_column*>& columns,
                                       const std::vector<std::string>& compared);

/// Locks rows in the order of their keys; takes the key columns.
[[nodiscard]] std::string make_lock_sql(const std::string& table,
                                        const std::vector<const catalog_column*>& key);
/// Inserts the rows that are missing, in the order of their keys: `columns`, of which the first
/// `key_columns` find the row.
[[nodiscard]] std::string make_create_sql(const std::string& table, std::size_t key_columns,
                                          const std::vector<const catalog_column*>& columns);

}  // namespace pawl
