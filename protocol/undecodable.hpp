#pragma once

#include "protocol/decode.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pawl {

/// The identity of a message that has no other: "source/partition@position".
[[nodiscard]] std::string coordinates_of(const message_origin& origin);

/// `poison` if payload or headers are over their limits.
[[nodiscard]] std::optional<error> check_size(const message& received);

/// The pair of a message that can't be decoded: for the reserved entity, under its coordinates,
/// with its bytes (of an oversized one the beginning). `type` is empty if the message names none.
[[nodiscard]] addressed_ptr make_undecodable(std::string_view consumer, const message_ptr& received,
                                             const std::string& type, error why);

}  // namespace pawl
