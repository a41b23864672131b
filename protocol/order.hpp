#pragma once

#include "protocol/contract.hpp"
#include "protocol/ids.hpp"

#include <cstdint>
#include <optional>

namespace pawl {

/// The stored version of an entity with the fingerprint of the message that moved it there.
struct version_state {
  std::optional<message_version> current;
  fingerprint content;
};

enum class order_verdict : std::uint8_t { apply, stale, duplicate, conflict, gap };

/// Decides one versioned message against the entity's version. `latest`: any higher version
/// applies. `sequence`: the next one applies, a higher one is a gap; with no version yet, 1
/// applies, or under `start: first` any. Lower: stale. Equal: duplicate if the fingerprints agree,
/// else conflict.
[[nodiscard]] order_verdict decide_order(order_policy order, sequence_start start,
                                         const version_state& entity, message_version incoming,
                                         fingerprint content);

}  // namespace pawl
