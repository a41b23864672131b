#pragma once

#include "protocol/result.hpp"

#include <exception>
#include <string_view>

namespace pawl {

/// What was going on when libpqxx threw.
struct failed_call {
  bool connected = true;    ///< the connection is still open
  bool committing = false;  ///< COMMIT had been sent
};

/// What the caller may do after an error with that SQLSTATE (commit.md section 4): by code, never
/// by text.
[[nodiscard]] fault fault_of_sqlstate(std::string_view sqlstate);

/// A thrown exception as an error of ours. A connection lost during COMMIT is `in_doubt`, at any
/// other time `retry`.
[[nodiscard]] error error_from(const std::exception& thrown, failed_call during);

}  // namespace pawl
