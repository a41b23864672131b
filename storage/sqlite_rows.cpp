#include "storage/sqlite_rows.hpp"

#include <fmt/format.h>

#include <map>

namespace pawl {

namespace {

constexpr std::string_view parked_columns =
    "sequence, key, entity_type, entity_key, shard, why, version, content, envelope";
constexpr std::string_view dead_letter_columns =
    "id, key, entity_type, entity_key, shard, content, reason, text, attempts, blocks, version,"
    " envelope, mark, count, since_ms";

std::optional<message_version> version_in(const sqlite_statement& row, int column) {
  if (row.is_null(column)) {
    return std::nullopt;
  }
  return message_version{row.number(column)};
}

parked_row parked_in(const sqlite_statement& row) {
  parked_row parked;
  parked.sequence = {row.number(0)};
  parked.key = row.key(1);
  parked.entity = {row.text(2), row.text(3)};
  parked.shard = {static_cast<std::uint32_t>(row.number(4))};
  parked.why =
      row.text(5) == name_of(park_reason::gap) ? park_reason::gap : park_reason::behind_dead;
  parked.version = version_in(row, 6);
  parked.content = row.content(7);
  parked.envelope = row.text(8);
  return parked;
}

dead_letter_row dead_letter_in(const sqlite_statement& row) {
  dead_letter_row dead;
  dead.id = row.number(0);
  dead.key = row.key(1);
  dead.entity = {row.text(2), row.text(3)};
  dead.shard = {static_cast<std::uint32_t>(row.number(4))};
  dead.content = row.content(5);
  dead.reason = row.text(6);
  dead.text = row.text(7);
  dead.attempts = static_cast<int>(row.number(8));
  dead.blocks = row.number(9) != 0;
  dead.version = version_in(row, 10);
  dead.envelope = row.text(11);
  dead.mark = static_cast<dead_letter_mark>(row.number(12));
  dead.count = row.number(13);
  dead.since = row.number(14);
  return dead;
}

template <class... Values>
std::vector<dead_letter_row> dead_letters_where(sqlite_db& db, std::string_view condition,
                                                const Values&... values) {
  std::vector<dead_letter_row> found;
  db.each(
      fmt::format("SELECT {} FROM pawl_dead_letter WHERE {}", dead_letter_columns, condition),
      [&](const sqlite_statement& row) { found.push_back(dead_letter_in(row)); }, values...);
  return found;
}

}  // namespace

loaded_entity read_entity(sqlite_db& db, consumer_number consumer, const entity_ref& entity) {
  loaded_entity loaded;
  db.one(
      "SELECT revision, version, version_content, blocked, state FROM pawl_entity"
      " WHERE consumer = ?1 AND entity_type = ?2 AND entity_key = ?3",
      [&](const sqlite_statement& row) {
        loaded.row.revision = {row.number(0)};
        loaded.row.version = version_in(row, 1);
        loaded.row.version_content = row.content(2);
        loaded.row.blocked = row.number(3) != 0;
        if (!row.is_null(4)) {
          loaded.row.state = row.text(4);
        }
      },
      consumer, entity.type, entity.key);
  db.one(
      "SELECT min(version) FROM pawl_parked"
      " WHERE consumer = ?1 AND entity_type = ?2 AND entity_key = ?3 AND why = 'gap'",
      [&](const sqlite_statement& row) { loaded.lowest_gap = version_in(row, 0); }, consumer,
      entity.type, entity.key);
  loaded.parked_behind = db.number(
                               "SELECT 1 FROM pawl_parked WHERE consumer = ?1 AND entity_type = ?2"
                               " AND entity_key = ?3 AND why = 'behind_dead' LIMIT 1",
                               consumer, entity.type, entity.key)
                             .has_value();
  return loaded;
}

std::vector<parked_row> read_parked(sqlite_db& db, consumer_number consumer,
                                    const entity_ref& entity, park_reason why, std::size_t limit) {
  std::vector<parked_row> found;
  // The reason stands in the text, or the partial indexes could not serve.
  db.each(
      fmt::format("SELECT {} FROM pawl_parked WHERE consumer = ?1 AND entity_type = ?2"
                  " AND entity_key = ?3 AND why = '{}' ORDER BY {} LIMIT ?4",
                  parked_columns, name_of(why),
                  why == park_reason::gap ? "version, sequence" : "sequence"),
      [&](const sqlite_statement& row) { found.push_back(parked_in(row)); }, consumer, entity.type,
      entity.key, limit);
  return found;
}

std::optional<parked_row> read_parked(sqlite_db& db, consumer_number consumer,
                                      const ledger_key& key) {
  std::optional<parked_row> found;
  db.one(
      fmt::format("SELECT {} FROM pawl_parked WHERE consumer = ?1 AND key = ?2", parked_columns),
      [&](const sqlite_statement& row) { found = parked_in(row); }, consumer, key);
  return found;
}

std::optional<dead_letter_row> read_dead_letter(sqlite_db& db, consumer_number consumer,
                                                std::int64_t id) {
  auto found = dead_letters_where(db, "consumer = ?1 AND id = ?2", consumer, id);
  if (found.empty()) {
    return std::nullopt;
  }
  return std::move(found.front());
}

std::vector<dead_letter_row> read_dead_letters(sqlite_db& db, consumer_number consumer,
                                               const ledger_key& key) {
  return dead_letters_where(db, "consumer = ?1 AND key = ?2 ORDER BY id", consumer, key);
}

std::vector<dead_letter_row> read_dead_letters(sqlite_db& db, consumer_number consumer,
                                               std::size_t limit) {
  return dead_letters_where(db, "consumer = ?1 ORDER BY id LIMIT ?2", consumer, limit);
}

ledger_status read_ledger(sqlite_db& db, consumer_number consumer) {
  ledger_status found;
  found.clock_ms =
      db.number("SELECT clock_ms FROM pawl_consumer WHERE number = ?1", consumer).value_or(0);
  std::map<std::int64_t, std::vector<source_position>> highest;
  db.each(
      "SELECT generation, source, partition, position, identity FROM pawl_generation_position"
      " WHERE consumer = ?1 ORDER BY generation, source, partition",
      [&](const sqlite_statement& row) {
        highest[row.number(0)].push_back({row.text(1), row.text(2), row.number(3), row.text(4)});
      },
      consumer);
  db.each(
      "SELECT slot, number, state, opened_ms, closed_ms, rows, positions_known"
      " FROM pawl_generation WHERE consumer = ?1 ORDER BY slot",
      [&](const sqlite_statement& row) {
        ledger_generation generation;
        generation.slot = static_cast<int>(row.number(0));
        generation.number = row.number(1);
        for (const auto state : {generation_state::current, generation_state::frozen,
                                 generation_state::retired, generation_state::empty}) {
          if (row.text(2) == name_of(state)) {
            generation.state = state;
          }
        }
        generation.opened_ms = row.number(3);
        generation.closed_ms = row.number(4);
        generation.rows = row.number(5);
        generation.positions_known = row.number(6) != 0;
        if (generation.positions_known) {
          generation.highest = highest[generation.number];
        }
        found.ring.push_back(std::move(generation));
      },
      consumer);
  return found;
}

std::vector<source_position> read_positions(sqlite_db& db, consumer_number consumer) {
  std::vector<source_position> found;
  db.each(
      "SELECT source, partition, position, identity FROM pawl_position WHERE consumer = ?1"
      " ORDER BY source, partition",
      [&](const sqlite_statement& row) {
        found.push_back({row.text(0), row.text(1), row.number(2), row.text(3)});
      },
      consumer);
  return found;
}

consumer_number find_consumer(sqlite_db& db, std::string_view name) {
  const auto number = db.number("SELECT number FROM pawl_consumer WHERE name = ?1", name);
  if (!number) {
    throw sqlite_failure(fault::refused, "no_consumer",
                         fmt::format("consumer '{}' has never run on this file", name));
  }
  return {static_cast<std::int32_t>(*number)};
}

}  // namespace pawl
