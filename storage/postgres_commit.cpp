#include "storage/postgres_commit.hpp"

#include "storage/postgres_array.hpp"
#include "storage/postgres_entities.hpp"
#include "storage/postgres_locks.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace pawl {

namespace {

/// $1 node, $2 committer, $3 incarnation; $4 and $5 shards and the epochs they were granted with.
std::string make_fence_text(consumer_number consumer) {
  const std::string number = std::to_string(consumer.value);
  return "WITH token AS (UPDATE pawl.commit_token SET number = number + 1 WHERE node = $1::int AND "
         "committer = $2::int AND incarnation = $3::bigint RETURNING number) SELECT (SELECT number "
         "FROM token), " +
         generation_set_sql(number) +
         ", (SELECT string_agg(g.shard::text, ',') FROM unnest($4::int[], $5::bigint[]) AS "
         "g(shard, epoch) LEFT JOIN pawl.lease AS l ON l.consumer = " +
         number + " AND l.shard = g.shard WHERE l.epoch IS DISTINCT FROM g.epoch)";
}

std::vector<shard_id> read_shards(std::string_view text) {
  std::vector<shard_id> shards;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    shard_id shard;
    at = std::from_chars(at, end, shard.value).ptr;
    shards.push_back(shard);
    at += at != end ? 1 : 0;
  }
  return shards;
}

/// A plan that was made while a table was small reads all of it, and is kept while the table grows,
/// up to a minute until it is analyzed. So plans are dropped whenever the number of transactions
/// has doubled, and every so many.
constexpr std::int64_t replan_transactions_max = 4096;
constexpr std::int64_t replan_first = 8;

error not_open() {
  return {fault::retry, "connection", "the transaction is gone: its connection was lost"};
}

}  // namespace

postgres_commit_session::postgres_commit_session(postgres_link link,
                                                 const commit_identity& identity,
                                                 const catalog* tables)
    : link_(std::move(link)),
      identity_(identity),
      fence_text_(make_fence_text(identity.node.consumer)),
      ledger_(identity.node.consumer),
      effects_(tables),
      waiting_(identity.node.consumer) {}

template <class Step>
auto postgres_commit_session::inside(Step&& step)
    -> decltype(step(std::declval<postgres_connection&>())) {
  postgres_connection* connection = link_.current();
  if (!open_ || connection == nullptr || !connection->alive()) {
    aborted_ = true;
    return not_open();
  }
  auto done = step(*connection);
  if (!done) {
    aborted_ = true;
  }
  return done;
}

status postgres_commit_session::send_inside(const std::string& sql) {
  return inside([&](postgres_connection& connection) -> status {
    if (auto sent = connection.exec(sql); !sent) {
      return sent.error();
    }
    return {};
  });
}

result<postgres_connection*> postgres_commit_session::ready() {
  if (link_.current() == nullptr || !link_.current()->alive()) {
    prepared_ = false;
  }
  auto got = link_.get();
  if (!got || prepared_) {
    return got;
  }
  for (const auto prepare : {&postgres_commit_session::prepare_token,
                             &postgres_commit_session::read_deferred_constraints}) {
    if (auto done = (this->*prepare)(**got); !done) {
      link_.drop();
      return done.error();
    }
  }
  prepared_ = true;
  begun_ = 0;
  next_replan_ = replan_first;
  return got;
}

status postgres_commit_session::prepare_token(postgres_connection& connection) {
  // The row must be there before the first commit: whoever settles a doubt waits on its lock.
  auto made = connection.run(
      "INSERT INTO pawl.commit_token (node, committer, incarnation) VALUES ($1::int, $2::int, "
      "$3::bigint) ON CONFLICT DO NOTHING",
      {std::to_string(identity_.node.node.value), std::to_string(identity_.committer),
       std::to_string(identity_.node.incarnation)});
  if (!made) {
    return made.error();
  }
  return {};
}

status postgres_commit_session::read_deferred_constraints(postgres_connection& connection) {
  auto names = connection.exec(
      "SELECT coalesce(string_agg(DISTINCT format('%I.%I', n.nspname, c.conname), ', '), '') FROM "
      "pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace WHERE "
      "c.condeferred");
  if (!names) {
    return names.error();
  }
  deferred_ = pg::cell(*names, 0, 0).text();
  return {};
}

std::string postgres_commit_session::replan() {
  if (++begun_ < next_replan_) {
    return {};
  }
  next_replan_ = begun_ + std::min(begun_, replan_transactions_max);
  return "DISCARD PLANS; ";
}

status postgres_commit_session::begin() {
  rollback();
  auto got = ready();
  if (!got) {
    return got.error();
  }
  savepoints_ = 0;
  aborted_ = false;
  open_ = true;
  // The lock travels with BEGIN. What it protects is read in the next statement: one that locks and
  // reads sees the epochs of before it waited.
  if (auto locked = (*got)->exec(replan() + "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; " +
                                 share_fence_sql(identity_.node.node));
      !locked) {
    rollback();
    error why = locked.error();
    if (why.kind == fault::contended) {
      why.kind = fault::retry;  // a takeover or the janitor holds the fence: no message is to blame
    }
    return why;
  }
  return {};
}

result<std::vector<shard_id>> postgres_commit_session::fence(std::span<const shard_grant> shards) {
  return inside([&](postgres_connection& connection) -> result<std::vector<shard_id>> {
    array_literal ids(shards.size());
    array_literal epochs(shards.size());
    for (const shard_grant& grant : shards) {
      ids.add(grant.shard);
      epochs.add(grant.epoch);
    }
    auto read = connection.run(
        fence_text_,
        {std::to_string(identity_.node.node.value), std::to_string(identity_.committer),
         std::to_string(identity_.node.incarnation), ids.take(), epochs.take()});
    if (!read) {
      return read.error();
    }
    const auto generations = read_generation_set(pg::cell(*read, 0, 1).view());
    if (pg::cell(*read, 0, 0).is_null() || !generations) {
      prepared_ = false;
      return error{fault::retry, "PW004",
                   "the rows of this node or consumer are gone from schema pawl"};
    }
    token_ = pg::cell(*read, 0, 0).number();
    ledger_.use(*generations);
    return read_shards(pg::cell(*read, 0, 2).view());
  });
}

result<std::vector<bool>> postgres_commit_session::claim(std::span<const stored_ref> refs) {
  return inside([&](postgres_connection& it) { return waiting_.claim(it, refs); });
}

result<std::vector<std::optional<guard_trace>>> postgres_commit_session::insert_ledger(
    std::span<const ledger_row> rows) {
  return inside([&](postgres_connection& it) { return ledger_.insert(it, rows); });
}

result<std::vector<std::optional<guard_trace>>> postgres_commit_session::find(
    std::span<const ledger_key> keys, bool in_ledger) {
  return inside([&](postgres_connection& it) { return ledger_.find(it, keys, in_ledger); });
}

result<std::vector<bool>> postgres_commit_session::move_entities(
    std::span<const entity_write> writes) {
  return inside([&](postgres_connection& it) {
    return move_postgres_entities(it, identity_.node.consumer, writes);
  });
}

status postgres_commit_session::lock_rows(const row_locks& locks) {
  return inside([&](postgres_connection& it) { return effects_.lock(it, locks); });
}

result<std::vector<row_verdict>> postgres_commit_session::apply(const effect_statement& statement) {
  return inside([&](postgres_connection& it) { return effects_.apply(it, statement); });
}

result<std::vector<bool>> postgres_commit_session::write_dead_letters(
    std::span<const dead_letter_row> rows) {
  return inside([&](postgres_connection& it) { return waiting_.write_dead_letters(it, rows); });
}

status postgres_commit_session::write_parked(std::span<const parked_row> rows) {
  return inside([&](postgres_connection& it) { return waiting_.write_parked(it, rows); });
}

status postgres_commit_session::check_constraints() {
  if (deferred_.empty()) {
    return {};
  }
  return send_inside("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS " + deferred_ + " DEFERRED");
}

status postgres_commit_session::commit() {
  if (aborted_) {
    rollback();
    return error{fault::retry, "25P02", "the transaction had failed before it was to be committed"};
  }
  auto done = inside([](postgres_connection& connection) -> status { return connection.commit(); });
  open_ = false;
  if (!done && done.error().kind == fault::in_doubt) {
    link_.drop();
  }
  return done;
}

void postgres_commit_session::rollback() noexcept {
  if (!std::exchange(open_, false)) {
    return;
  }
  try {
    postgres_connection* connection = link_.current();
    if (connection != nullptr && !connection->exec("ROLLBACK")) {
      link_.drop();
    }
  } catch (...) {  // out of memory: the server rolls back what has lost its connection
    link_.drop();
  }
}

status postgres_commit_session::savepoint() {
  auto opened = send_inside("SAVEPOINT pawl_" + std::to_string(savepoints_ + 1));
  if (opened) {
    ++savepoints_;
  }
  return opened;
}

status postgres_commit_session::release() {
  invariant(savepoints_ > 0, "a savepoint is released that was not opened");
  auto released = send_inside("RELEASE SAVEPOINT pawl_" + std::to_string(savepoints_));
  if (released) {
    --savepoints_;
  }
  return released;
}

status postgres_commit_session::rollback_to() {
  invariant(savepoints_ > 0, "a savepoint is undone that was not opened");
  const std::string name = "pawl_" + std::to_string(savepoints_);
  auto undone = send_inside("ROLLBACK TO SAVEPOINT " + name + "; RELEASE SAVEPOINT " + name);
  if (!undone) {
    return error{fault::retry, undone.error().code, undone.error().text};
  }
  --savepoints_;
  aborted_ = false;
  return {};
}

result<bool> postgres_commit_session::was_committed() {
  link_.drop();
  auto got = ready();
  if (!got) {
    return got.error();
  }
  // The old backend may still be committing, or sit idle in its transaction until the server ends
  // it: the lock on the token's row is waited for as long as that takes.
  const std::string patience_ms = std::to_string(3 * link_.timeouts().statement_ms);
  auto read = (*got)->exec(
      "BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = " + patience_ms +
      "; SELECT number FROM pawl.commit_token WHERE node = " +
      std::to_string(identity_.node.node.value) +
      " AND committer = " + std::to_string(identity_.committer) +
      " AND incarnation = " + std::to_string(identity_.node.incarnation) + " FOR UPDATE");
  if (!read) {
    link_.drop();
    return error{fault::retry, read.error().code, read.error().text};
  }
  const bool known = pg::row_count(*read) == 1 && pg::cell(*read, 0, 0).number() >= token_;
  if (auto closed = (*got)->exec("ROLLBACK"); !closed) {
    link_.drop();
  }
  return known;
}

status postgres_commit_session::read_generations(postgres_connection& connection) {
  auto read = connection.run(
      "SELECT " + generation_set_sql(std::to_string(identity_.node.consumer.value)), {});
  if (!read) {
    return read.error();
  }
  const auto set = read_generation_set(pg::cell(*read, 0, 0).view());
  if (!set) {
    return error{fault::deployment, "PW004", "the consumer's ledger is gone from schema pawl"};
  }
  ledger_.use(*set);
  return {};
}

result<std::vector<entity_answer>> postgres_commit_session::load(
    std::span<const entity_query> queries) {
  auto got = ready();
  if (!got) {
    return got.error();
  }
  std::vector<entity_ref> entities;
  std::vector<ledger_key> keys;
  for (const entity_query& query : queries) {
    entities.push_back(query.entity);
    keys.insert(keys.end(), query.ledger.begin(), query.ledger.end());
  }
  auto loaded = load_postgres_entities(**got, identity_.node.consumer, entities);
  if (!loaded) {
    return loaded.error();
  }
  std::vector<std::optional<guard_trace>> traces;
  if (!keys.empty()) {
    // A rotation meanwhile does no harm: what these entities committed is in the tables of now.
    if (auto read = read_generations(**got); !read) {
      return read.error();
    }
    auto found = ledger_.find(**got, keys, true);
    if (!found) {
      return found.error();
    }
    traces = std::move(*found);
  }
  std::vector<entity_answer> answers(queries.size());
  auto next = traces.begin();
  for (std::size_t at = 0; at < queries.size(); ++at) {
    const auto end = next + static_cast<std::ptrdiff_t>(queries[at].ledger.size());
    answers[at].entity = std::move((*loaded)[at]);
    answers[at].ledger.assign(next, end);
    next = end;
  }
  return answers;
}

result<std::vector<parked_row>> postgres_commit_session::load_parked(const entity_ref& entity,
                                                                     park_reason why,
                                                                     std::size_t limit) {
  auto got = ready();
  if (!got) {
    return got.error();
  }
  return waiting_.load_parked(**got, entity, why, limit);
}

result<std::optional<dead_letter_row>> postgres_commit_session::load_dead_letter(std::int64_t id) {
  auto got = ready();
  if (!got) {
    return got.error();
  }
  return waiting_.find_dead_letter(**got, id);
}

}  // namespace pawl
