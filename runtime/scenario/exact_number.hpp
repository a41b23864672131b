#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl {

/// A decimal number without rounding: what a query answers and what is expected of it are compared
/// exactly. At most 18 digits in all; past that, nothing.
class exact_number {
 public:
  exact_number() = default;
  explicit exact_number(std::int64_t whole) : digits_(whole) {}

  /// `12`, `-0.50`; no exponent.
  [[nodiscard]] static std::optional<exact_number> parse(std::string_view text);
  [[nodiscard]] std::optional<exact_number> plus(const exact_number& other) const;
  /// Without zeros at the end: `0.5`.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const exact_number&, const exact_number&) = default;
  [[nodiscard]] bool less_than(const exact_number& other) const;

 private:
  exact_number(std::int64_t digits, int scale) : digits_(digits), scale_(scale) {}
  [[nodiscard]] std::optional<std::int64_t> digits_at(int scale) const;
  [[nodiscard]] exact_number shortened() const;

  std::int64_t digits_ = 0;
  int scale_ = 0;  // digits after the point; the last of them is not 0
};

}  // namespace pawl
