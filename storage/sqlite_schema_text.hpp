#pragma once

#include "protocol/catalog.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// What SQLite tells only by the text of a CREATE statement. Recognised where it is simple; where
/// not, the answer is the cautious one.

/// The CHECK constraints in a CREATE TABLE, with those of `columns` that they name.
[[nodiscard]] std::vector<catalog_check> checks_in(std::string_view create_table,
                                                   const std::vector<catalog_column>& columns);
/// Whether some foreign key of a CREATE TABLE is checked at COMMIT only.
[[nodiscard]] bool has_deferred_key(std::string_view create_table);
/// Whether a CREATE TRIGGER may run before, or instead of, an INSERT.
[[nodiscard]] bool runs_before_insert(std::string_view create_trigger);

}  // namespace pawl
