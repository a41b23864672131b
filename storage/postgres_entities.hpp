#pragma once

#include "protocol/ids.hpp"
#include "storage/commit_session.hpp"
#include "storage/postgres_connection.hpp"

#include <span>
#include <vector>

namespace pawl {

/// Moves rows of entities by compare-and-set on their revisions; false where it was another.
[[nodiscard]] result<std::vector<bool>> move_postgres_entities(
    postgres_connection& connection, consumer_number consumer,
    std::span<const entity_write> writes);

/// Entities as their last commit left them, in the order asked.
[[nodiscard]] result<std::vector<loaded_entity>> load_postgres_entities(
    postgres_connection& connection, consumer_number consumer,
    std::span<const entity_ref> entities);

}  // namespace pawl
