#pragma once

#include "protocol/value.hpp"

#include <cstdint>
#include <optional>

namespace pawl {

/// A number of a column as a count of its smallest steps: integers have scale 0, `numeric(10,2)`
/// has 2. Nothing if the number has finer digits or does not fit, and then it must not be folded.
[[nodiscard]] std::optional<std::int64_t> to_steps(const value& number, int scale);

/// The number back. `scale` 0 gives an integer, else a decimal with all its digits.
[[nodiscard]] value from_steps(std::int64_t steps, int scale);

/// The sum of two numbers of one sign, or nothing if they differ in sign or the sum needs more than
/// `bits` bits. Zero goes with either.
[[nodiscard]] std::optional<std::int64_t> sum_of_one_sign(std::int64_t left, std::int64_t right,
                                                          int bits);

}  // namespace pawl
