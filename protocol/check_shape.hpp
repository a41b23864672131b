#pragma once

#include "protocol/catalog.hpp"
#include "protocol/effect.hpp"
#include "protocol/shape_registry.hpp"

#include <vector>

namespace pawl {

/// A shape that was checked against policy and catalog: made once at start for declared handlers.
struct checked_shape {
  const effect_shape* shape = nullptr;
  /// One for each of an effect's values, in their order. Belongs to the catalog.
  std::vector<const catalog_column*> columns;
};

/// Checks that messages under `pair` may carry the effect, that table and columns exist and can be
/// written, and that the key does its work; then interns it. Errors: `refused` (policy),
/// `deployment` (the catalog disagrees), with the nearest name or the fix in the text.
[[nodiscard]] result<checked_shape> check_shape(policy pair, const catalog& tables,
                                                shape_registry& shapes, effect_shape shape);

}  // namespace pawl
