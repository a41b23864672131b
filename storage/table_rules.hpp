#pragma once

#include "protocol/catalog.hpp"
#include "protocol/effect.hpp"

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace pawl {

/// What the catalog allows in one table (commit.md sections 1.3, 1.4 and 3).
struct table_rules {
  /// One committer alone writes its rows: the key is exactly `$key` of one entity type in all
  /// shapes, and the columns call equal what we call equal. Needs no row locks.
  bool is_private = false;
  /// Row triggers, rules, exclusion constraints: effects go one by one.
  bool one_by_one = false;
  /// A foreign key of another table cascades from here: removes (and writes to `guarded` columns)
  /// go one by one.
  bool cascades = false;
  /// Keys that are compared exactly as we compare them: rows can be told apart before the database
  /// sees them.
  bool exact_keys = false;
  std::set<std::string, std::less<>> add_folds;  ///< columns whose adds of one sign may be folded
  std::set<std::string, std::less<>> upsert_folds;  ///< columns in which the last upsert may stand
                                                    ///< for all
  std::set<std::string, std::less<>> guarded;  ///< columns of a UNIQUE that isn't the key: writes
                                               ///< go one by one
  int depth = 0;                               ///< foreign keys: parents have a lower one
  std::vector<const effect_shape*> shapes;  ///< those of the input; a row written by another shape
                                            ///< needs its lock
};

struct rules_input {
  const catalog* tables = nullptr;
  std::vector<const effect_shape*> shapes;
  /// Shapes whose key is exactly `$key`, by their entity type.
  std::map<const effect_shape*, std::string> keyed_by_entity;
};

/// Rules of every table in the catalog. A shape that is not in the input makes its table not
/// private.
[[nodiscard]] std::map<std::string, table_rules, std::less<>> derive_rules(
    const rules_input& input);

}  // namespace pawl
