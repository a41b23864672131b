#pragma once

#include "protocol/catalog.hpp"

#include <string>
#include <string_view>

namespace pawl {

/// `"name"`, quotes inside doubled.
[[nodiscard]] std::string quote_name(std::string_view name);
/// `"table"`, or `"schema"."table"` of a name with a dot.
[[nodiscard]] std::string quote_table(std::string_view table);

/// The element type in which a column's values travel: its type without length or precision, since
/// a cast to `varchar(3)` cuts in silence where an assignment refuses. `text` for types whose
/// arrays don't unnest to their elements.
[[nodiscard]] std::string parameter_type(const catalog_column& column);
/// The value as the column takes it, from an expression of the parameter type.
[[nodiscard]] std::string typed(const std::string& expression, const catalog_column& column);
/// The value as the column would hold it (rounded to its scale), for comparisons with what it
/// holds.
[[nodiscard]] std::string as_stored(const std::string& expression, const catalog_column& column);

/// True for a check `column >= constant` or `column > constant`, as `pg_get_expr` writes it.
[[nodiscard]] bool is_lower_bound(std::string_view expression, std::string_view column);

}  // namespace pawl
