#pragma once

#include "actors/handler.hpp"
#include "protocol/check_shape.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pawl {

/// Where one value of a declared effect comes from, decided at start: no name is looked up later.
struct value_slot {
  enum class origin : std::uint8_t { field, key, id, version, constant };
  origin from = origin::constant;
  std::size_t field = 0;   ///< index in the contract's fields
  bool as_number = false;  ///< of `key` and `id`: the column holds integers
  bool negated = false;    ///< of `version`; fields come negated
  value constant;
};

/// One declared effect, bound to its table.
struct bound_effect {
  checked_shape checked;
  std::vector<value_slot> slots;  ///< one for each of the effect's values
  bool repeats = false;           ///< reads elements of a list: once for each element
  bool is_guard = false;          ///< of `dedupe: unique`
};

/// Handles a message type that a node file declares. Immutable; any thread.
class declared_handler final : public handler {
 public:
  explicit declared_handler(std::vector<bound_effect> effects) : effects_(std::move(effects)) {}

  /// The effects in the file's order; one that reads elements stands once for each element that
  /// named this entity. A guard that several elements write alike stands once.
  void handle(const addressed_message& message, const std::optional<std::string>& state,
              effect_list& out) const override;

 private:
  std::vector<bound_effect> effects_;
};

}  // namespace pawl
