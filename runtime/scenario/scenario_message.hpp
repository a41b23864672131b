#pragma once

#include "protocol/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// Carries a message's number through broker, runtime and store. Headers are never part of a
/// fingerprint, and an envelope keeps them, so a message that was parked is still known.
inline constexpr std::string_view scenario_number_header = "pawl-scenario-message";

/// A distinct message of a workload. Its number is its place in the workload, and what all checks
/// call it by.
struct scenario_message {
  std::string type;  ///< as generated; empty for a line of a file
  std::string payload;
  std::vector<header> headers;
  std::string partition_key;  ///< of a log: messages of one key keep their order
};

/// The number in the header, or nothing for a message that no scenario made.
[[nodiscard]] std::optional<std::uint64_t> scenario_number(const message& received);

}  // namespace pawl
