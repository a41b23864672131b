#include "storage/sqlite_janitor.hpp"

#include "storage/sqlite_migrations.hpp"
#include "storage/sqlite_rows.hpp"

#include <fmt/format.h>

namespace pawl {

sqlite_janitor_session::sqlite_janitor_session(const std::string& file, std::int64_t lock_ms,
                                               const std::string& consumer)
    : db_(file, sqlite_access::write, lock_ms) {
  require_sqlite_schema(db_);
  consumer_ = find_consumer(db_, consumer);
  // Debian's SQLite overwrites deleted rows with zeros: that would write a whole generation into
  // the log just to drop it, and it holds hashes only.
  db_.execute("PRAGMA secure_delete = OFF");
}

result<ledger_status> sqlite_janitor_session::ledger() {
  return answered([&] { return db_.snapshot([&] { return read_ledger(db_, consumer_); }); });
}

result<std::int64_t> sqlite_janitor_session::advance_clock(std::int64_t elapsed_ms) {
  return answered([&] {
    return db_.transaction([&] {
      db_.run("UPDATE pawl_consumer SET clock_ms = clock_ms + ?2 WHERE number = ?1", consumer_,
              elapsed_ms);
      return *db_.number("SELECT clock_ms FROM pawl_consumer WHERE number = ?1", consumer_);
    });
  });
}

status sqlite_janitor_session::rotate() {
  return answered([&] {
    db_.transaction([&] {
      const auto slot = db_.number(
          "SELECT slot FROM pawl_generation WHERE consumer = ?1 AND state = 'empty'"
          " ORDER BY number, slot",
          consumer_);
      if (!slot) {
        throw sqlite_failure(fault::refused, "ring_full",
                             "every table of the ledger's ring holds rows that are still needed");
      }
      const auto clock =
          db_.number("SELECT clock_ms FROM pawl_consumer WHERE number = ?1", consumer_);
      db_.run(
          "UPDATE pawl_generation SET state = 'frozen', closed_ms = ?2"
          " WHERE consumer = ?1 AND state = 'current'",
          consumer_, clock);
      db_.run(
          "UPDATE pawl_generation SET state = 'current', opened_ms = ?2, closed_ms = 0, rows = 0,"
          " positions_known = 0,"
          " number = (SELECT max(number) + 1 FROM pawl_generation WHERE consumer = ?1)"
          " WHERE consumer = ?1 AND slot = ?3",
          consumer_, clock, slot);
    });
  });
}

status sqlite_janitor_session::record_highest(std::int64_t generation,
                                              std::span<const source_position> highest) {
  return answered([&] {
    db_.transaction([&] {
      const auto known = db_.run(
          "UPDATE pawl_generation SET positions_known = 1 WHERE consumer = ?1 AND number = ?2"
          " AND state <> 'empty'",
          consumer_, generation);
      if (known == 0) {
        throw sqlite_failure(fault::refused, "no_generation",
                             fmt::format("the ledger has no generation {}", generation));
      }
      db_.run("DELETE FROM pawl_generation_position WHERE consumer = ?1 AND generation = ?2",
              consumer_, generation);
      for (const source_position& each : highest) {
        db_.run(
            "INSERT INTO pawl_generation_position"
            "(consumer, generation, source, partition, position, identity)"
            " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
            consumer_, generation, each.source, each.partition, each.position, each.identity);
      }
    });
  });
}

status sqlite_janitor_session::retire(std::int64_t generation) {
  return answered([&] {
    db_.transaction([&] {
      const auto retired = db_.run(
          "UPDATE pawl_generation SET state = 'retired' WHERE consumer = ?1 AND number = ?2"
          " AND state IN ('frozen', 'retired')",
          consumer_, generation);
      if (retired == 0) {
        throw sqlite_failure(fault::refused, "not_frozen",
                             fmt::format("generation {} is not a frozen one", generation));
      }
    });
  });
}

status sqlite_janitor_session::truncate(std::int64_t generation) {
  status done = answered([&] {
    db_.transaction([&] {
      const auto slot = db_.number(
          "SELECT slot FROM pawl_generation WHERE consumer = ?1 AND number = ?2"
          " AND state = 'retired'",
          consumer_, generation);
      if (!slot) {
        throw sqlite_failure(
            fault::refused, "not_retired",
            fmt::format("generation {} is not retired: commits may still read it", generation));
      }
      db_.execute(
          fmt::format("DELETE FROM {}", sqlite_ledger_table(consumer_, static_cast<int>(*slot))));
      db_.run(
          "UPDATE pawl_generation SET state = 'empty', rows = 0, positions_known = 0"
          " WHERE consumer = ?1 AND slot = ?2",
          consumer_, slot);
      db_.run("DELETE FROM pawl_generation_position WHERE consumer = ?1 AND generation = ?2",
              consumer_, generation);
    });
  });
  if (!done && done.error().kind == fault::retry) {
    return error{fault::contended, done.error().code, done.error().text};
  }
  return done;
}

result<std::vector<source_position>> sqlite_janitor_session::positions() {
  return answered([&] { return read_positions(db_, consumer_); });
}

status sqlite_janitor_session::save_positions(std::span<const source_position> positions) {
  return answered([&] {
    db_.transaction([&] {
      for (const source_position& each : positions) {
        db_.run(
            "INSERT INTO pawl_position(consumer, source, partition, position, identity)"
            " VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT(consumer, source, partition)"
            " DO UPDATE SET position = excluded.position, identity = excluded.identity"
            " WHERE excluded.identity <> identity OR excluded.position > position",
            consumer_, each.source, each.partition, each.position, each.identity);
      }
    });
  });
}

result<std::vector<marked_dead_letter>> sqlite_janitor_session::marked(std::size_t limit) {
  return answered([&] {
    std::vector<marked_dead_letter> found;
    db_.each(
        "SELECT id, entity_type, entity_key, shard, mark FROM pawl_dead_letter"
        " WHERE consumer = ?1 AND mark <> 0 ORDER BY id LIMIT ?2",
        [&](const sqlite_statement& row) {
          found.push_back({row.number(0),
                           {row.text(1), row.text(2)},
                           {static_cast<std::uint32_t>(row.number(3))},
                           static_cast<dead_letter_mark>(row.number(4))});
        },
        consumer_, limit);
    return found;
  });
}

result<std::vector<undrained_entity>> sqlite_janitor_session::undrained(std::size_t limit) {
  return answered([&] {
    return db_.snapshot([&] {
      std::vector<undrained_entity> found;
      const auto keep = [&found](park_reason why) {
        return [&found, why](const sqlite_statement& row) {
          found.push_back(
              {{row.text(0), row.text(1)}, {static_cast<std::uint32_t>(row.number(2))}, why});
        };
      };
      db_.each(
          "SELECT entity_type, entity_key, shard FROM pawl_entity AS e"
          " WHERE consumer = ?1 AND blocked = 1 AND NOT EXISTS(SELECT 1 FROM pawl_dead_letter AS d"
          " WHERE d.consumer = ?1 AND d.entity_type = e.entity_type"
          " AND d.entity_key = e.entity_key AND d.blocks) LIMIT ?2",
          keep(park_reason::behind_dead), consumer_, limit);
      db_.each(
          "SELECT p.entity_type, p.entity_key, p.shard FROM pawl_parked AS p"
          " LEFT JOIN pawl_entity AS e ON e.consumer = p.consumer"
          " AND e.entity_type = p.entity_type AND e.entity_key = p.entity_key"
          " WHERE p.consumer = ?1 AND p.why = 'gap'"
          " GROUP BY p.entity_type, p.entity_key"
          " HAVING min(p.version) - 1 <= coalesce(e.version, 0) LIMIT ?2",
          keep(park_reason::gap), consumer_, limit - found.size());
      return found;
    });
  });
}

}  // namespace pawl
