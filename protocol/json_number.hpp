#pragma once

#include <cstdint>
#include <string_view>

namespace pawl {

/// What a JSON number token is.
enum class json_number_kind : std::uint8_t { malformed, integer, decimal };

struct json_number {
  json_number_kind kind = json_number_kind::malformed;
  std::int64_t number = 0;  ///< of an `integer`: it fits 64 bits
};

/// Checks a token by the grammar of RFC 8259 (which a lazy parser skips): `01`, `1.`, `+1` and
/// `12abc` are malformed. Integers past 64 bits, fractions and exponents are decimals.
[[nodiscard]] json_number read_json_number(std::string_view token) noexcept;

}  // namespace pawl
