#include "storage/sqlite_migrations.hpp"

#include "storage/janitor_session.hpp"

#include <fmt/format.h>

#include <array>

namespace pawl {

namespace {

// Migration n makes version n from n - 1. What has been released is never edited: add a new one.
constexpr std::array migrations{
    R"sql(
CREATE TABLE pawl_consumer(
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  shards INTEGER NOT NULL,
  clock_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE pawl_node(
  consumer INTEGER NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  incarnation INTEGER NOT NULL,
  lease_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  PRIMARY KEY(consumer, number),
  UNIQUE(consumer, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE pawl_lease(
  consumer INTEGER NOT NULL,
  shard INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  node INTEGER,
  PRIMARY KEY(consumer, shard)
) STRICT, WITHOUT ROWID;

CREATE TABLE pawl_commit_token(
  consumer INTEGER NOT NULL,
  node INTEGER NOT NULL,
  committer INTEGER NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY(consumer, node, committer)
) STRICT, WITHOUT ROWID;

CREATE TABLE pawl_entity(
  consumer INTEGER NOT NULL,
  entity_type TEXT NOT NULL,
  entity_key TEXT NOT NULL,
  shard INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  version INTEGER,
  version_content INTEGER NOT NULL,
  blocked INTEGER NOT NULL,
  state BLOB,
  PRIMARY KEY(consumer, entity_type, entity_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX pawl_entity_blocked ON pawl_entity(consumer) WHERE blocked = 1;

CREATE TABLE pawl_generation(
  consumer INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  number INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'empty',
  opened_ms INTEGER NOT NULL DEFAULT 0,
  closed_ms INTEGER NOT NULL DEFAULT 0,
  rows INTEGER NOT NULL DEFAULT 0,
  positions_known INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(consumer, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE pawl_generation_position(
  consumer INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  source TEXT NOT NULL,
  partition TEXT NOT NULL,
  position INTEGER NOT NULL,
  identity TEXT NOT NULL,
  PRIMARY KEY(consumer, generation, source, partition)
) STRICT, WITHOUT ROWID;

CREATE TABLE pawl_position(
  consumer INTEGER NOT NULL,
  source TEXT NOT NULL,
  partition TEXT NOT NULL,
  position INTEGER NOT NULL,
  identity TEXT NOT NULL,
  PRIMARY KEY(consumer, source, partition)
) STRICT, WITHOUT ROWID;

CREATE TABLE pawl_parked(
  sequence INTEGER PRIMARY KEY,
  consumer INTEGER NOT NULL,
  key BLOB NOT NULL,
  entity_type TEXT NOT NULL,
  entity_key TEXT NOT NULL,
  shard INTEGER NOT NULL,
  why TEXT NOT NULL,
  version INTEGER,
  content INTEGER NOT NULL,
  envelope BLOB NOT NULL,
  UNIQUE(consumer, key)
) STRICT;
CREATE INDEX pawl_parked_behind ON pawl_parked(consumer, entity_type, entity_key)
  WHERE why = 'behind_dead';
CREATE INDEX pawl_parked_gap ON pawl_parked(consumer, entity_type, entity_key, version)
  WHERE why = 'gap';

-- AUTOINCREMENT: people name dead letters by id, so a deleted one's is never given again.
CREATE TABLE pawl_dead_letter(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  consumer INTEGER NOT NULL,
  key BLOB NOT NULL,
  content INTEGER NOT NULL,
  entity_type TEXT NOT NULL,
  entity_key TEXT NOT NULL,
  shard INTEGER NOT NULL,
  reason TEXT NOT NULL,
  text TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  blocks INTEGER NOT NULL,
  version INTEGER,
  envelope BLOB NOT NULL,
  mark INTEGER NOT NULL,
  count INTEGER NOT NULL,
  since_ms INTEGER NOT NULL,
  UNIQUE(consumer, key, content)
) STRICT;
CREATE INDEX pawl_dead_letter_entity ON pawl_dead_letter(consumer, entity_type, entity_key);
CREATE INDEX pawl_dead_letter_marked ON pawl_dead_letter(consumer, id) WHERE mark <> 0;
)sql",
};

[[noreturn]] void refuse_version(int found) {
  throw sqlite_failure(
      fault::refused, "schema_version",
      fmt::format("Pawl's tables in this file have version {}, and this program knows {}: {}",
                  found, sqlite_wanted_version(),
                  found < sqlite_wanted_version() ? "run `pawl migrate`" : "use a newer Pawl"));
}

}  // namespace

int sqlite_wanted_version() noexcept { return static_cast<int>(migrations.size()); }

int sqlite_schema_version(sqlite_db& db) {
  if (!db.number("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'pawl_meta'")) {
    return 0;
  }
  return static_cast<int>(
      db.number("SELECT value FROM pawl_meta WHERE name = 'schema_version'").value_or(0));
}

void require_sqlite_schema(sqlite_db& db) {
  const int found = sqlite_schema_version(db);
  if (found != sqlite_wanted_version()) {
    refuse_version(found);
  }
}

int migrate_sqlite(sqlite_db& db) {
  return db.transaction([&db] {
    const int found = sqlite_schema_version(db);
    if (found < 0 || found > sqlite_wanted_version()) {
      refuse_version(found);
    }
    if (found == sqlite_wanted_version()) {
      return 0;
    }
    db.execute(
        "CREATE TABLE IF NOT EXISTS pawl_meta("
        "name TEXT NOT NULL PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID");
    for (auto next = static_cast<std::size_t>(found); next < migrations.size(); ++next) {
      db.execute(migrations[next]);
    }
    db.run("INSERT OR REPLACE INTO pawl_meta(name, value) VALUES('schema_version', ?1)",
           sqlite_wanted_version());
    return sqlite_wanted_version() - found;
  });
}

std::string sqlite_ledger_table(consumer_number consumer, int slot) {
  return quoted(fmt::format("pawl_ledger_{}_{}", consumer.value, slot));
}

void make_sqlite_ring(sqlite_db& db, consumer_number consumer) {
  for (int slot = 0; slot < sqlite_ring_slots; ++slot) {
    db.execute(
        fmt::format("CREATE TABLE {}(key BLOB NOT NULL PRIMARY KEY, content INTEGER NOT NULL)"
                    " STRICT, WITHOUT ROWID",
                    sqlite_ledger_table(consumer, slot)));
    db.run("INSERT INTO pawl_generation(consumer, slot) VALUES(?1, ?2)", consumer, slot);
  }
  db.run("UPDATE pawl_generation SET number = 1, state = ?2 WHERE consumer = ?1 AND slot = 0",
         consumer, name_of(generation_state::current));
}

}  // namespace pawl
