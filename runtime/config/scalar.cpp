#include "runtime/config/scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace pawl {
namespace {

struct unit {
  std::string_view name;
  std::int64_t size;
};

constexpr std::array<unit, 5> duration_units{
    {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
constexpr std::array<unit, 4> byte_units{
    {{"", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}};
constexpr std::int64_t percent_in_parts = 10'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<std::int64_t> parse_with_unit(std::string_view text, std::span<const unit> units) {
  const auto digits =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  const std::optional<std::int64_t> number = parse_integer(text.substr(0, digits));
  for (const unit& each : units) {
    if (number && text.substr(digits) == each.name &&
        *number <= std::numeric_limits<std::int64_t>::max() / each.size) {
      return *number * each.size;
    }
  }
  return std::nullopt;
}

std::string format_with_unit(std::int64_t number, std::span<const unit> units) {
  const unit* best = &units.front();
  for (const unit& each : units) {
    if (number != 0 && number % each.size == 0) {
      best = &each;
    }
  }
  return std::to_string(number / best->size).append(best->name);
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit) ||
      (digits.front() == '0' && (digits.size() > 1 || digits.size() < text.size()))) {
    return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                   : std::nullopt;
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "false") {
    return text == "true";
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_duration(std::string_view text) {
  return parse_with_unit(text, duration_units);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  return parse_with_unit(text, byte_units);
}

std::optional<std::int64_t> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) {
    return std::nullopt;
  }
  text.remove_suffix(1);
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::optional<std::int64_t> whole = parse_integer(text.substr(0, dot));
  if (!whole || *whole < 0 || *whole > 1'000'000) {
    return std::nullopt;
  }
  std::int64_t parts = *whole * percent_in_parts;
  if (dot < text.size()) {
    const std::string_view decimals = text.substr(dot + 1);
    if (decimals.empty() || decimals.size() > 4 ||
        !std::all_of(decimals.begin(), decimals.end(), is_digit)) {
      return std::nullopt;
    }
    std::int64_t weight = percent_in_parts;
    for (const char digit : decimals) {
      weight /= 10;
      parts += (digit - '0') * weight;
    }
  }
  return parts;
}

std::string format_duration(std::int64_t milliseconds) {
  return format_with_unit(milliseconds, duration_units);
}

std::string format_bytes(std::int64_t bytes) { return format_with_unit(bytes, byte_units); }

std::string format_percent(std::int64_t parts_per_million) {
  std::string text = std::to_string(parts_per_million / percent_in_parts);
  if (const std::int64_t rest = parts_per_million % percent_in_parts; rest != 0) {
    std::string decimals = std::to_string(rest + percent_in_parts).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    text += '.' + decimals;
  }
  return text + '%';
}

}  // namespace pawl
