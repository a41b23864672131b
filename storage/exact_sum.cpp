#include "storage/exact_sum.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace pawl {
namespace {

bool append_digit(std::int64_t& steps, int digit) {
  return !__builtin_mul_overflow(steps, 10, &steps) &&
         !__builtin_add_overflow(steps, digit, &steps);
}

}  // namespace

std::optional<std::int64_t> to_steps(const value& number, int scale) {
  if (number.kind() == value_kind::integer && scale == 0) {
    return number.number();
  }
  if (number.kind() != value_kind::integer && number.kind() != value_kind::decimal) {
    return std::nullopt;
  }
  const std::string text = number.to_text();
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (negative || (!rest.empty() && rest.front() == '+')) {
    rest.remove_prefix(1);
  }
  std::int64_t steps = 0;
  int after_point = -1;
  for (const char c : rest) {
    if (c == '.' && after_point < 0) {
      after_point = 0;
      continue;
    }
    const int digit = c - '0';
    if (digit < 0 || digit > 9) {
      return std::nullopt;
    }
    if (after_point >= scale) {
      if (digit != 0) {
        return std::nullopt;
      }
      continue;
    }
    after_point += after_point < 0 ? 0 : 1;
    if (!append_digit(steps, digit)) {
      return std::nullopt;
    }
  }
  for (int i = std::max(after_point, 0); i < scale; ++i) {
    if (!append_digit(steps, 0)) {
      return std::nullopt;
    }
  }
  return negative ? -steps : steps;
}

value from_steps(std::int64_t steps, int scale) {
  if (scale == 0) {
    return value::integer(steps);
  }
  const bool negative = steps < 0;
  std::string digits = std::to_string(steps).substr(negative ? 1 : 0);
  const auto fraction = static_cast<std::size_t>(scale);
  if (digits.size() <= fraction) {
    digits.insert(0, fraction + 1 - digits.size(), '0');
  }
  digits.insert(digits.size() - fraction, 1, '.');
  return value::decimal(negative ? "-" + digits : digits);
}

std::optional<std::int64_t> sum_of_one_sign(std::int64_t left, std::int64_t right, int bits) {
  std::int64_t sum = 0;
  if ((left < 0 && right > 0) || (left > 0 && right < 0) ||
      __builtin_add_overflow(left, right, &sum)) {
    return std::nullopt;
  }
  const auto most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  return sum >= -most - 1 && sum <= most ? std::optional(sum) : std::nullopt;
}

}  // namespace pawl
