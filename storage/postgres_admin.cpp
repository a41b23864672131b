#include "storage/postgres_admin.hpp"

#include "storage/postgres_array.hpp"
#include "storage/postgres_entities.hpp"
#include "storage/postgres_janitor.hpp"
#include "storage/postgres_migrations.hpp"

#include <string>

namespace pawl {

namespace {

result<std::vector<lease_row>> read_leases(postgres_connection& connection,
                                           const std::string& consumer) {
  auto rows = connection.run(
      "SELECT l.shard, l.epoch, n.name, " + milliseconds_sql("n.expires - clock_timestamp()") +
          " FROM pawl.lease AS l JOIN pawl.node AS n ON n.number = l.node WHERE l.consumer = "
          "$1::int ORDER BY l.shard",
      {consumer});
  if (!rows) {
    return rows.error();
  }
  std::vector<lease_row> leases;
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    leases.push_back({{static_cast<std::uint32_t>(pg::cell(*rows, row, 0).number())},
                      {pg::cell(*rows, row, 1).number()},
                      pg::cell(*rows, row, 2).text(),
                      pg::cell(*rows, row, 3).number()});
  }
  return leases;
}

result<consumer_status> read_counts(postgres_connection& connection, const std::string& consumer) {
  auto counts = connection.run(
      "SELECT c.shards, (SELECT count(*) FILTER (WHERE why = 'behind_dead') || ';' || count(*) "
      "FILTER (WHERE why = 'gap') FROM pawl.parked WHERE consumer = c.number), (SELECT count(*) "
      "FROM pawl.entity WHERE consumer = c.number AND blocked) FROM pawl.consumer AS c WHERE "
      "c.number = $1::int",
      {consumer});
  if (!counts) {
    return counts.error();
  }
  consumer_status read;
  read.shards = static_cast<std::uint32_t>(pg::cell(*counts, 0, 0).number());
  const std::string parked = pg::cell(*counts, 0, 1).text();
  read.parked_behind_dead = std::stoll(parked);
  read.parked_gap = std::stoll(parked.substr(parked.find(';') + 1));
  read.blocked_entities = pg::cell(*counts, 0, 2).number();
  auto dead = connection.run(
      "SELECT reason, count(*) FROM pawl.dead_letter WHERE consumer = $1::int GROUP BY reason",
      {consumer});
  if (!dead) {
    return dead.error();
  }
  for (std::size_t row = 0; row < pg::row_count(*dead); ++row) {
    read.dead_letters[pg::cell(*dead, row, 0).text()] = pg::cell(*dead, row, 1).number();
  }
  return read;
}

/// The ledger row of a key, whichever generation holds it.
status read_ledger_trace(postgres_connection& connection, consumer_number consumer,
                         const ledger_key& key, message_traces& traces) {
  std::string text;
  for (int slot = 0; slot < postgres_ledger_slots; ++slot) {
    text += (slot == 0 ? "" : " UNION ALL ") + std::string("SELECT g.number, l.fingerprint FROM ") +
            ledger_table_name(consumer, slot) +
            " AS l JOIN pawl.generation AS g ON g.consumer = $2::int AND g.slot = " +
            std::to_string(slot) + " WHERE l.key = $1::uuid AND g.state IN ('current', 'frozen')";
  }
  auto rows = connection.run(text, {uuid_text(key), std::to_string(consumer.value)});
  if (!rows) {
    return rows.error();
  }
  if (pg::row_count(*rows) > 0) {
    traces.ledger_generation = pg::cell(*rows, 0, 0).number();
    traces.ledger = guard_trace{guard_trace::place::ledger,
                                {static_cast<std::uint64_t>(pg::cell(*rows, 0, 1).number())}};
  }
  return {};
}

}  // namespace

result<consumer_status> postgres_admin_session::status_of() {
  return in_transaction(link_, [&](postgres_connection& connection) -> result<consumer_status> {
    const std::string number = std::to_string(consumer_.value);
    auto read = read_counts(connection, number);
    if (!read) {
      return read;
    }
    read->consumer = name_;
    auto leases = read_leases(connection, number);
    if (!leases) {
      return leases.error();
    }
    read->leases = std::move(*leases);
    auto positions = read_postgres_positions(connection, consumer_);
    if (!positions) {
      return positions.error();
    }
    read->positions = std::move(*positions);
    return read;
  });
}

result<ledger_status> postgres_admin_session::ledger() {
  return in_transaction(link_, [&](postgres_connection& connection) {
    return read_postgres_ledger(connection, consumer_);
  });
}

result<std::vector<dead_letter_row>> postgres_admin_session::dead_letters(std::size_t limit) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  return waiting_.dead_letters(**got, limit);
}

result<std::optional<dead_letter_row>> postgres_admin_session::dead_letter(std::int64_t id) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  return waiting_.find_dead_letter(**got, id);
}

result<bool> postgres_admin_session::mark(std::int64_t id, dead_letter_mark mark) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  auto marked = (*got)->run(
      "UPDATE pawl.dead_letter SET mark = $3 WHERE consumer = $1::int AND id = $2::bigint",
      {std::to_string(consumer_.value), std::to_string(id), std::string(name_of(mark))});
  if (!marked) {
    return marked.error();
  }
  return pg::affected(*marked) == 1;
}

result<std::optional<loaded_entity>> postgres_admin_session::entity(const entity_ref& entity) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  auto loaded = load_postgres_entities(**got, consumer_, {&entity, 1});
  if (!loaded) {
    return loaded.error();
  }
  loaded_entity& found = loaded->front();
  const bool known = found.row.revision.value > 0 || found.lowest_gap || found.parked_behind;
  return known ? std::optional(std::move(found)) : std::nullopt;
}

result<std::vector<parked_row>> postgres_admin_session::parked(const entity_ref& entity,
                                                               std::size_t limit) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  return waiting_.load_all_parked(**got, entity, limit);
}

result<message_traces> postgres_admin_session::trace(const ledger_key& key) {
  return in_transaction(link_, [&](postgres_connection& connection) -> result<message_traces> {
    message_traces traces;
    if (auto read = read_ledger_trace(connection, consumer_, key, traces); !read) {
      return read.error();
    }
    auto dead = waiting_.dead_letters_of(connection, key);
    if (!dead) {
      return dead.error();
    }
    traces.dead_letters = std::move(*dead);
    auto parked = waiting_.find_parked(connection, key);
    if (!parked) {
      return parked.error();
    }
    traces.parked = std::move(*parked);
    return traces;
  });
}

result<std::vector<entity_ref>> postgres_admin_session::entities(const std::string& type,
                                                                 std::size_t limit) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  auto rows = (*got)->run(
      "SELECT key FROM pawl.entity WHERE consumer = $1::int AND type = $2 UNION SELECT entity_key "
      "FROM pawl.dead_letter WHERE consumer = $1::int AND entity_type = $2 UNION SELECT entity_key "
      "FROM pawl.parked WHERE consumer = $1::int AND entity_type = $2 ORDER BY 1 LIMIT $3::bigint",
      {std::to_string(consumer_.value), type, std::to_string(limit)});
  if (!rows) {
    return rows.error();
  }
  std::vector<entity_ref> entities;
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    entities.push_back({type, pg::cell(*rows, row, 0).text()});
  }
  return entities;
}

}  // namespace pawl
