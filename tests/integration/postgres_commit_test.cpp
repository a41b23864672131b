#include "tests/check.hpp"
#include "tests/support/postgres_committer.hpp"
#include "tests/support/postgres_proxy.hpp"

#include <chrono>
#include <future>
#include <thread>

namespace {

using namespace pawl;
using namespace pawl::test;
using namespace std::chrono_literals;

const std::string stock_sql =
    "CREATE TABLE stock (sku text PRIMARY KEY, n bigint NOT NULL DEFAULT 0); INSERT INTO stock "
    "VALUES ('a', 0), ('b', 0), ('c', 0)";

effect_statement add_one(postgres_node& node, std::vector<std::string> skus) {
  effect_statement statement;
  statement.shape = node.shape({effect_kind::add, "stock", {"sku"}, {"n"}});
  for (std::string& sku : skus) {
    statement.rows.push_back({0, {value::text(std::move(sku)), value::integer(1)}});
  }
  return statement;
}

/// Brings a transaction up to its COMMIT.
void add_uncommitted(postgres_node& node, commit_session& session) {
  take(session.begin(), "begin");
  REQUIRE(take(session.fence(node.grants), "fence").empty());
  take(session.apply(add_one(node, {"a"})), "apply");
}

std::string stock_of_a(const postgres_node& node) {
  return node.database.ask("SELECT n FROM stock WHERE sku = 'a'");
}

/// A trigger that runs `body` when the transaction commits.
std::string at_commit(const std::string& body) {
  return "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN " + body +
         "; RETURN NULL; END$$; CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON stock DEFERRABLE "
         "INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late()";
}

}  // namespace

TEST_CASE("PostgreSQL: a takeover waits for the open commit, and the old epoch can't commit") {
  postgres_node node(stock_sql, {"stock"});
  auto old = node.committer();
  add_uncommitted(node, *old);
  const auto grants = node.grants;
  auto taking = std::async(std::launch::async, [&] { node.restart(); });
  CHECK(taking.wait_for(300ms) == std::future_status::timeout);
  take(old->commit(), "commit");
  taking.get();
  CHECK(stock_of_a(node) == "1");
  CHECK(node.grants.front().epoch.value == grants.front().epoch.value + 1);

  take(old->begin(), "begin");
  CHECK(take(old->fence(grants), "fence").size() == grants.size());
  old->rollback();
}

TEST_CASE("PostgreSQL: the fence names the shards that are lost, and only those") {
  postgres_node node(stock_sql, {"stock"});
  auto session = node.committer();
  auto claimed = node.grants;
  claimed[2].epoch.value -= 1;
  claimed.push_back({{77}, {1}});
  take(session->begin(), "begin");
  CHECK(take(session->fence(claimed), "fence") == std::vector<shard_id>{{2}, {77}});
}

TEST_CASE("PostgreSQL: a commit that was never sent is settled as not done") {
  postgres_node node(stock_sql, {"stock"});
  postgres_proxy proxy(node.database.url());
  node.opened = take(open_postgres_store(proxy.url()), "open");
  auto session = node.committer();
  add_uncommitted(node, *session);
  proxy.cut_next(postgres_proxy::cut::before_sending);
  const auto doubtful = session->commit();
  REQUIRE_FALSE(doubtful.ok());
  CHECK(doubtful.error().kind == fault::in_doubt);
  CHECK_FALSE(take(session->was_committed(), "settle"));
  CHECK(stock_of_a(node) == "0");
}

TEST_CASE("PostgreSQL: a commit whose answer was lost is settled as done, once it is through") {
  postgres_node node(stock_sql + ";" + at_commit("PERFORM pg_sleep(0.5)"), {"stock"});
  postgres_proxy proxy(node.database.url());
  node.opened = take(open_postgres_store(proxy.url()), "open");
  auto session = node.committer();
  add_uncommitted(node, *session);
  proxy.cut_next(postgres_proxy::cut::before_answer);
  const auto doubtful = session->commit();
  REQUIRE_FALSE(doubtful.ok());
  CHECK(doubtful.error().kind == fault::in_doubt);
  CHECK(stock_of_a(node) == "0");  // the old backend is still at it
  CHECK(take(session->was_committed(), "settle"));
  CHECK(stock_of_a(node) == "1");
}

TEST_CASE("PostgreSQL: a backend that is ended in its COMMIT leaves a doubt, settled as not done") {
  postgres_node node(stock_sql + ";" + at_commit("PERFORM pg_terminate_backend(pg_backend_pid())"),
                     {"stock"});
  auto session = node.committer();
  add_uncommitted(node, *session);
  const auto doubtful = session->commit();
  REQUIRE_FALSE(doubtful.ok());
  CHECK(doubtful.error().kind == fault::in_doubt);
  CHECK_FALSE(take(session->was_committed(), "settle"));
  node.database.execute("DROP TRIGGER late ON stock");
  add_uncommitted(node, *session);
  take(session->commit(), "commit");
  CHECK(stock_of_a(node) == "1");
}

TEST_CASE("PostgreSQL: a lost connection is to be retried, and begin connects anew") {
  postgres_node node(stock_sql, {"stock"});
  auto session = node.committer();
  add_uncommitted(node, *session);
  node.database.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
      "AND pid <> pg_backend_pid()");
  const auto lost = session->apply(add_one(node, {"b"}));
  REQUIRE_FALSE(lost.ok());
  CHECK(lost.error().kind == fault::retry);
  session->rollback();
  add_uncommitted(node, *session);
  take(session->commit(), "commit");
  CHECK(stock_of_a(node) == "1");
}

TEST_CASE("PostgreSQL: a transaction that failed is not taken for committed") {
  postgres_node node(stock_sql, {"stock"});
  auto session = node.committer();
  add_uncommitted(node, *session);
  effect_statement wrong = add_one(node, {"a"});
  wrong.shape = node.shape({effect_kind::insert, "stock", {}, {"sku", "n"}});
  CHECK_FALSE(session->apply(wrong).ok());
  const auto done = session->commit();
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().kind == fault::retry);
  CHECK(stock_of_a(node) == "0");
}

TEST_CASE("PostgreSQL: a savepoint keeps what came before the statement that failed") {
  postgres_node node(stock_sql, {"stock"});
  auto session = node.committer();
  add_uncommitted(node, *session);
  take(session->savepoint(), "savepoint");
  take(session->savepoint(), "savepoint");
  effect_statement wrong = add_one(node, {"b"});
  wrong.shape = node.shape({effect_kind::insert, "stock", {}, {"sku", "n"}});
  CHECK_FALSE(session->apply(wrong).ok());
  take(session->rollback_to(), "rollback to");
  take(session->apply(add_one(node, {"c"})), "apply");
  take(session->release(), "release");
  take(session->commit(), "commit");
  CHECK(node.database.ask("SELECT string_agg(sku || n, ',' ORDER BY sku) FROM stock") ==
        "a1,b0,c1");
}

TEST_CASE("PostgreSQL: deferred constraints speak when asked, and are deferred again after it") {
  postgres_node node(
      stock_sql +
          "; CREATE TABLE parents (id text PRIMARY KEY); CREATE TABLE children (id text PRIMARY "
          "KEY, parent text NOT NULL REFERENCES parents DEFERRABLE INITIALLY DEFERRED)",
      {"stock", "parents", "children"});
  auto session = node.committer();
  add_uncommitted(node, *session);
  effect_statement child;
  child.shape = node.shape({effect_kind::insert, "children", {}, {"id", "parent"}});
  child.rows.push_back({0, {value::text("c"), value::text("p")}});
  effect_statement parent;
  parent.shape = node.shape({effect_kind::insert, "parents", {}, {"id"}});
  parent.rows.push_back({0, {value::text("p")}});

  take(session->savepoint(), "savepoint");
  take(session->apply(child), "child");
  const auto orphan = session->check_constraints();
  REQUIRE_FALSE(orphan.ok());
  CHECK(orphan.error().kind == fault::poison);
  CHECK(orphan.error().code == "23503");
  take(session->rollback_to(), "rollback to");

  take(session->check_constraints(), "check");
  take(session->apply(child), "child before its parent");
  take(session->apply(parent), "parent");
  take(session->check_constraints(), "check");
  take(session->commit(), "commit");
  CHECK(node.database.ask("SELECT count(*) FROM children") == "1");
}

TEST_CASE("PostgreSQL: two committers that lock the same rows in any order never deadlock") {
  postgres_node node("CREATE TABLE stock (sku text PRIMARY KEY, n bigint NOT NULL DEFAULT 0)",
                     {"stock"});
  const auto* add = node.shape({effect_kind::add, "stock", {"sku"}, {"n"}});
  constexpr int rounds = 60;
  constexpr int rows = 40;
  const auto contend = [&](std::uint32_t number) {
    auto session = node.committer(number);
    for (int round = 0; round < rounds; ++round) {
      row_locks locks{"stock", {"sku"}, {}};
      effect_statement statement;
      statement.shape = add;
      for (int row = 0; row < rows; ++row) {
        const int at = number == 0 ? row : rows - row;
        const auto sku = value::text("s" + std::to_string(at + round));
        locks.rows.push_back({{sku}, add, {sku, value::integer(1)}});
        statement.rows.push_back({0, {sku, value::integer(1)}});
      }
      take(session->begin(), "begin");
      take(session->fence(node.grants), "fence");
      take(session->lock_rows(locks), "locks");
      take(session->apply(statement), "apply");
      take(session->commit(), "commit");
    }
  };
  auto other = std::async(std::launch::async, contend, 1U);
  contend(0);
  other.get();
  CHECK(node.database.ask("SELECT sum(n) FROM stock") == std::to_string(2 * rounds * rows));
}

TEST_CASE("PostgreSQL: a row that somebody holds is contended, not poison") {
  postgres_node node(stock_sql, {"stock"});
  auto first = node.committer(0);
  auto second = node.committer(1, {.lock_ms = 100, .statement_ms = 2000});
  add_uncommitted(node, *first);
  take(second->begin(), "begin");
  take(second->fence(node.grants), "fence");
  const auto held = second->apply(add_one(node, {"a"}));
  REQUIRE_FALSE(held.ok());
  CHECK(held.error().kind == fault::contended);
  CHECK(held.error().code == "55P03");
}

TEST_CASE("PostgreSQL: a fence that is taken alone is to be retried and blames no message") {
  postgres_node node(stock_sql, {"stock"});
  auto first = node.committer(0);
  add_uncommitted(node, *first);
  auto taking = std::async(std::launch::async, [&] { node.restart(); });
  std::this_thread::sleep_for(200ms);
  auto second = node.committer(1, {.lock_ms = 100, .statement_ms = 2000});
  const auto stopped = second->begin();
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().kind == fault::retry);
  take(first->commit(), "commit");
  taking.get();
}

TEST_CASE("PostgreSQL: a new owner ends sessions whose open commits outlast the lease time") {
  postgres_node node(stock_sql, {"stock"});
  auto stuck = node.committer(0, {.lock_ms = 1000, .statement_ms = 60000});
  add_uncommitted(node, *stuck);
  auto keeper = take(node.opened->open_keeper(), "keeper");
  const auto next = take(keeper->register_node({"stock", 4, "node-1", 300}), "register");
  const auto started = std::chrono::steady_clock::now();
  CHECK(take(keeper->take_leases(next), "leases").size() == 4);
  CHECK(std::chrono::steady_clock::now() - started < 5s);
  const auto done = stuck->commit();
  REQUIRE_FALSE(done.ok());
  CHECK(stock_of_a(node) == "0");
}

TEST_CASE("PostgreSQL: a deadlock with somebody else is contended, though the driver has no code") {
  postgres_node node(stock_sql, {"stock"});
  auto first = node.committer(0, {.lock_ms = 10'000, .statement_ms = 20'000});
  auto second = node.committer(1, {.lock_ms = 10'000, .statement_ms = 20'000});
  add_uncommitted(node, *first);
  take(second->begin(), "begin");
  take(second->fence(node.grants), "fence");
  take(second->apply(add_one(node, {"b"})), "apply");
  auto crossing = std::async(std::launch::async, [&] {
    auto done = first->apply(add_one(node, {"b"}));
    first->rollback();
    return done;
  });
  const auto mine = second->apply(add_one(node, {"a"}));
  second->rollback();
  const auto other = crossing.get();
  REQUIRE(mine.ok() != other.ok());
  const error& why = mine.ok() ? other.error() : mine.error();
  CHECK(why.kind == fault::contended);
  CHECK(why.code == "40P01");
}

TEST_CASE("PostgreSQL: a table that is gone is the deployment's fault, no message's") {
  postgres_node node(stock_sql, {"stock"});
  auto session = node.committer();
  node.database.execute("DROP TABLE stock");
  take(session->begin(), "begin");
  take(session->fence(node.grants), "fence");
  const auto gone = session->apply(add_one(node, {"a"}));
  REQUIRE_FALSE(gone.ok());
  CHECK(gone.error().kind == fault::deployment);
  CHECK(gone.error().code == "42P01");
}

TEST_CASE("PostgreSQL: commits go on while plans are dropped and made anew") {
  postgres_node node(stock_sql, {"stock"});
  auto session = node.committer();
  for (int i = 0; i < 40; ++i) {
    add_uncommitted(node, *session);
    take(session->commit(), "commit");
  }
  CHECK(stock_of_a(node) == "40");
}
