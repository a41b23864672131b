#include "storage/sqlite_migrations.hpp"

#include "tests/check.hpp"
#include "tests/support/sqlite_file.hpp"

#include <atomic>
#include <thread>

using namespace pawl;
using namespace pawl_test;

TEST_CASE("a SQLite file without tables has version 0 and is not made by asking") {
  const sqlite_file file;
  const auto store = file.open();
  CHECK(must(store->schema_version()) == 0);
  CHECK_FALSE(std::filesystem::exists(file.path()));
}

TEST_CASE("migrating a fresh SQLite file brings it to the wanted version, and again does nothing") {
  const sqlite_file file;
  const auto store = file.open();
  CHECK(must(store->migrate()) == store->wanted_version());
  CHECK(must(store->schema_version()) == store->wanted_version());
  CHECK(must(store->migrate()) == 0);
  CHECK(must(file.open()->schema_version()) == store->wanted_version());
}

TEST_CASE("a SQLite file of an unknown version is refused by migrations and sessions") {
  const sqlite_file file;
  const auto store = file.open();
  must(store->migrate());
  must(store->execute_script("UPDATE pawl_meta SET value = 99 WHERE name = 'schema_version'"));
  const auto migrated = store->migrate();
  REQUIRE_FALSE(migrated.ok());
  CHECK(migrated.error().kind == fault::refused);
  CHECK(migrated.error().text.find("99") != std::string::npos);
  const auto keeper = store->open_keeper();
  REQUIRE_FALSE(keeper.ok());
  CHECK(keeper.error().kind == fault::refused);
}

TEST_CASE("a session on a SQLite file that was not migrated is refused with the way out") {
  const sqlite_file file;
  const auto store = file.open();
  must(store->execute_script("CREATE TABLE t(a)"));
  const auto keeper = store->open_keeper();
  REQUIRE_FALSE(keeper.ok());
  CHECK(keeper.error().kind == fault::refused);
  CHECK(keeper.error().text.find("pawl migrate") != std::string::npos);
}

TEST_CASE("of several processes that migrate one SQLite file one does the work") {
  const sqlite_file file;
  std::atomic<int> applied = 0;
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto done = file.open()->migrate();
      done.ok() ? applied += *done : ++failed;
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  CHECK(failed == 0);
  CHECK(applied == sqlite_wanted_version());
}

TEST_CASE("a SQLite store needs a file that all its connections share") {
  for (const char* name : {"", ":memory:", "file:x?mode=memory"}) {
    const auto store = open_sqlite_store(name);
    REQUIRE_FALSE(store.ok());
    CHECK(store.error().kind == fault::refused);
  }
}

TEST_CASE("looking at a user's SQLite file leaves its journal as it was") {
  const sqlite_file file;
  const auto store = file.open();
  must(store->execute_script("CREATE TABLE t(a)"));
  {
    sqlite_db db(file.path(), sqlite_access::write, 1000);
    db.execute("PRAGMA journal_mode = DELETE");
  }
  const std::vector<std::string> names{"t"};
  CHECK(must(store->read_catalog(names)).tables.size() == 1);
  CHECK(must(store->table_names()) == names);
  CHECK(must(store->schema_version()) == 0);
  CHECK(must(store->query("PRAGMA journal_mode")).rows[0][0] == "delete");
}

TEST_CASE("a SQLite script of a person is done whole or not at all") {
  const sqlite_file file;
  const auto store = file.open();
  const auto done = store->execute_script("CREATE TABLE t(a); INSERT INTO nowhere VALUES(1)");
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().kind == fault::refused);
  CHECK(must(store->table_names()).empty());
}

TEST_CASE("a query of a person on SQLite reads and can't write") {
  const sqlite_file file;
  const auto store = file.open();
  must(store->execute_script("CREATE TABLE t(a, b); INSERT INTO t VALUES(1, NULL)"));
  const auto read = must(store->query("SELECT a, b AS bee FROM t"));
  CHECK(read.columns == std::vector<std::string>{"a", "bee"});
  REQUIRE(read.rows.size() == 1);
  CHECK(read.rows[0][0] == "1");
  CHECK_FALSE(read.rows[0][1].has_value());
  CHECK_FALSE(store->query("DELETE FROM t").ok());
  CHECK(must(store->query("SELECT count(*) FROM t")).rows[0][0] == "1");
}
