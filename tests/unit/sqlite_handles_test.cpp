#include "storage/sqlite_error.hpp"
#include "tests/check.hpp"
#include "tests/support/sqlite_file.hpp"

#include <sqlite3.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

using namespace pawl;
using namespace pawl_test;

namespace {

/// No file of this process grows past `bytes` while this lives: a full disk.
class full_disk {
 public:
  explicit full_disk(std::uintmax_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{static_cast<rlim_t>(bytes), before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~full_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_DFL);
  }
  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("SQLite's codes are classed by what the caller may do") {
  for (const int code : {SQLITE_BUSY, SQLITE_BUSY_SNAPSHOT, SQLITE_LOCKED, SQLITE_IOERR_FSYNC,
                         SQLITE_FULL, SQLITE_NOMEM, SQLITE_READONLY_DBMOVED}) {
    CHECK(classify_sqlite(code, true) == fault::retry);
  }
  for (const int code : {SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISUSE, SQLITE_CANTOPEN}) {
    CHECK(classify_sqlite(code, true) == fault::deployment);
  }
  for (const int code : {SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_DATATYPE,
                         SQLITE_CONSTRAINT_TRIGGER, SQLITE_MISMATCH, SQLITE_TOOBIG}) {
    CHECK(classify_sqlite(code, true) == fault::poison);
  }
  CHECK(classify_sqlite(SQLITE_ERROR, false) == fault::deployment);
  CHECK(classify_sqlite(SQLITE_ERROR, true) == fault::unknown);
  CHECK(classify_sqlite(SQLITE_NOTFOUND, true) == fault::unknown);
}

TEST_CASE("a second writer on a SQLite file waits, and then may try again") {
  sqlite_node node;
  const auto first = node.open_commit();
  const auto second = node.open_commit(20);
  node.begin(*first);
  const auto busy = second->begin();
  REQUIRE_FALSE(busy.ok());
  CHECK(busy.error().kind == fault::retry);
  must(first->commit());
  node.begin(*second);
  must(second->commit());
}

TEST_CASE("a heartbeat gets through beside a SQLite committer that begins anew at once") {
  sqlite_node node;
  std::atomic<bool> stop = false;
  std::thread committer([&] {
    const auto session = node.open_commit();
    const std::vector<entity_write> write{{{"sku", "a"}, {0}, {0}, {}}};
    while (!stop) {
      node.begin(*session);
      must(session->move_entities(write));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      must(session->commit());
    }
  });
  int beats = 0;
  for (int i = 0; i < 5; ++i) {
    beats += node.keeper->heartbeat(node.node).ok() ? 1 : 0;
  }
  stop = true;
  committer.join();
  CHECK(beats == 5);
}

TEST_CASE("readers of a SQLite file don't wait for an open commit") {
  sqlite_node node;
  const auto session = node.open_commit();
  node.begin(*session);
  const auto admin = must(node.store->open_admin("c"));
  CHECK(must(admin->status_of()).leases.size() == 4);
  const auto reader = node.open_commit(20);
  const std::vector<entity_query> queries{{{"sku", "a"}, {}}};
  CHECK(must(reader->load(queries)).size() == 1);
  must(session->commit());
}

TEST_CASE("after a takeover of a SQLite file an older session's fence says lost") {
  sqlite_node node;
  const auto old = node.open_commit();
  const auto keeper = must(node.file.open()->open_keeper());
  const auto again =
      must(keeper->register_node({.consumer = "c", .shards = 4, .node = "a", .lease_ms = 60000}));
  CHECK(again.incarnation == node.node.incarnation + 1);
  CHECK(again.node == node.node.node);
  CHECK_FALSE(must(node.keeper->heartbeat(node.node)));
  CHECK_FALSE(node.keeper->take_leases(node.node).ok());
  const auto grants = must(keeper->take_leases(again));
  REQUIRE(grants.size() == 4);
  CHECK(grants[2].epoch.value == node.grants[2].epoch.value + 1);
  must(old->begin());
  CHECK(must(old->fence(node.grants)).size() == 4);
  old->rollback();
  must(old->begin());
  CHECK(must(old->fence(grants)).empty());
  old->rollback();
  CHECK(must(keeper->heartbeat(again)));
}

TEST_CASE(
    "a live node of another name keeps a SQLite file, and the refusal says which and the way out") {
  sqlite_node node;
  const auto keeper = must(node.file.open()->open_keeper());
  const auto other =
      must(keeper->register_node({.consumer = "c", .shards = 4, .node = "b", .lease_ms = 60000}));
  const auto refused = keeper->take_leases(other);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::refused);
  CHECK(refused.error().text.find("'a'") != std::string::npos);
  CHECK(refused.error().text.find("ms") != std::string::npos);
  const auto session = node.open_commit();
  node.begin(*session);
  must(session->commit());
  must(node.keeper->release(node.node));
  CHECK(must(keeper->take_leases(other)).size() == 4);
}

TEST_CASE("a lease that has run out is taken over, and its late owner is fenced off") {
  sqlite_node node;
  const auto short_lived =
      must(node.keeper->register_node({.consumer = "c", .shards = 4, .node = "a", .lease_ms = 0}));
  const auto grants = must(node.keeper->take_leases(short_lived));
  const auto other = must(
      node.keeper->register_node({.consumer = "c", .shards = 4, .node = "b", .lease_ms = 60000}));
  must(node.keeper->take_leases(other));
  const auto session = node.open_commit();
  must(session->begin());
  CHECK(must(session->fence(grants)).size() == 4);
}

TEST_CASE("a consumer's shard count on SQLite is fixed at its first start") {
  sqlite_node node;
  const auto refused =
      node.keeper->register_node({.consumer = "c", .shards = 8, .node = "a", .lease_ms = 60000});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::refused);
  CHECK(refused.error().text.find("4 shards") != std::string::npos);
  const auto other = must(
      node.keeper->register_node({.consumer = "d", .shards = 8, .node = "a", .lease_ms = 60000}));
  CHECK(other.consumer.value == node.node.consumer.value + 1);
}

TEST_CASE("what a SQLite store committed is there after reopening, what it did not is not") {
  const entity_ref entity{"sku", "a"};
  const std::vector<entity_write> first{
      {entity, {1}, {0}, {{1}, message_version{7}, {9}, true, std::string("\0s", 2)}}};
  const std::vector<entity_write> second{{entity, {1}, {1}, {{2}, {}, {}, false, {}}}};
  sqlite_node node;
  {
    const auto session = node.open_commit();
    node.begin(*session);
    CHECK(must(session->move_entities(first)) == std::vector{true});
    must(session->commit());
    node.begin(*session);
    CHECK(must(session->move_entities(first)) == std::vector{false});
    CHECK(must(session->move_entities(second)) == std::vector{true});
  }
  const auto admin = must(node.file.open()->open_admin("c"));
  const auto loaded = must(admin->entity(entity));
  REQUIRE(loaded.has_value());
  CHECK(loaded->row.revision.value == 1);
  CHECK(loaded->row.version == message_version{7});
  CHECK(loaded->row.version_content.value == 9);
  CHECK(loaded->row.blocked);
  CHECK(loaded->row.state == std::string("\0s", 2));
}

TEST_CASE("a COMMIT that the disk cuts off on SQLite is in doubt, and the token settles it") {
  const std::vector<entity_write> write{
      {{"sku", "a"}, {1}, {0}, {{1}, {}, {}, false, std::string(200'000, 's')}}};
  sqlite_node node;
  const auto session = node.open_commit();
  node.begin(*session);
  must(session->commit());
  node.begin(*session);
  CHECK(must(session->move_entities(write)) == std::vector{true});
  {
    const full_disk full(std::filesystem::file_size(node.file.path() + "-wal") + 50'000);
    const auto cut = session->commit();
    REQUIRE_FALSE(cut.ok());
    CHECK(cut.error().kind == fault::in_doubt);
  }
  CHECK_FALSE(must(session->was_committed()));
  node.begin(*session);
  CHECK(must(session->move_entities(write)) == std::vector{true});
  must(session->commit());
  CHECK(must(session->was_committed()));
}

TEST_CASE("a consumer that has never run on a SQLite file has no janitor and no admin session") {
  sqlite_node node;
  for (const auto& failed :
       {node.store->open_admin("nobody").error(), node.store->open_janitor("nobody").error()}) {
    CHECK(failed.kind == fault::refused);
    CHECK(failed.text.find("nobody") != std::string::npos);
  }
}
