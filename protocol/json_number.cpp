#include "protocol/json_number.hpp"

#include <limits>

namespace pawl {
namespace {

bool is_digit(const char* at, const char* end) { return at != end && *at >= '0' && *at <= '9'; }

/// Skips one digit or more; false if there is none.
bool skip_digits(const char*& at, const char* end) {
  const char* start = at;
  while (is_digit(at, end)) {
    ++at;
  }
  return at != start;
}

bool skip_fraction_and_exponent(const char*& at, const char* end) {
  if (at != end && *at == '.') {
    ++at;
    if (!skip_digits(at, end)) {
      return false;
    }
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) {
      ++at;
    }
    return skip_digits(at, end);
  }
  return true;
}

}  // namespace

json_number read_json_number(std::string_view token) noexcept {
  const char* at = token.data();
  const char* end = at + token.size();
  const bool negative = at != end && *at == '-';
  at += negative ? 1 : 0;
  if (!is_digit(at, end)) {
    return {};
  }
  const char* first = at;
  std::uint64_t magnitude = 0;
  bool fits = true;
  while (is_digit(at, end)) {
    const auto digit = static_cast<std::uint64_t>(*at - '0');
    fits = fits && magnitude <= (std::numeric_limits<std::uint64_t>::max() - digit) / 10;
    magnitude = magnitude * 10 + digit;
    ++at;
  }
  if (*first == '0' && at - first > 1) {
    return {};
  }
  if (at != end) {
    const bool well_formed = skip_fraction_and_exponent(at, end) && at == end;
    return {well_formed ? json_number_kind::decimal : json_number_kind::malformed, 0};
  }
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!fits || magnitude > most + (negative ? 1U : 0U)) {
    return {json_number_kind::decimal, 0};
  }
  // negated as unsigned, since the lowest number has no positive twin
  return {json_number_kind::integer,
          static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude)};
}

}  // namespace pawl
