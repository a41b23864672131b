#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl {

/// Each takes the whole text or nothing; all are exact.

/// An integer: digits, perhaps a minus sign; no leading zeros, no other base.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
/// `true` or `false`, and nothing else that YAML has for them.
[[nodiscard]] std::optional<bool> parse_boolean(std::string_view text);
/// Milliseconds of `500ms`, `10s`, `5m`, `2h`, `7d`.
[[nodiscard]] std::optional<std::int64_t> parse_duration(std::string_view text);
/// Bytes of `65536`, `64KiB`, `16MiB`, `2GiB`.
[[nodiscard]] std::optional<std::int64_t> parse_bytes(std::string_view text);
/// Parts per million of `2%`, `0.1%`, at most four decimals.
[[nodiscard]] std::optional<std::int64_t> parse_percent(std::string_view text);

/// A number in the form that the parser of the same name reads, in the largest unit that fits.
[[nodiscard]] std::string format_duration(std::int64_t milliseconds);
[[nodiscard]] std::string format_bytes(std::int64_t bytes);
[[nodiscard]] std::string format_percent(std::int64_t parts_per_million);

}  // namespace pawl
