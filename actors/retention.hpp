#pragma once

#include "storage/janitor_session.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// One step of the ledger's upkeep.
struct retention_step {
  enum class what : std::uint8_t { rotate, retire, truncate };
  what kind = what::rotate;
  std::int64_t generation = 0;  ///< of `retire` and `truncate`
};

/// Decides what the ledger's ring needs now (commit.md section 5): a generation is closed when it
/// has lived its share of the window on the running clock, retired when the window has passed since
/// it was closed and every log's stored position has passed what it can hold, and truncated then.
/// At most one step a call, the most urgent first. `positions` are the stored ones of log sources;
/// a partition that has none holds everything back.
[[nodiscard]] std::optional<retention_step> next_retention_step(
    const ledger_status& ledger, std::int64_t window_ms,
    const std::vector<source_position>& positions);

/// Why the oldest frozen generation may not go though its window has passed, for an alarm; empty if
/// nothing holds it.
[[nodiscard]] std::string retention_held_by(const ledger_status& ledger, std::int64_t window_ms,
                                            const std::vector<source_position>& positions);

}  // namespace pawl
