#pragma once

#include "protocol/policy.hpp"
#include "protocol/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pawl {

/// What `add` and `upsert` of a missing row do: create it (from column defaults), or fail the
/// message.
enum class missing_row : std::uint8_t { create, fail };

/// The part of an effect that is the same for every message: which table, kind and columns. Shapes
/// are interned in a `shape_registry`: equal shapes have one address, so statements are grouped,
/// prepared and cached by pointer.
struct effect_shape {
  effect_kind kind = effect_kind::upsert;
  std::string table;
  std::vector<std::string> key;  ///< columns that find the row; for `insert` the named unique key,
                                 ///< or none
  std::vector<std::string> columns;  ///< columns written; for `insert` with a key they include the
                                     ///< key's
  missing_row missing = missing_row::create;
  friend bool operator==(const effect_shape&, const effect_shape&) = default;
};

/// Data that describes a write; never an action. `values` holds the key's values, then the
/// columns'; for `insert` just the columns'. They fit the catalog (`coerce` has been applied).
struct effect {
  const effect_shape* shape = nullptr;  ///< interned; never null
  std::vector<value> values;
};

}  // namespace pawl
