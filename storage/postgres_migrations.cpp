#include "storage/postgres_migrations.hpp"

#include "storage/postgres_locks.hpp"

#include <array>
#include <string_view>

namespace pawl {

namespace {

// Migration n leads from version n - 1 to n. What has been released is never edited.
constexpr std::array<std::string_view, 1> migrations{R"sql(
CREATE TABLE pawl.consumer (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  shards int NOT NULL CHECK (shards > 0),
  clock_ms bigint NOT NULL DEFAULT 0
);
CREATE TABLE pawl.node (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  consumer int NOT NULL REFERENCES pawl.consumer,
  name text COLLATE "C" NOT NULL,
  incarnation bigint NOT NULL DEFAULT 1,
  lease_ms bigint NOT NULL,
  expires timestamptz NOT NULL DEFAULT 'epoch',
  UNIQUE (consumer, name)
);
CREATE TABLE pawl.lease (
  consumer int NOT NULL REFERENCES pawl.consumer,
  shard int NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  node int REFERENCES pawl.node,
  PRIMARY KEY (consumer, shard)
);
CREATE TABLE pawl.commit_token (
  node int NOT NULL REFERENCES pawl.node,
  committer int NOT NULL,
  incarnation bigint NOT NULL,
  number bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (node, committer, incarnation)
) WITH (fillfactor = 50);
CREATE TABLE pawl.entity (
  consumer int NOT NULL,
  type text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  shard int NOT NULL,
  revision bigint NOT NULL,
  version bigint,
  version_content bigint NOT NULL,
  blocked boolean NOT NULL,
  state bytea,
  PRIMARY KEY (consumer, type, key)
) WITH (fillfactor = 80);
CREATE INDEX entity_blocked ON pawl.entity (consumer) WHERE blocked;
CREATE TABLE pawl.generation (
  consumer int NOT NULL REFERENCES pawl.consumer,
  slot int NOT NULL,
  number bigint NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'empty',
  opened_ms bigint NOT NULL DEFAULT 0,
  closed_ms bigint NOT NULL DEFAULT 0,
  positions_known boolean NOT NULL DEFAULT false,
  PRIMARY KEY (consumer, slot)
);
CREATE TABLE pawl.generation_position (
  consumer int NOT NULL,
  slot int NOT NULL,
  source text COLLATE "C" NOT NULL,
  partition text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  identity text NOT NULL,
  PRIMARY KEY (consumer, slot, source, partition),
  FOREIGN KEY (consumer, slot) REFERENCES pawl.generation
);
CREATE TABLE pawl.dead_letter (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  consumer int NOT NULL,
  key uuid NOT NULL,
  fingerprint bigint NOT NULL,
  entity_type text COLLATE "C" NOT NULL,
  entity_key text COLLATE "C" NOT NULL,
  shard int NOT NULL,
  reason text NOT NULL,
  explanation text NOT NULL,
  attempts int NOT NULL,
  blocks boolean NOT NULL,
  version bigint,
  envelope bytea NOT NULL,
  mark text NOT NULL DEFAULT 'none',
  seen bigint NOT NULL DEFAULT 1,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (consumer, key, fingerprint)
);
CREATE INDEX dead_letter_entity ON pawl.dead_letter (consumer, entity_type, entity_key);
CREATE INDEX dead_letter_marked ON pawl.dead_letter (consumer, id) WHERE mark <> 'none';
CREATE TABLE pawl.parked (
  consumer int NOT NULL,
  key uuid NOT NULL,
  entity_type text COLLATE "C" NOT NULL,
  entity_key text COLLATE "C" NOT NULL,
  shard int NOT NULL,
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  why text NOT NULL,
  version bigint,
  fingerprint bigint NOT NULL,
  envelope bytea NOT NULL,
  PRIMARY KEY (consumer, key)
);
CREATE INDEX parked_behind ON pawl.parked (consumer, entity_type, entity_key, sequence)
  WHERE why = 'behind_dead';
CREATE INDEX parked_gap ON pawl.parked (consumer, entity_type, entity_key, version)
  WHERE why = 'gap';
CREATE TABLE pawl.position (
  consumer int NOT NULL REFERENCES pawl.consumer,
  source text COLLATE "C" NOT NULL,
  partition text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  identity text NOT NULL,
  PRIMARY KEY (consumer, source, partition)
);
)sql"};

constexpr std::string_view make_version_row =
    "CREATE SCHEMA IF NOT EXISTS pawl;"
    "CREATE TABLE pawl.meta (one boolean PRIMARY KEY DEFAULT true CHECK (one), "
    "version int NOT NULL);"
    "INSERT INTO pawl.meta (version) VALUES (0)";

result<int> apply_missing(postgres_connection& connection) {
  // Another migrator may take its time, and nothing can be done before it is through.
  if (auto waits = connection.exec("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; "
                                   "SELECT pg_advisory_xact_lock(" +
                                   std::to_string(postgres_migration_class) + ", 0)");
      !waits) {
    return waits.error();
  }
  auto found = postgres_schema_version(connection);
  if (!found) {
    return found;
  }
  const int wanted = postgres_schema_wanted();
  if (*found > wanted) {
    return error{fault::refused, "schema",
                 "the tables in schema pawl are of version " + std::to_string(*found) +
                     ", this program knows up to " + std::to_string(wanted) +
                     ": run the newer program"};
  }
  if (*found == 0) {
    if (auto made = connection.exec(std::string(make_version_row)); !made) {
      return made.error();
    }
  }
  for (int version = *found + 1; version <= wanted; ++version) {
    const std::string_view text = migrations[static_cast<std::size_t>(version - 1)];
    if (auto applied = connection.exec(std::string(text) +
                                       "UPDATE pawl.meta SET version = " + std::to_string(version));
        !applied) {
      return applied.error();
    }
  }
  return wanted - *found;
}

}  // namespace

int postgres_schema_wanted() noexcept { return static_cast<int>(migrations.size()); }

result<int> postgres_schema_version(postgres_connection& connection) {
  auto there = connection.exec("SELECT to_regclass('pawl.meta') IS NOT NULL");
  if (!there) {
    return there.error();
  }
  if (!pg::cell(*there, 0, 0).truth()) {
    return 0;
  }
  auto version = connection.exec("SELECT version FROM pawl.meta");
  if (!version) {
    return version.error();
  }
  return pg::row_count(*version) == 0 ? 0 : static_cast<int>(pg::cell(*version, 0, 0).number());
}

result<int> migrate_postgres(postgres_link& link) { return in_transaction(link, apply_missing); }

std::string ledger_table_name(consumer_number consumer, int slot) {
  return "pawl.ledger_" + std::to_string(consumer.value) + "_" + std::to_string(slot);
}

status create_ledger_ring(postgres_connection& connection, consumer_number consumer) {
  std::string sql;
  for (int slot = 0; slot < postgres_ledger_slots; ++slot) {
    sql += "CREATE TABLE " + ledger_table_name(consumer, slot) +
           " (key uuid PRIMARY KEY, fingerprint bigint NOT NULL);";
  }
  const std::string number = std::to_string(consumer.value);
  sql += "INSERT INTO pawl.generation (consumer, slot) SELECT " + number +
         ", s FROM generate_series(0, " + std::to_string(postgres_ledger_slots - 1) +
         ") AS s; UPDATE pawl.generation SET number = 1, state = 'current' WHERE consumer = " +
         number + " AND slot = 0";
  if (auto made = connection.exec(sql); !made) {
    return made.error();
  }
  return {};
}

}  // namespace pawl
