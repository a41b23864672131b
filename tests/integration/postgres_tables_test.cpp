#include "tests/check.hpp"
#include "tests/support/postgres_committer.hpp"

#include <pqxx/pqxx>

#include <chrono>
#include <future>

namespace {

using namespace pawl;
using namespace pawl::test;
using namespace std::chrono_literals;

ledger_key key_of(int number) {
  ledger_key key;
  key.bytes[0] = static_cast<std::uint8_t>(number);
  key.bytes[15] = 0xfe;
  return key;
}

void open_transaction(postgres_node& node, commit_session& session) {
  take(session.begin(), "begin");
  REQUIRE(take(session.fence(node.grants), "fence").empty());
}

void commit_ledger(postgres_node& node, commit_session& session, int number) {
  open_transaction(node, session);
  const ledger_row row{key_of(number), {42}};
  REQUIRE_FALSE(take(session.insert_ledger({&row, 1}), "ledger")[0].has_value());
  take(session.commit(), "commit");
}

}  // namespace

TEST_CASE("PostgreSQL: many migrators at once apply each migration once") {
  const postgres_database database;
  std::vector<std::future<int>> migrators;
  for (int i = 0; i < 6; ++i) {
    migrators.push_back(std::async(std::launch::async, [&] {
      auto store = take(open_postgres_store(database.url()), "open");
      return take(store->migrate(), "migrate");
    }));
  }
  int applied = 0;
  for (auto& migrator : migrators) {
    applied += migrator.get();
  }
  auto store = take(open_postgres_store(database.url()), "open");
  CHECK(applied == store->wanted_version());
  CHECK(take(store->schema_version(), "version") == store->wanted_version());
}

TEST_CASE("PostgreSQL: tables of a newer program are refused and left alone") {
  const postgres_node node;
  node.database.execute("UPDATE pawl.meta SET version = 999");
  CHECK(take(node.opened->schema_version(), "version") == 999);
  const auto refused = node.opened->migrate();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::refused);
  CHECK(refused.error().text.find("999") != std::string::npos);
}

TEST_CASE("PostgreSQL: a database without the tables says version 0 and knows no consumer") {
  const postgres_database database;
  auto store = take(open_postgres_store(database.url()), "open");
  CHECK(take(store->schema_version(), "version") == 0);
  const auto refused = store->open_admin("stock");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::refused);
}

TEST_CASE("PostgreSQL: settings of the database are not inherited") {
  const postgres_database database;
  const std::string name = database.ask("SELECT current_database()");
  for (const char* setting :
       {"synchronous_commit = off", "lock_timeout = 0", "statement_timeout = 0",
        "default_transaction_isolation = 'serializable'", "\"DateStyle\" = 'German'",
        "bytea_output = 'escape'", "default_transaction_read_only = on"}) {
    database.execute("ALTER DATABASE " + name + " SET " + setting);
  }
  auto store = take(open_postgres_store(database.url()), "open");
  const auto rows = take(
      store->query("SELECT current_setting('synchronous_commit'), current_setting('lock_timeout'), "
                   "current_setting('statement_timeout'), "
                   "current_setting('transaction_isolation'), date '2026-01-02', '\\x00'::bytea, "
                   "current_setting('idle_in_transaction_session_timeout'), "
                   "current_setting('application_name')"),
      "settings");
  const std::vector<std::string> wanted{"on",         "2s",    "8s", "read committed",
                                        "2026-01-02", "\\x00", "8s", "pawl"};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK(rows.rows[0][i] == wanted[i]);
  }
}

TEST_CASE("PostgreSQL: a password never shows in an error") {
  for (const char* url :
       {"postgresql://user:hunter2@[broken/db", "host=/nowhere-at-all password=hunter2 dbname=x",
        "postgresql://user:hunter2@127.0.0.1:1/hunter2", "hunter2"}) {
    INFO(url);
    const auto refused = open_postgres_store(url);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().text.find("hunter2") == std::string::npos);
  }
  CHECK(open_postgres_store("postgresql://user:x@[broken/db").error().kind == fault::refused);
  CHECK(open_postgres_store("host=/nowhere-at-all").error().kind == fault::retry);
}

TEST_CASE("PostgreSQL: a rotation waits for the open commit, whose row is then found as frozen") {
  postgres_node node;
  auto session = node.committer();
  auto janitor = take(node.opened->open_janitor("stock"), "janitor");
  open_transaction(node, *session);
  const std::vector<ledger_row> rows{{key_of(1), {42}}};
  take(session->insert_ledger(rows), "ledger");
  auto rotating = std::async(std::launch::async, [&] { return janitor->rotate(); });
  CHECK(rotating.wait_for(300ms) == std::future_status::timeout);
  take(session->commit(), "commit");
  take(rotating.get(), "rotate");

  open_transaction(node, *session);
  const auto again = take(session->insert_ledger(rows), "ledger");
  REQUIRE(again[0].has_value());
  CHECK(again[0]->where == guard_trace::place::ledger);
  CHECK(again[0]->content == fingerprint{42});
  session->rollback();
  CHECK(node.database.ask("SELECT count(*) FROM pawl.ledger_1_0") == "1");
  CHECK(node.database.ask("SELECT count(*) FROM pawl.ledger_1_1") == "0");
}

TEST_CASE("PostgreSQL: what is retired is fresh again, and is emptied once nobody reads it") {
  postgres_node node;
  auto session = node.committer();
  auto janitor = take(node.opened->open_janitor("stock"), "janitor");
  commit_ledger(node, *session, 1);
  take(janitor->rotate(), "rotate");
  const source_position reached{"orders", "0", 17, "id"};
  take(janitor->record_highest(1, {&reached, 1}), "highest");
  CHECK(take(janitor->ledger(), "ledger").ring[0].highest.at(0).position == 17);
  CHECK(janitor->truncate(1).error().kind == fault::refused);
  take(janitor->retire(1), "retire");
  commit_ledger(node, *session, 1);
  {
    pqxx::connection reader(node.database.url());
    pqxx::work reading(reader);
    reading.exec("SELECT * FROM pawl.ledger_1_0");
    const auto busy = janitor->truncate(1);
    REQUIRE_FALSE(busy.ok());
    CHECK(busy.error().kind == fault::contended);
    commit_ledger(node, *session, 2);  // nothing queues up behind the attempt
  }
  take(janitor->truncate(1), "truncate");
  const auto status = take(janitor->ledger(), "ledger");
  CHECK(status.ring[0].state == generation_state::empty);
  CHECK(status.ring[0].rows == 0);
  CHECK(status.ring[0].highest.empty());
  CHECK(status.ring[1].state == generation_state::current);
  CHECK(status.ring[1].number == 2);
  CHECK(status.ring[1].rows == 2);
}

TEST_CASE("PostgreSQL: a full ring refuses to rotate, and an emptied slot is used again") {
  postgres_node node;
  auto janitor = take(node.opened->open_janitor("stock"), "janitor");
  for (int i = 0; i < 7; ++i) {
    take(janitor->rotate(), "rotate");
  }
  const auto full = janitor->rotate();
  REQUIRE_FALSE(full.ok());
  CHECK(full.error().kind == fault::refused);
  take(janitor->retire(1), "retire");
  take(janitor->truncate(1), "truncate");
  take(janitor->rotate(), "rotate");
  const auto ring = take(janitor->ledger(), "ledger").ring;
  CHECK(ring[0].state == generation_state::current);
  CHECK(ring[0].number == 9);
}

TEST_CASE("PostgreSQL: a live node of another name is not pushed out, a released one is replaced") {
  postgres_node node;
  auto keeper = take(node.opened->open_keeper(), "keeper");
  const auto other = take(keeper->register_node({"stock", 4, "node-2", 5000}), "register");
  const auto refused = keeper->take_leases(other);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::refused);
  CHECK(refused.error().text.find("node-1") != std::string::npos);
  CHECK(refused.error().text.find(" ms") != std::string::npos);
  take(node.keeper->release(node.node), "release");
  const auto grants = take(keeper->take_leases(other), "leases");
  REQUIRE(grants.size() == 4);
  CHECK(grants[0].epoch.value == node.grants[0].epoch.value + 1);
}

TEST_CASE("PostgreSQL: an expired node is replaced after its lease time") {
  const postgres_node node;
  node.database.execute("UPDATE pawl.node SET expires = clock_timestamp() - interval '1 ms'");
  auto keeper = take(node.opened->open_keeper(), "keeper");
  const auto other = take(keeper->register_node({"stock", 4, "node-2", 5000}), "register");
  CHECK(take(keeper->take_leases(other), "leases").size() == 4);
}

TEST_CASE("PostgreSQL: the newest process of a node's name stops the older ones") {
  postgres_node node;
  const auto first = node.node;
  CHECK(take(node.keeper->heartbeat(first), "heartbeat"));
  node.restart();
  CHECK_FALSE(take(node.keeper->heartbeat(first), "heartbeat"));
  CHECK(take(node.keeper->heartbeat(node.node), "heartbeat"));
  CHECK(node.node.incarnation > first.incarnation);
  const auto refused = node.keeper->take_leases(first);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::refused);
}

TEST_CASE("PostgreSQL: another shard count is refused with both numbers") {
  const postgres_node node;
  const auto refused = node.keeper->register_node({"stock", 8, "node-1", 5000});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::refused);
  CHECK(refused.error().text.find('8') != std::string::npos);
  CHECK(refused.error().text.find('4') != std::string::npos);
}

TEST_CASE("PostgreSQL: two consumers have ledgers and nodes apart") {
  postgres_node node;
  auto keeper = take(node.opened->open_keeper(), "keeper");
  const auto other = take(keeper->register_node({"audit", 2, "node-1", 5000}), "register");
  CHECK(other.node != node.node.node);
  const auto grants = take(keeper->take_leases(other), "leases");
  auto session = take(node.opened->open_commit({other, "audit", 0, {}}, &node.tables), "session");
  auto stock = node.committer();
  commit_ledger(node, *stock, 1);
  take(session->begin(), "begin");
  CHECK(take(session->fence(grants), "fence").empty());
  const ledger_row row{key_of(1), {42}};
  CHECK_FALSE(take(session->insert_ledger({&row, 1}), "ledger")[0].has_value());
  take(session->commit(), "commit");
}
