#pragma once

#include "protocol/catalog.hpp"
#include "protocol/effect.hpp"
#include "protocol/policy.hpp"
#include "runtime/config/problem.hpp"

#include <string>
#include <vector>

namespace pawl {

/// What an effect is held against.
struct effect_rules {
  policy pair;
  const catalog* tables = nullptr;
  std::vector<std::string> known_tables;  ///< all of the user's, for the nearest name
  bool integer_adds_only = false;         ///< SQLite: other sums may lose digits
  bool several_entities = false;          ///< one message may address several
};

/// An effect with the places it was written at. C++ handlers leave the places empty.
struct effect_to_check {
  effect_shape shape;
  bool is_guard = false;  ///< the first effect under `dedupe: unique`
  /// Columns whose value differs between any two entities of a message.
  std::vector<std::string> entity_columns;
  file_position where;
  file_position table_where;
  std::vector<file_position> key_where;      ///< for each of `shape.key`, or empty
  std::vector<file_position> columns_where;  ///< for each of `shape.columns`, or empty
};

/// Reports whatever keeps the effect from doing what it promises in these tables (commit.md
/// sections 2 and 3): unknown names with the nearest known one, columns that can't be written or
/// are missing, keys that are not unique, sums that lose something, guards that don't guard. True
/// if it is sound.
bool check_effect(const effect_rules& rules, const effect_to_check& effect,
                  config_problems& problems);

}  // namespace pawl
