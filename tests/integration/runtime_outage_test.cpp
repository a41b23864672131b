// A store that goes away for a while, and comes back: nothing is lost, nothing is doubled, and no
// message is blamed for it.
#include "tests/check.hpp"
#include "tests/support/runtime_world.hpp"
#include "tests/support/sqlite_file.hpp"

#include <sqlite3.h>

#include <thread>

using namespace pawl;
using namespace pawl_test;

namespace {

constexpr int entities = 20;

void reserve_and_note(const addressed_message& message, effects<policies::ledger>& out) {
  reserve(message, out);
  note(message, out);
}

void say_round(runtime_world& at, int round, int each) {
  for (int i = 1; i <= each; ++i) {
    for (int entity = 0; entity < entities; ++entity) {
      at.say({.sku = std::to_string(entity), .id = std::to_string(round * each + i)});
    }
  }
}

void check_all(runtime_world& at, int messages) {
  for (int entity = 0; entity < entities; ++entity) {
    CHECK(at.journal(std::to_string(entity)) == numbers_to(messages));
  }
  for (const auto& row : at.rows("stock")) {
    CHECK(row[2] == std::to_string(messages));
  }
  CHECK(at.dead_letters().empty());
  CHECK(at.status().blocked_entities == 0);
}

}  // namespace

TEST_CASE("runtime: PostgreSQL that ends every session again and again costs no message") {
  constexpr int rounds = 12;
  runtime_world at(open_journal_on_postgres());
  at.on<policies::ledger>(placed(), reserve_and_note);
  at.adjust = [](runtime_config& config) {
    config.attempts = 1;
    config.batch_messages = 64;
  };
  at.start();
  int ended = 0;
  for (int round = 0; round < rounds; ++round) {
    say_round(at, round, 15);
    std::this_thread::sleep_for(std::chrono::milliseconds(round * 3));
    const auto sessions = at.fixture().store().query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid()");
    ended += sessions.ok() ? static_cast<int>(sessions->rows.size()) : 0;
  }
  at.feed->end();
  const counts seen = at.finish();
  CHECK(ended >= rounds);
  CHECK(seen.attempts_failed == 0);
  CHECK(at.feed->acked().size() == rounds * 15 * entities);
  check_all(at, rounds * 15);
  CHECK(at.node().ended().text.empty());
}

TEST_CASE("runtime: a table that is gone for a while raises an alarm and costs no message") {
  runtime_world at(open_journal_on_postgres());
  at.on<policies::ledger>(placed(), reserve_and_note);
  at.adjust = [](runtime_config& config) { config.attempts = 1; };
  at.start();
  auto& store = at.fixture().store();
  say_round(at, 0, 5);
  REQUIRE(store.execute_script("ALTER TABLE journal RENAME TO away").ok());
  say_round(at, 1, 5);
  REQUIRE(eventually([&] { return !at.node().alarms().empty(); }));
  CHECK(at.dead_letters().empty());
  REQUIRE(store.execute_script("ALTER TABLE away RENAME TO journal").ok());
  at.feed->end();
  (void)at.finish();
  CHECK(at.node().alarms().empty());
  check_all(at, 10);
}

TEST_CASE("runtime: a SQLite file that another program holds is waited for") {
  runtime_world at(open_journal_on_sqlite());
  at.on<policies::ledger>(placed(), reserve_and_note);
  at.adjust = [](runtime_config& config) {
    config.attempts = 1;
    config.lease = std::chrono::milliseconds(800);  // commits wait a quarter of it for the lock
  };
  at.start();
  say_round(at, 0, 5);
  const auto path = must(at.fixture().store().query("SELECT file FROM pragma_database_list"))
                        .rows.front()
                        .front()
                        .value_or("");
  sqlite3* other = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &other) == SQLITE_OK);
  sqlite3_busy_timeout(other, 5000);
  REQUIRE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  say_round(at, 1, 5);
  REQUIRE(eventually([&] { return !at.node().alarms().empty(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  REQUIRE(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(other);
  at.feed->end();
  (void)at.finish();
  check_all(at, 10);
  CHECK(at.node().alarms().empty());
}
