#include "storage/postgres_keeper.hpp"

#include "storage/postgres_locks.hpp"
#include "storage/postgres_migrations.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace pawl {

namespace {

/// Commit tokens of so many older incarnations are kept: one of them may still settle a doubt.
constexpr int token_incarnations_kept = 8;

std::string text_of(std::int64_t number) { return std::to_string(number); }

struct consumer_row {
  consumer_number number;
  std::uint32_t shards = 0;
};

/// Finds or makes the consumer, and holds its row until the transaction ends.
result<consumer_row> hold_consumer(postgres_connection& connection,
                                   const consumer_registration& wanted) {
  auto made = connection.run(
      "INSERT INTO pawl.consumer (name, shards) SELECT $1, $2::int WHERE NOT EXISTS (SELECT 1 FROM "
      "pawl.consumer WHERE name = $1) ON CONFLICT DO NOTHING RETURNING number",
      {wanted.consumer, text_of(wanted.shards)});
  if (!made) {
    return made.error();
  }
  auto held =
      connection.run("SELECT number, shards FROM pawl.consumer WHERE name = $1 FOR NO KEY UPDATE",
                     {wanted.consumer});
  if (!held) {
    return held.error();
  }
  const consumer_row row{{static_cast<std::int32_t>(pg::cell(*held, 0, 0).number())},
                         static_cast<std::uint32_t>(pg::cell(*held, 0, 1).number())};
  if (pg::row_count(*made) == 0) {
    return row;
  }
  if (auto ring = create_ledger_ring(connection, row.number); !ring) {
    return ring.error();
  }
  auto leases = connection.run(
      "INSERT INTO pawl.lease (consumer, shard) SELECT $1::int, s FROM generate_series(0, $2::int "
      "- 1) AS s",
      {text_of(row.number.value), text_of(row.shards)});
  if (!leases) {
    return leases.error();
  }
  return row;
}

result<node_registration> register_inside(postgres_connection& connection,
                                          const consumer_registration& wanted) {
  auto consumer = hold_consumer(connection, wanted);
  if (!consumer) {
    return consumer.error();
  }
  if (consumer->shards != wanted.shards) {
    return error{
        fault::refused, "shards",
        "consumer " + wanted.consumer + " was started with " + std::to_string(consumer->shards) +
            " shards, the configuration says " + std::to_string(wanted.shards) +
            ": the number is fixed at the first start, write " + std::to_string(consumer->shards)};
  }
  auto node = connection.run(
      "INSERT INTO pawl.node AS n (consumer, name, lease_ms) VALUES ($1::int, $2, $3::bigint) ON "
      "CONFLICT (consumer, name) DO UPDATE SET incarnation = n.incarnation + 1, lease_ms = "
      "excluded.lease_ms RETURNING number, incarnation",
      {text_of(consumer->number.value), wanted.node, text_of(wanted.lease_ms)});
  if (!node) {
    return node.error();
  }
  const node_registration made{consumer->number,
                               {static_cast<std::int32_t>(pg::cell(*node, 0, 0).number())},
                               pg::cell(*node, 0, 1).number()};
  auto pruned = connection.run(
      "DELETE FROM pawl.commit_token WHERE node = $1::int AND incarnation < $2::bigint",
      {text_of(made.node.value), text_of(made.incarnation - token_incarnations_kept)});
  if (!pruned) {
    return pruned.error();
  }
  return made;
}

error replaced() {
  return {fault::refused, "node",
          "another process has started with this node's name: only the newest may run"};
}

/// Holds this node's row and answers its lease time. `refused` if a newer incarnation is there.
result<std::int64_t> hold_own_row(postgres_connection& connection, const node_registration& node) {
  auto own = connection.run(
      "SELECT lease_ms FROM pawl.node WHERE number = $1::int AND incarnation = $2::bigint FOR NO "
      "KEY UPDATE",
      {text_of(node.node.value), text_of(node.incarnation)});
  if (!own) {
    return own.error();
  }
  if (pg::row_count(*own) == 0) {
    return replaced();
  }
  return pg::cell(*own, 0, 0).number();
}

/// Holds the lease rows, then the rows of their owners, so that none comes back to life meanwhile.
/// Answers the nodes whose fences must be taken; `refused` if another live one is among them.
result<std::vector<node_number>> hold_owners(postgres_connection& connection,
                                             const node_registration& node) {
  const pg::parameters consumer{text_of(node.consumer.value)};
  auto leases = connection.run(
      "SELECT 1 FROM pawl.lease WHERE consumer = $1::int ORDER BY shard FOR NO KEY UPDATE",
      consumer);
  if (!leases) {
    return leases.error();
  }
  auto owners = connection.run(
      "SELECT number, name, ceil(extract(epoch FROM expires - clock_timestamp()) * 1000)::bigint, "
      "expires > clock_timestamp() FROM pawl.node WHERE number IN (SELECT node FROM pawl.lease "
      "WHERE consumer = $1::int) ORDER BY number FOR NO KEY UPDATE",
      consumer);
  if (!owners) {
    return owners.error();
  }
  std::vector<node_number> fences;
  for (std::size_t row = 0; row < pg::row_count(*owners); ++row) {
    const node_number owner{static_cast<std::int32_t>(pg::cell(*owners, row, 0).number())};
    if (owner != node.node && pg::cell(*owners, row, 3).truth()) {
      return error{fault::refused, "lease",
                   "node " + pg::cell(*owners, row, 1).text() +
                       " holds shards of this consumer; its lease ends in " +
                       pg::cell(*owners, row, 2).text() + " ms unless it is renewed: stop it, or " +
                       "give this process its node.name to take over at once"};
    }
    fences.push_back(owner);
  }
  return fences;
}

/// Takes the owners' fences; if open commits outlast the lease time, their sessions are ended.
status take_over(postgres_connection& connection, const std::vector<node_number>& fences,
                 std::int64_t lease_ms) {
  const std::string patience = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ";
  if (auto set = connection.exec(patience + text_of(lease_ms) + "; SAVEPOINT pawl_takeover");
      !set) {
    return set.error();
  }
  auto taken = take_fences(connection, fences);
  if (taken || taken.error().kind != fault::contended) {
    return taken;
  }
  if (auto undone = connection.exec("ROLLBACK TO SAVEPOINT pawl_takeover"); !undone) {
    return undone.error();
  }
  for (const node_number owner : fences) {
    if (auto ended = end_sessions_of(connection, owner); !ended) {
      return ended;
    }
  }
  return take_fences(connection, fences);
}

result<std::vector<shard_grant>> take_inside(postgres_connection& connection,
                                             const node_registration& node) {
  auto lease_ms = hold_own_row(connection, node);
  if (!lease_ms) {
    return lease_ms.error();
  }
  auto fences = hold_owners(connection, node);
  if (!fences) {
    return fences.error();
  }
  if (auto taken = take_over(connection, *fences, *lease_ms); !taken) {
    return taken.error();
  }
  auto granted = connection.run(
      "UPDATE pawl.lease SET epoch = epoch + 1, node = $2::int WHERE consumer = $1::int RETURNING "
      "shard, epoch",
      {text_of(node.consumer.value), text_of(node.node.value)});
  if (!granted) {
    return granted.error();
  }
  auto alive = connection.run(
      "UPDATE pawl.node SET expires = clock_timestamp() + lease_ms * interval '1 ms' WHERE number "
      "= $1::int",
      {text_of(node.node.value)});
  if (!alive) {
    return alive.error();
  }
  std::vector<shard_grant> grants;
  for (std::size_t row = 0; row < pg::row_count(*granted); ++row) {
    grants.push_back({{static_cast<std::uint32_t>(pg::cell(*granted, row, 0).number())},
                      {pg::cell(*granted, row, 1).number()}});
  }
  std::sort(grants.begin(), grants.end(), [](const shard_grant& left, const shard_grant& right) {
    return left.shard < right.shard;
  });
  return grants;
}

}  // namespace

result<node_registration> postgres_keeper_session::register_node(
    const consumer_registration& wanted) {
  return in_transaction(
      link_, [&](postgres_connection& connection) { return register_inside(connection, wanted); });
}

result<std::vector<shard_grant>> postgres_keeper_session::take_leases(
    const node_registration& node) {
  return in_transaction(
      link_, [&](postgres_connection& connection) { return take_inside(connection, node); });
}

result<bool> postgres_keeper_session::heartbeat(const node_registration& node) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  auto renewed = (*got)->run(
      "UPDATE pawl.node SET expires = clock_timestamp() + lease_ms * interval '1 ms' WHERE number "
      "= $1::int AND incarnation = $2::bigint",
      {text_of(node.node.value), text_of(node.incarnation)});
  if (!renewed) {
    return renewed.error();
  }
  return pg::affected(*renewed) == 1;
}

status postgres_keeper_session::release(const node_registration& node) {
  auto got = link_.get();
  if (!got) {
    return got.error();
  }
  auto released = (*got)->run(
      "UPDATE pawl.node SET expires = clock_timestamp() WHERE number = $1::int AND incarnation = "
      "$2::bigint",
      {text_of(node.node.value), text_of(node.incarnation)});
  if (!released) {
    return released.error();
  }
  return {};
}

}  // namespace pawl
