#pragma once

#include "protocol/ids.hpp"
#include "protocol/result.hpp"
#include "storage/postgres_connection.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace pawl {

/// First key of the nodes' fence locks; the second is the node's number. The two-key form with a
/// class of Pawl's own keeps the user's advisory locks apart.
inline constexpr std::int32_t postgres_fence_class = 0x7061776c;
/// First key of the lock that migrations take; the second is 0.
inline constexpr std::int32_t postgres_migration_class = 0x7061776d;

/// What a commit does first: it shares the node's fence with the node's other committers.
[[nodiscard]] std::string share_fence_sql(node_number node);

/// Takes nodes' fences alone until the transaction ends, in the order of their numbers: waits for
/// open commits, and no new one passes.
[[nodiscard]] status take_fences(postgres_connection& connection,
                                 std::span<const node_number> nodes);

/// Ends the sessions that hold or wait for a node's fence, but not this one.
[[nodiscard]] status end_sessions_of(postgres_connection& connection, node_number node);

}  // namespace pawl
