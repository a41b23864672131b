#include "storage/postgres_entities.hpp"

#include "storage/postgres_array.hpp"

#include <string>
#include <unordered_map>

namespace pawl {

namespace {

/// The writes of one statement, as arrays: all inserts, or all updates.
class write_arrays {
 public:
  void add(const entity_write& write, std::size_t place) {
    places.push_back(place);
    type_.add(write.entity.type);
    key_.add(write.entity.key);
    shard_.add(write.shard);
    expected_.add(write.expected);
    revision_.add(write.row.revision);
    version_.add_optional(write.row.version);
    content_.add(write.row.version_content);
    blocked_.add_truth(write.row.blocked);
    if (write.row.state) {
      state_.add_bytes(*write.row.state);
    } else {
      state_.add_null();
    }
  }

  [[nodiscard]] pg::parameters take() {
    return {type_.take(),    key_.take(),     shard_.take(),   expected_.take(), revision_.take(),
            version_.take(), content_.take(), blocked_.take(), state_.take()};
  }

  std::vector<std::size_t> places;  ///< in the order asked

 private:
  array_literal type_, key_, shard_, expected_, revision_, version_, content_, blocked_, state_;
};

constexpr const char* rows_sql =
    "unnest($1::text[], $2::text[], $3::int[], $4::bigint[], $5::bigint[], $6::bigint[], "
    "$7::bigint[], $8::boolean[], $9::bytea[]) WITH ORDINALITY AS d(type, key, shard, expected, "
    "revision, version, content, blocked, state, ord)";

status update_rows(postgres_connection& connection, const std::string& consumer,
                   write_arrays& writes, std::vector<bool>& moved) {
  auto rows = connection.run(
      "UPDATE pawl.entity AS e SET shard = d.shard, revision = d.revision, version = d.version, "
      "version_content = d.content, blocked = d.blocked, state = d.state FROM " +
          std::string(rows_sql) + " WHERE e.consumer = " + consumer +
          " AND e.type = d.type AND e.key = d.key AND e.revision = d.expected RETURNING d.ord",
      writes.take());
  if (!rows) {
    return rows.error();
  }
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    const auto ordinal = static_cast<std::size_t>(pg::cell(*rows, row, 0).number());
    moved[writes.places[ordinal - 1]] = true;
  }
  return {};
}

status insert_rows(postgres_connection& connection, const std::string& consumer,
                   write_arrays& writes, std::span<const entity_write> all,
                   std::vector<bool>& moved) {
  auto rows = connection.run(
      "INSERT INTO pawl.entity (consumer, type, key, shard, revision, version, version_content, "
      "blocked, state) SELECT " +
          consumer +
          ", d.type, d.key, d.shard, d.revision, d.version, d.content, d.blocked, d.state FROM " +
          std::string(rows_sql) +
          " ON CONFLICT (consumer, type, key) DO NOTHING RETURNING type, "
          "key",
      writes.take());
  if (!rows) {
    return rows.error();
  }
  if (pg::row_count(*rows) == writes.places.size()) {
    for (const std::size_t place : writes.places) {
      moved[place] = true;
    }
    return {};
  }
  std::unordered_map<entity_ref, std::size_t> place_of;
  for (const std::size_t place : writes.places) {
    place_of.try_emplace(all[place].entity, place);
  }
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    moved[place_of.at({pg::cell(*rows, row, 0).text(), pg::cell(*rows, row, 1).text()})] = true;
  }
  return {};
}

}  // namespace

result<std::vector<bool>> move_postgres_entities(postgres_connection& connection,
                                                 consumer_number consumer,
                                                 std::span<const entity_write> writes) {
  write_arrays inserts;
  write_arrays updates;
  for (std::size_t at = 0; at < writes.size(); ++at) {
    (writes[at].expected.value == 0 ? inserts : updates).add(writes[at], at);
  }
  std::vector<bool> moved(writes.size(), false);
  const std::string number = std::to_string(consumer.value);
  if (!updates.places.empty()) {
    if (auto done = update_rows(connection, number, updates, moved); !done) {
      return done.error();
    }
  }
  if (!inserts.places.empty()) {
    if (auto done = insert_rows(connection, number, inserts, writes, moved); !done) {
      return done.error();
    }
  }
  return moved;
}

result<std::vector<loaded_entity>> load_postgres_entities(postgres_connection& connection,
                                                          consumer_number consumer,
                                                          std::span<const entity_ref> entities) {
  array_literal types(entities.size());
  array_literal keys(entities.size());
  for (const entity_ref& entity : entities) {
    types.add(entity.type);
    keys.add(entity.key);
  }
  const std::string number = std::to_string(consumer.value);
  const std::string same = " p WHERE p.consumer = " + number +
                           " AND p.entity_type = q.type AND p.entity_key = q.key AND p.why = ";
  auto rows = connection.run(
      "SELECT q.ord, coalesce(e.revision, 0), e.version, e.version_content, e.blocked, e.state, "
      "(SELECT min(p.version) FROM pawl.parked" +
          same + "'gap'), EXISTS (SELECT 1 FROM pawl.parked" + same +
          "'behind_dead') FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS q(type, key, ord) "
          "LEFT JOIN pawl.entity e ON e.consumer = " +
          number + " AND e.type = q.type AND e.key = q.key",
      {types.take(), keys.take()});
  if (!rows) {
    return rows.error();
  }
  std::vector<loaded_entity> loaded(entities.size());
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    loaded_entity& found = loaded[static_cast<std::size_t>(pg::cell(*rows, row, 0).number()) - 1];
    found.row.revision.value = pg::cell(*rows, row, 1).number();
    if (const pg::cell version(*rows, row, 2); !version.is_null()) {
      found.row.version = message_version{version.number()};
    }
    found.row.version_content.value = static_cast<std::uint64_t>(pg::cell(*rows, row, 3).number());
    found.row.blocked = pg::cell(*rows, row, 4).truth();
    if (const pg::cell state(*rows, row, 5); !state.is_null()) {
      found.row.state = bytes_from_hex(state.view());
    }
    if (const pg::cell gap(*rows, row, 6); !gap.is_null()) {
      found.lowest_gap = message_version{gap.number()};
    }
    found.parked_behind = pg::cell(*rows, row, 7).truth();
  }
  return loaded;
}

}  // namespace pawl
