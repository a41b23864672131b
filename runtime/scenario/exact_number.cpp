#include "runtime/scenario/exact_number.hpp"

#include <charconv>

namespace pawl {
namespace {

constexpr std::size_t digits_max = 18;

}  // namespace

std::optional<exact_number> exact_number::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view rest = negative ? text.substr(1) : text;
  const std::size_t point = rest.find('.');
  std::string digits(rest.substr(0, point));
  int scale = 0;
  if (point != std::string_view::npos) {
    const std::string_view after = rest.substr(point + 1);
    if (after.empty()) {
      return std::nullopt;
    }
    digits += after;
    scale = static_cast<int>(after.size());
  }
  std::int64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || digits.front() == '-' || digits.size() > digits_max ||
      parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return exact_number(negative ? -number : number, scale).shortened();
}

std::optional<std::int64_t> exact_number::digits_at(int scale) const {
  std::int64_t digits = digits_;
  for (int at = scale_; at < scale; ++at) {
    if (digits > INT64_MAX / 10 || digits < INT64_MIN / 10) {
      return std::nullopt;
    }
    digits *= 10;
  }
  return digits;
}

exact_number exact_number::shortened() const {
  exact_number shorter = *this;
  while (shorter.scale_ > 0 && shorter.digits_ % 10 == 0) {
    shorter.digits_ /= 10;
    --shorter.scale_;
  }
  return shorter;
}

std::optional<exact_number> exact_number::plus(const exact_number& other) const {
  const int scale = scale_ > other.scale_ ? scale_ : other.scale_;
  const auto left = digits_at(scale);
  const auto right = other.digits_at(scale);
  std::int64_t sum = 0;
  if (!left || !right || __builtin_add_overflow(*left, *right, &sum)) {
    return std::nullopt;
  }
  return exact_number(sum, scale).shortened();
}

bool exact_number::less_than(const exact_number& other) const {
  const int scale = scale_ > other.scale_ ? scale_ : other.scale_;
  const auto left = digits_at(scale);
  const auto right = other.digits_at(scale);
  if (left && right) {
    return *left < *right;
  }
  return left ? other.digits_ > 0 : digits_ < 0;  // the one that is too long is further from zero
}

std::string exact_number::text() const {
  std::string digits = std::to_string(digits_ < 0 ? -digits_ : digits_);
  const auto after = static_cast<std::size_t>(scale_);
  if (after > 0) {
    if (digits.size() <= after) {
      digits.insert(0, after + 1 - digits.size(), '0');
    }
    digits.insert(digits.size() - after, ".");
  }
  return digits_ < 0 ? "-" + digits : digits;
}

}  // namespace pawl
