#pragma once

#include "protocol/check_shape.hpp"

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl {

/// A column's name and what goes into it: `{"sku", "A-1"}`, `{"quantity", 3}`, `{"note", nullptr}`.
/// Money and measures come as `value::decimal("12.50")`: a `double` does not compile.
struct column_value {
  std::string column;
  value content;

  column_value(std::string name, value given)
      : column(std::move(name)), content(std::move(given)) {}
  column_value(std::string name, std::string_view text)
      : column(std::move(name)), content(value::text(std::string(text))) {}
  column_value(std::string name, const char* text)
      : column_value(std::move(name), std::string_view(text)) {}
  column_value(std::string name, std::nullptr_t)
      : column(std::move(name)), content(value::null()) {}
  template <std::integral Number>
  column_value(std::string name, Number number)
      : column(std::move(name)), content(from_number(number)) {}

 private:
  template <std::integral Number>
  static value from_number(Number number) {
    if constexpr (std::same_as<Number, bool>) {
      return value::boolean(number);
    } else {
      return std::in_range<std::int64_t>(number) ? value::integer(static_cast<std::int64_t>(number))
                                                 : value::decimal(std::to_string(number));
    }
  }
};

/// The effects of one message for one entity, as a handler lists them. Belongs to the thread that
/// runs the handler. The first error sticks: later calls do nothing, and `take` gives it.
class effect_list {
 public:
  /// `tables` and `shapes` outlive the list and every effect taken from it.
  effect_list(policy pair, const catalog& tables, shape_registry& shapes)
      : pair_(pair), tables_(&tables), shapes_(&shapes) {}

  /// Adds an effect by names. For `insert`, `key` names columns that `values` holds.
  void add_insert(std::string_view table, const std::vector<column_value>& values,
                  std::vector<std::string> key);
  void add_keyed(effect_kind kind, std::string_view table, const std::vector<column_value>& key,
                 const std::vector<column_value>& values,
                 missing_row missing = missing_row::create);

  /// Adds an effect of a checked shape. Absent values leave their column out; a `set` or `add` of
  /// no column is no effect.
  void add(const checked_shape& checked, std::vector<value> values);

  /// Replaces the entity's state, once this message has taken effect. The last call counts.
  void state(std::string bytes);

  /// The effects in order, or the first error: `poison` if a value does not fit its column or if
  /// `dedupe: unique` has no guard in front, or as in `check_shape`. Leaves no effect and no error.
  [[nodiscard]] result<std::vector<effect>> take();

  /// The new state if the handler gave one. Leaves none.
  [[nodiscard]] std::optional<std::string> take_state() {
    return std::exchange(state_, std::nullopt);
  }

 private:
  void add_named(effect_shape shape, std::vector<value> values);
  void add_without_absent(const effect_shape& shape, std::vector<value> values);
  void fail(error what);

  policy pair_;
  const catalog* tables_;
  shape_registry* shapes_;
  std::vector<effect> effects_;
  std::optional<std::string> state_;
  std::optional<error> failed_;
};

}  // namespace pawl
