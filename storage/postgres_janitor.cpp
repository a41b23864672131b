#include "storage/postgres_janitor.hpp"

#include "storage/postgres_array.hpp"
#include "storage/postgres_locks.hpp"
#include "storage/postgres_migrations.hpp"
#include "storage/postgres_waiting.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pawl {

namespace {

/// TRUNCATE gives up this soon: while it waits, every commit waits behind it.
constexpr int truncate_lock_ms = 100;
/// Rows of a table are counted up to here, and estimated from its size beyond.
constexpr int counted_rows_max = 10'000;

std::string text_of(std::int64_t number) { return std::to_string(number); }

generation_state state_from(std::string_view name) {
  for (const auto state :
       {generation_state::current, generation_state::frozen, generation_state::retired}) {
    if (name == name_of(state)) {
      return state;
    }
  }
  return generation_state::empty;
}

/// Counting five million rows takes a second. A row and its pointer take 52 bytes, and pages are
/// full, since nothing is ever deleted.
std::string rows_sql(consumer_number consumer, int slot) {
  const std::string table = ledger_table_name(consumer, slot);
  const std::string limit = std::to_string(counted_rows_max);
  return "(SELECT CASE WHEN count(*) < " + limit + " THEN count(*) ELSE greatest(count(*), " +
         "pg_relation_size('" + table + "') / 52) END FROM (SELECT 1 FROM " + table + " LIMIT " +
         limit + ") AS counted)";
}

source_position read_position(const pqxx::result& rows, std::size_t row, std::size_t first) {
  return {pg::cell(rows, row, first).text(), pg::cell(rows, row, first + 1).text(),
          pg::cell(rows, row, first + 2).number(), pg::cell(rows, row, first + 3).text()};
}

struct position_arrays {
  explicit position_arrays(std::span<const source_position> positions) {
    array_literal source, partition, position, identity;
    for (const source_position& given : positions) {
      source.add(given.source);
      partition.add(given.partition);
      position.add(given.position);
      identity.add(given.identity);
    }
    arrays = {source.take(), partition.take(), position.take(), identity.take()};
  }
  pg::parameters arrays;
};

/// Takes the consumer's row, so that there is one janitor, then every node's fence: no commit is
/// open, and none begins until the transaction ends.
status stop_commits(postgres_connection& connection, consumer_number consumer) {
  const pg::parameters number{text_of(consumer.value)};
  auto held = connection.run("SELECT 1 FROM pawl.consumer WHERE number = $1::int FOR NO KEY UPDATE",
                             number);
  if (!held) {
    return held.error();
  }
  auto rows =
      connection.run("SELECT number FROM pawl.node WHERE consumer = $1::int ORDER BY 1", number);
  if (!rows) {
    return rows.error();
  }
  std::vector<node_number> nodes;
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    nodes.push_back({static_cast<std::int32_t>(pg::cell(*rows, row, 0).number())});
  }
  return take_fences(connection, nodes);
}

/// The slot that was frozen.
result<int> rotate_inside(postgres_connection& connection, consumer_number consumer) {
  if (auto stopped = stop_commits(connection, consumer); !stopped) {
    return stopped.error();
  }
  const pg::parameters number{text_of(consumer.value)};
  auto next = connection.run(
      "SELECT e.slot, c.slot FROM pawl.generation AS e JOIN pawl.generation AS c ON c.consumer = "
      "e.consumer AND c.state = 'current' WHERE e.consumer = $1::int AND e.state = 'empty' ORDER "
      "BY e.slot < c.slot, e.slot LIMIT 1",
      number);
  if (!next) {
    return next.error();
  }
  if (pg::row_count(*next) == 0) {
    return error{fault::refused, "ledger",
                 "no ledger table is empty: all generations are still needed. Release a source "
                 "that is gone, or shorten the window"};
  }
  const std::string empty = pg::cell(*next, 0, 0).text();
  const auto frozen = static_cast<int>(pg::cell(*next, 0, 1).number());
  auto closed = connection.run(
      "UPDATE pawl.generation SET state = 'frozen', closed_ms = (SELECT clock_ms FROM "
      "pawl.consumer WHERE number = $1::int) WHERE consumer = $1::int AND state = 'current'",
      number);
  if (!closed) {
    return closed.error();
  }
  auto opened = connection.run(
      "UPDATE pawl.generation SET state = 'current', closed_ms = 0, positions_known = false, "
      "number = (SELECT max(number) + 1 FROM pawl.generation WHERE consumer = $1::int), opened_ms "
      "= (SELECT clock_ms FROM pawl.consumer WHERE number = $1::int) WHERE consumer = $1::int AND "
      "slot = $2::int",
      {number[0], empty});
  if (!opened) {
    return opened.error();
  }
  return frozen;
}

/// The slot of a generation in that state; `refused` if it is not in it.
result<int> slot_of(postgres_connection& connection, consumer_number consumer,
                    std::int64_t generation, generation_state state) {
  auto rows = connection.run(
      "SELECT slot FROM pawl.generation WHERE consumer = $1::int AND number = $2::bigint AND state "
      "= $3 FOR NO KEY UPDATE",
      {text_of(consumer.value), text_of(generation), std::string(name_of(state))});
  if (!rows) {
    return rows.error();
  }
  if (pg::row_count(*rows) == 0) {
    return error{fault::refused, "ledger",
                 "generation " + text_of(generation) + " is not " + std::string(name_of(state))};
  }
  return static_cast<int>(pg::cell(*rows, 0, 0).number());
}

/// Runs statements that answer nothing; the type of a transaction's work.
status run_all(postgres_connection& connection,
               std::initializer_list<std::pair<std::string, pg::parameters>> statements) {
  for (const auto& [text, given] : statements) {
    if (auto done = connection.run(text, given); !done) {
      return done.error();
    }
  }
  return {};
}

}  // namespace

result<consumer_number> find_postgres_consumer(postgres_connection& connection,
                                               const std::string& name) {
  auto version = postgres_schema_version(connection);
  if (!version) {
    return version.error();
  }
  if (*version > 0) {
    auto rows = connection.run("SELECT number FROM pawl.consumer WHERE name = $1", {name});
    if (!rows) {
      return rows.error();
    }
    if (pg::row_count(*rows) == 1) {
      return consumer_number{static_cast<std::int32_t>(pg::cell(*rows, 0, 0).number())};
    }
  }
  return error{
      fault::refused, "consumer",
      "consumer " + name + " has never run on this database: check the name and the store"};
}

result<ledger_status> read_postgres_ledger(postgres_connection& connection,
                                           consumer_number consumer) {
  const pg::parameters number{text_of(consumer.value)};
  std::string counts = "CASE slot";
  for (int slot = 0; slot < postgres_ledger_slots; ++slot) {
    counts += " WHEN " + std::to_string(slot) + " THEN " + rows_sql(consumer, slot);
  }
  auto rows = connection.run(
      "SELECT slot, number, state, opened_ms, closed_ms, positions_known, " + counts +
          " END, (SELECT clock_ms FROM pawl.consumer WHERE number = $1::int) FROM pawl.generation "
          "WHERE consumer = $1::int ORDER BY slot",
      number);
  if (!rows) {
    return rows.error();
  }
  ledger_status read;
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    ledger_generation& generation = read.ring.emplace_back();
    generation.slot = static_cast<int>(pg::cell(*rows, row, 0).number());
    generation.number = pg::cell(*rows, row, 1).number();
    generation.state = state_from(pg::cell(*rows, row, 2).view());
    generation.opened_ms = pg::cell(*rows, row, 3).number();
    generation.closed_ms = pg::cell(*rows, row, 4).number();
    generation.positions_known = pg::cell(*rows, row, 5).truth();
    generation.rows = pg::cell(*rows, row, 6).number();
    read.clock_ms = pg::cell(*rows, row, 7).number();
  }
  auto highest = connection.run(
      "SELECT slot, source, partition, position, identity FROM pawl.generation_position WHERE "
      "consumer = $1::int ORDER BY slot, source, partition",
      number);
  if (!highest) {
    return highest.error();
  }
  for (std::size_t row = 0; row < pg::row_count(*highest); ++row) {
    const auto slot = static_cast<std::size_t>(pg::cell(*highest, row, 0).number());
    read.ring[slot].highest.push_back(read_position(*highest, row, 1));
  }
  return read;
}

result<std::vector<source_position>> read_postgres_positions(postgres_connection& connection,
                                                             consumer_number consumer) {
  auto rows = connection.run(
      "SELECT source, partition, position, identity FROM pawl.position WHERE consumer = $1::int "
      "ORDER BY source, partition",
      {text_of(consumer.value)});
  if (!rows) {
    return rows.error();
  }
  std::vector<source_position> positions;
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    positions.push_back(read_position(*rows, row, 0));
  }
  return positions;
}

result<ledger_status> postgres_janitor_session::ledger() {
  return in_transaction(link_, [&](postgres_connection& connection) {
    return read_postgres_ledger(connection, consumer_);
  });
}

result<std::int64_t> postgres_janitor_session::advance_clock(std::int64_t elapsed_ms) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  auto clock = (*got)->run(
      "UPDATE pawl.consumer SET clock_ms = clock_ms + $2::bigint WHERE number = $1::int RETURNING "
      "clock_ms",
      {text_of(consumer_.value), text_of(elapsed_ms)});
  if (!clock) {
    return clock.error();
  }
  return pg::cell(*clock, 0, 0).number();
}

status postgres_janitor_session::rotate() {
  auto frozen = in_transaction(
      link_, [&](postgres_connection& connection) { return rotate_inside(connection, consumer_); });
  if (!frozen) {
    return frozen.error();
  }
  // Once and for all: nothing writes there any more, and look-ups then read the index alone. The
  // rotation stands whether or not this works.
  postgres_connection* connection = link_.current();
  for (const std::string& sql :
       {std::string("SET statement_timeout = 0"),
        "VACUUM (ANALYZE) " + ledger_table_name(consumer_, *frozen),
        "SET statement_timeout = " + text_of(link_.timeouts().statement_ms)}) {
    if (!connection->exec(sql)) {
      link_.drop();
      break;
    }
  }
  return {};
}

status postgres_janitor_session::record_highest(std::int64_t generation,
                                                std::span<const source_position> highest) {
  return in_transaction(link_, [&](postgres_connection& connection) -> status {
    auto slot = slot_of(connection, consumer_, generation, generation_state::frozen);
    if (!slot) {
      return slot.error();
    }
    const std::string consumer = text_of(consumer_.value);
    const position_arrays positions(highest);
    return run_all(
        connection,
        {{"DELETE FROM pawl.generation_position WHERE consumer = $1::int AND slot = $2::int",
          {consumer, text_of(*slot)}},
         {"INSERT INTO pawl.generation_position (consumer, slot, source, partition, position, "
          "identity) SELECT " +
              consumer + ", " + text_of(*slot) +
              ", p.* FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS p",
          positions.arrays},
         {"UPDATE pawl.generation SET positions_known = true WHERE consumer = $1::int AND slot = "
          "$2::int",
          {consumer, text_of(*slot)}}});
  });
}

status postgres_janitor_session::retire(std::int64_t generation) {
  return in_transaction(link_, [&](postgres_connection& connection) -> status {
    if (auto stopped = stop_commits(connection, consumer_); !stopped) {
      return stopped;
    }
    auto slot = slot_of(connection, consumer_, generation, generation_state::frozen);
    if (!slot) {
      return slot.error();
    }
    return run_all(connection,
                   {{"UPDATE pawl.generation SET state = 'retired' WHERE consumer = $1::int AND "
                     "slot = $2::int",
                     {text_of(consumer_.value), text_of(*slot)}}});
  });
}

status postgres_janitor_session::truncate(std::int64_t generation) {
  return in_transaction(link_, [&](postgres_connection& connection) -> status {
    auto slot = slot_of(connection, consumer_, generation, generation_state::retired);
    if (!slot) {
      return slot.error();
    }
    if (auto emptied =
            connection.exec("SET LOCAL lock_timeout = " + std::to_string(truncate_lock_ms) +
                            "; TRUNCATE " + ledger_table_name(consumer_, *slot));
        !emptied) {
      return emptied.error();
    }
    const pg::parameters which{text_of(consumer_.value), text_of(*slot)};
    return run_all(
        connection,
        {{"DELETE FROM pawl.generation_position WHERE consumer = $1::int AND slot = $2::int",
          which},
         {"UPDATE pawl.generation SET state = 'empty', positions_known = false WHERE consumer = "
          "$1::int AND slot = $2::int",
          which}});
  });
}

result<std::vector<source_position>> postgres_janitor_session::positions() {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  return read_postgres_positions(**got, consumer_);
}

status postgres_janitor_session::save_positions(std::span<const source_position> positions) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  const position_arrays rows(positions);
  // The highest of a partition given twice stands: one statement can't write a row twice.
  auto saved = (*got)->run(
      "INSERT INTO pawl.position AS p (consumer, source, partition, position, identity) SELECT "
      "DISTINCT ON (d.source, d.partition) " +
          text_of(consumer_.value) +
          ", d.source, d.partition, d.position, d.identity FROM unnest($1::text[], $2::text[], "
          "$3::bigint[], $4::text[]) WITH ORDINALITY AS d(source, partition, position, identity, "
          "ord) ORDER BY d.source, d.partition, d.position DESC, d.ord DESC ON CONFLICT (consumer, "
          "source, partition) DO UPDATE SET position = excluded.position, identity = "
          "excluded.identity WHERE excluded.identity <> p.identity OR excluded.position > "
          "p.position",
      rows.arrays);
  if (!saved) {
    return saved.error();
  }
  return {};
}

result<std::vector<marked_dead_letter>> postgres_janitor_session::marked(std::size_t limit) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  auto rows = (*got)->run(
      "SELECT id, entity_type, entity_key, shard, mark FROM pawl.dead_letter WHERE consumer = "
      "$1::int AND mark <> 'none' ORDER BY id LIMIT $2::bigint",
      {text_of(consumer_.value), std::to_string(limit)});
  if (!rows) {
    return rows.error();
  }
  std::vector<marked_dead_letter> marks;
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    marks.push_back({pg::cell(*rows, row, 0).number(),
                     {pg::cell(*rows, row, 1).text(), pg::cell(*rows, row, 2).text()},
                     {static_cast<std::uint32_t>(pg::cell(*rows, row, 3).number())},
                     dead_letter_mark_from(pg::cell(*rows, row, 4).view())});
  }
  return marks;
}

result<std::vector<undrained_entity>> postgres_janitor_session::undrained(std::size_t limit) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  auto rows = (*got)->run(
      "SELECT e.type, e.key, e.shard, 'behind_dead' FROM pawl.entity AS e WHERE e.consumer = "
      "$1::int AND e.blocked AND NOT EXISTS (SELECT 1 FROM pawl.dead_letter AS l WHERE l.consumer "
      "= e.consumer AND l.entity_type = e.type AND l.entity_key = e.key AND l.blocks) UNION ALL "
      "SELECT DISTINCT e.type, e.key, e.shard, 'gap' FROM pawl.parked AS p JOIN pawl.entity AS e "
      "ON e.consumer = p.consumer AND e.type = p.entity_type AND e.key = p.entity_key WHERE "
      "p.consumer = $1::int AND p.why = 'gap' AND p.version <= e.version + 1 LIMIT $2::bigint",
      {text_of(consumer_.value), std::to_string(limit)});
  if (!rows) {
    return rows.error();
  }
  std::vector<undrained_entity> found;
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    found.push_back({{pg::cell(*rows, row, 0).text(), pg::cell(*rows, row, 1).text()},
                     {static_cast<std::uint32_t>(pg::cell(*rows, row, 2).number())},
                     pg::cell(*rows, row, 3).view() == name_of(park_reason::gap)
                         ? park_reason::gap
                         : park_reason::behind_dead});
  }
  return found;
}

}  // namespace pawl
