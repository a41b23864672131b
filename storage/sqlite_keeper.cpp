#include "storage/sqlite_keeper.hpp"

#include "storage/sqlite_migrations.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pawl {

namespace {

constexpr std::uint32_t shards_max = 65'536;

}  // namespace

sqlite_keeper_session::sqlite_keeper_session(const std::string& file, std::int64_t lock_ms)
    : db_(file, sqlite_access::write, lock_ms) {
  require_sqlite_schema(db_);
}

consumer_number sqlite_keeper_session::register_consumer(const consumer_registration& wanted) {
  std::optional<std::int64_t> number;
  std::int64_t shards = 0;
  db_.one(
      "SELECT number, shards FROM pawl_consumer WHERE name = ?1",
      [&](const sqlite_statement& row) {
        number = row.number(0);
        shards = row.number(1);
      },
      wanted.consumer);
  if (number) {
    if (shards != wanted.shards) {
      throw sqlite_failure(
          fault::refused, "shard_count",
          fmt::format("consumer '{}' was started with {} shards and is now given {}: the count is "
                      "fixed at the first start, so set it back to {}",
                      wanted.consumer, shards, wanted.shards, shards));
    }
    return {static_cast<std::int32_t>(*number)};
  }
  if (wanted.shards == 0 || wanted.shards > shards_max) {
    throw sqlite_failure(
        fault::refused, "shard_count",
        fmt::format("a consumer has 1 to {} shards, not {}", shards_max, wanted.shards));
  }
  const consumer_number made{static_cast<std::int32_t>(
      *db_.number("INSERT INTO pawl_consumer(name, shards) VALUES(?1, ?2) RETURNING number",
                  wanted.consumer, wanted.shards))};
  for (std::uint32_t shard = 0; shard < wanted.shards; ++shard) {
    db_.run("INSERT INTO pawl_lease(consumer, shard, epoch) VALUES(?1, ?2, 0)", made, shard);
  }
  make_sqlite_ring(db_, made);
  return made;
}

result<node_registration> sqlite_keeper_session::register_node(
    const consumer_registration& wanted) {
  return answered([&] {
    return db_.transaction([&] {
      node_registration made{.consumer = register_consumer(wanted), .node = {}};
      db_.one(
          "INSERT INTO pawl_node(consumer, number, name, incarnation, lease_ms, expires_ms)"
          " VALUES(?1, (SELECT coalesce(max(number), 0) + 1 FROM pawl_node WHERE consumer = ?1),"
          " ?2, 1, ?3, 0) ON CONFLICT(consumer, name)"
          " DO UPDATE SET incarnation = incarnation + 1, lease_ms = excluded.lease_ms"
          " RETURNING number, incarnation",
          [&](const sqlite_statement& row) {
            made.node = {static_cast<std::int32_t>(row.number(0))};
            made.incarnation = row.number(1);
          },
          made.consumer, wanted.node, wanted.lease_ms);
      return made;
    });
  });
}

void sqlite_keeper_session::require_free(const node_registration& node) {
  db_.one(
      "SELECT n.name, n.expires_ms - ?3, count(*) FROM pawl_lease AS l JOIN pawl_node AS n"
      " ON n.consumer = l.consumer AND n.number = l.node"
      " WHERE l.consumer = ?1 AND l.node <> ?2 AND n.expires_ms > ?3"
      " GROUP BY n.number ORDER BY n.expires_ms DESC",
      [](const sqlite_statement& row) {
        throw sqlite_failure(
            fault::refused, "held",
            fmt::format("node '{0}' holds {2} shards of this consumer for another {1} ms, and a "
                        "SQLite file has one running node: stop it, wait until its lease is over, "
                        "or start this one as `node.name: {0}` to take its place at once",
                        row.text(0), row.number(1), row.number(2)));
      },
      node.consumer, node.node, db_.now());
}

bool sqlite_keeper_session::renew(const node_registration& node, bool live) {
  return db_.run(
             "UPDATE pawl_node SET expires_ms = ?4 + lease_ms * ?5"
             " WHERE consumer = ?1 AND number = ?2 AND incarnation = ?3",
             node.consumer, node.node, node.incarnation, db_.now(), live) == 1;
}

result<std::vector<shard_grant>> sqlite_keeper_session::take_leases(const node_registration& node) {
  return answered([&] {
    return db_.transaction([&] {
      if (!renew(node, true)) {
        throw sqlite_failure(fault::refused, "superseded",
                             "another process registered this node's name since: only one of the "
                             "two may run, give the other one a name of its own");
      }
      require_free(node);
      std::vector<shard_grant> grants;
      db_.each(
          "UPDATE pawl_lease SET node = ?2, epoch = epoch + 1 WHERE consumer = ?1"
          " RETURNING shard, epoch",
          [&](const sqlite_statement& row) {
            grants.push_back({{static_cast<std::uint32_t>(row.number(0))}, {row.number(1)}});
          },
          node.consumer, node.node);
      std::ranges::sort(grants, {}, &shard_grant::shard);
      return grants;
    });
  });
}

result<bool> sqlite_keeper_session::heartbeat(const node_registration& node) {
  return answered([&] { return db_.transaction([&] { return renew(node, true); }); });
}

status sqlite_keeper_session::release(const node_registration& node) {
  return answered([&] { db_.transaction([&] { renew(node, false); }); });
}

}  // namespace pawl
