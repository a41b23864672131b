#pragma once

#include "protocol/contract.hpp"
#include "protocol/decode.hpp"
#include "runtime/scenario/exact_number.hpp"
#include "runtime/scenario/scenario_message.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pawl {

enum class expression_kind : std::uint8_t { literal, count, sum, min, max, sum_latest };

/// What a query should answer: a number, or one computed from the distinct messages of the
/// workload. `sum_latest($.x)` takes of each entity only the message of the highest version.
struct expression {
  expression_kind kind = expression_kind::literal;
  exact_number literal;
  path over;  ///< of all but `literal` and `count`
};

/// `42`, `count()`, `sum($.quantity)`, `min(...)`, `max(...)`, `sum_latest(...)`. `refused`: `text`
/// says what is wrong, `code` what can be written.
[[nodiscard]] result<expression> parse_expression(std::string_view text);

/// Its value over the messages of `type` (empty: all). A `[*]` in the path counts every element, a
/// missing field nothing. Nothing where there is no value (`max` of none). `refused` if a field
/// holds no number or the number grows too long.
[[nodiscard]] result<std::optional<exact_number>> evaluate(
    const expression& wanted, std::span<const scenario_message> workload, const std::string& type,
    const decoder_config& config);

}  // namespace pawl
