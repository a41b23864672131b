// Who may run a consumer's shards: registration, leases and epochs, over every store.
#include "tests/check.hpp"
#include "tests/support/shop.hpp"
#include "tests/support/sqlite_file.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace pawl;
using namespace pawl_test;

namespace {

consumer_registration wanted(const std::string& node, std::int64_t lease_ms = 60'000) {
  return {"other", 8, node, lease_ms};
}

/// The leases as the command line sees them.
std::vector<lease_row> leases_of(store_fixture& fixture) {
  return must(must(fixture.store().open_admin("other"))->status_of()).leases;
}

bool is_stale(store_fixture& fixture, const node_registration& node,
              const std::vector<shard_grant>& grants) {
  commit_identity identity;
  identity.node = node;
  identity.consumer = "other";
  const auto session = must(fixture.store().open_commit(identity, &fixture.tables()));
  must(session->begin());
  const auto stale = must(session->fence(grants));
  session->rollback();
  return stale.size() == grants.size();
}

}  // namespace

STORE_TEST_CASE("a new consumer's shards are all granted, each once, with an epoch") {
  const auto fixture = TestType::open(shop_tables());
  const auto keeper = must(fixture->store().open_keeper());
  const auto node = must(keeper->register_node(wanted("a")));
  const auto grants = must(keeper->take_leases(node));
  REQUIRE(grants.size() == 8);
  for (std::uint32_t shard = 0; shard < 8; ++shard) {
    CHECK(grants[shard].shard == shard_id{shard});
    CHECK(grants[shard].epoch >= lease_epoch{1});
  }
  const auto leases = leases_of(*fixture);
  REQUIRE(leases.size() == 8);
  CHECK(leases[3].node == "a");
  CHECK(leases[3].epoch == grants[3].epoch);
  CHECK(leases[3].expires_in_ms > 50'000);
}

STORE_TEST_CASE("another shard count than the stored one is refused, and the text says both") {
  const auto fixture = TestType::open(shop_tables());
  const auto keeper = must(fixture->store().open_keeper());
  (void)must(keeper->register_node(wanted("a")));
  const auto refused = keeper->register_node({"other", 16, "a", 60'000});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::refused);
  CHECK(refused.error().text.find("16") != std::string::npos);
  CHECK(refused.error().text.find(" 8 ") != std::string::npos);
  CHECK(must(keeper->register_node(wanted("a"))).consumer.value > 0);
}

STORE_TEST_CASE("two consumers have shards, nodes and epochs of their own") {
  const auto fixture = TestType::open(shop_tables());
  const auto keeper = must(fixture->store().open_keeper());
  const auto node = must(keeper->register_node(wanted("a")));
  CHECK(must(keeper->take_leases(node)).size() == 8);
  CHECK(must(fixture->open_admin()->status_of()).leases.size() == store_fixture::shards);
  const auto session = fixture->open_commit();
  must(session->begin());
  CHECK(must(session->fence(fixture->grants())).empty());
  session->rollback();
}

STORE_TEST_CASE(
    "a process of the same node name takes its leases back at once, and the old is out") {
  const auto fixture = TestType::open(shop_tables());
  const auto keeper = must(fixture->store().open_keeper());
  const auto first = must(keeper->register_node(wanted("a")));
  const auto old_grants = must(keeper->take_leases(first));
  CHECK(must(keeper->heartbeat(first)));
  CHECK_FALSE(is_stale(*fixture, first, old_grants));

  const auto second = must(keeper->register_node(wanted("a")));
  CHECK(second.node == first.node);
  CHECK(second.incarnation > first.incarnation);
  CHECK_FALSE(must(keeper->heartbeat(first)));
  const auto grants = must(keeper->take_leases(second));
  for (std::size_t i = 0; i < grants.size(); ++i) {
    CHECK(grants[i].epoch > old_grants[i].epoch);
  }
  CHECK(is_stale(*fixture, first, old_grants));
  CHECK_FALSE(is_stale(*fixture, second, grants));
  CHECK(must(keeper->heartbeat(second)));

  const auto late = keeper->take_leases(first);
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().kind == fault::refused);
  CHECK_FALSE(is_stale(*fixture, second, grants));
}

STORE_TEST_CASE("a live node of another name is refused, and the text says who holds the shards") {
  const auto fixture = TestType::open(shop_tables());
  const auto keeper = must(fixture->store().open_keeper());
  const auto first = must(keeper->register_node(wanted("first")));
  const auto grants = must(keeper->take_leases(first));
  const auto second = must(keeper->register_node(wanted("second")));
  const auto refused = keeper->take_leases(second);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::refused);
  CHECK(refused.error().text.find("first") != std::string::npos);
  CHECK_FALSE(is_stale(*fixture, first, grants));
}

STORE_TEST_CASE("released leases are free at once, and their epochs go on from where they were") {
  const auto fixture = TestType::open(shop_tables());
  const auto keeper = must(fixture->store().open_keeper());
  const auto first = must(keeper->register_node(wanted("first")));
  const auto old_grants = must(keeper->take_leases(first));
  must(keeper->release(first));
  for (const lease_row& lease : leases_of(*fixture)) {
    CHECK(lease.expires_in_ms <= 0);
  }
  const auto second = must(keeper->register_node(wanted("second")));
  const auto grants = must(keeper->take_leases(second));
  REQUIRE(grants.size() == 8);
  for (std::size_t i = 0; i < grants.size(); ++i) {
    CHECK(grants[i].epoch > old_grants[i].epoch);
  }
  CHECK(is_stale(*fixture, first, old_grants));
}

STORE_TEST_CASE("a release by a process that was replaced leaves the new one's leases alone") {
  const auto fixture = TestType::open(shop_tables());
  const auto keeper = must(fixture->store().open_keeper());
  const auto first = must(keeper->register_node(wanted("a")));
  (void)must(keeper->take_leases(first));
  const auto second = must(keeper->register_node(wanted("a")));
  (void)must(keeper->take_leases(second));
  must(keeper->release(first));
  for (const lease_row& lease : leases_of(*fixture)) {
    CHECK(lease.expires_in_ms > 0);
  }
}

SQL_TEST_CASE("a lease that ran out is taken over, a heartbeat keeps it") {
  const auto fixture = TestType::open("CREATE TABLE t (id integer PRIMARY KEY)", {"t"});
  const auto keeper = must(fixture->store().open_keeper());
  const auto first = must(keeper->register_node(wanted("first", 600)));
  const auto old_grants = must(keeper->take_leases(first));
  const auto second = must(keeper->register_node(wanted("second")));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  REQUIRE(must(keeper->heartbeat(first)));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  CHECK_FALSE(keeper->take_leases(second).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  CHECK(must(keeper->take_leases(second)).size() == 8);
  CHECK(is_stale(*fixture, first, old_grants));
}

STORE_TEST_CASE("a consumer that never ran is refused by name where it is read") {
  const auto fixture = TestType::open(shop_tables());
  const auto admin = fixture->store().open_admin("nobody");
  REQUIRE_FALSE(admin.ok());
  CHECK(admin.error().kind == fault::refused);
  CHECK(admin.error().text.find("nobody") != std::string::npos);
  CHECK_FALSE(fixture->store().open_janitor("nobody").ok());
}
