// Two processes under one node name, and runtimes that end: who may commit, and what is left.
#include "tests/check.hpp"
#include "tests/support/runtime_world.hpp"
#include "tests/support/shop.hpp"
#include "tests/support/sqlite_file.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace pawl;
using namespace pawl_test;
using cells = std::vector<std::vector<std::string>>;
using ledger_effects = effects<policies::ledger>;
using std::chrono::milliseconds;

STORE_TEST_CASE("runtime: a second process of the node's name takes over, the first can't commit") {
  const auto others = std::make_shared<message_feed>();
  runtime_world at(TestType::open(shop_tables()));
  const gate door;
  const auto runs = std::make_shared<std::atomic<int>>(0);
  at.on<policies::ledger>(placed(),
                          [runs, door](const addressed_message& message, ledger_effects& out) {
                            if (++*runs == 1) {
                              door.wait();
                            }
                            reserve(message, out);
                          });
  at.say({.quantity = 3});
  runtime& first = at.start();
  REQUIRE(eventually([&] { return door.waiting() == 1; }));

  others->say(to_json({.quantity = 3}));
  others->end();
  const auto second = must(at.open(others->open()));
  REQUIRE(second->wait_finished(std::chrono::seconds(20)));
  CHECK(others->acked().size() == 1);
  CHECK(at.rows("stock") == cells{{"a", "0", "3", "NULL"}});

  door.open();
  REQUIRE(eventually([&] { return first.ended().lost_leases; }));
  CHECK_FALSE(first.ended().text.empty());
  CHECK_FALSE(first.wait_finished(milliseconds(0)));
  CHECK(at.feed->acked().empty());
  CHECK_FALSE(first.drain(milliseconds(50)));
  CHECK(first.count().of(outcome::applied) == 0);
  CHECK(at.rows("stock") == cells{{"a", "0", "3", "NULL"}});

  // The first one's end has left the second one's leases alone.
  CHECK(second->ended().text.empty());
  const auto leases = at.status().leases;
  CHECK(std::all_of(leases.begin(), leases.end(),
                    [](const lease_row& one) { return one.expires_in_ms > 0; }));
}

STORE_TEST_CASE("runtime: an idle process learns from its heartbeat that it was replaced") {
  runtime_world at(TestType::open(shop_tables()));
  at.adjust = [](runtime_config& config) { config.lease = milliseconds(300); };
  runtime& first = at.start();
  const auto second = must(at.open(std::make_shared<message_feed>()->open()));
  REQUIRE(eventually([&] { return first.ended().lost_leases; }));
  CHECK(first.ended().text.find("node's name") != std::string::npos);
  std::this_thread::sleep_for(milliseconds(400));
  CHECK(second->ended().text.empty());
}

STORE_TEST_CASE("runtime: a node of another name is refused while the first one lives") {
  runtime_world at(TestType::open(shop_tables()));
  at.start();
  at.adjust = [](runtime_config& config) { config.node_name = "b"; };
  const auto feed = std::make_shared<message_feed>();
  CHECK_FALSE(at.open(feed->open()).ok());
  CHECK(at.node().drain(milliseconds(5000)));
  const auto second = at.open(feed->open());
  CHECK(second.ok());
}

STORE_TEST_CASE(
    "runtime: a drain finishes what is in flight, stores the position, frees the leases") {
  runtime_world at(TestType::open(shop_tables()), feed_kind::log);
  at.adjust = [](runtime_config& config) { config.credit_messages = 40; };
  at.on<policies::ledger>(placed(), [](const addressed_message& message, ledger_effects& out) {
    std::this_thread::sleep_for(milliseconds(1));
    reserve(message, out);
  });
  for (int i = 0; i < 5000; ++i) {
    at.say({.sku = std::to_string(i % 10), .id = std::to_string(i)});
  }
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() > 100; }));
  CHECK(at.node().drain(std::chrono::seconds(20)));
  const counts seen = at.node().count();
  CHECK(seen.received < 5000);
  CHECK(seen.acked == seen.received);
  CHECK(seen.of(outcome::applied) == seen.received);
  const consumer_status left = at.status();
  REQUIRE(left.positions.size() == 1);
  CHECK(left.positions[0].position == static_cast<std::int64_t>(seen.received));
  CHECK(std::all_of(left.leases.begin(), left.leases.end(),
                    [](const lease_row& one) { return one.expires_in_ms <= 0; }));
}

STORE_TEST_CASE("runtime: a drain that runs out of time says so, and what was open comes again") {
  runtime_world at(TestType::open(shop_tables()));
  const gate door;
  at.on<policies::ledger>(placed(), [door](const addressed_message& message, ledger_effects& out) {
    if (message.entity.key == "b") {
      door.wait();
    }
    reserve(message, out);
  });
  at.say({.sku = "a"});
  at.say({.sku = "b"});
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 1 && door.waiting() == 1; }));
  std::thread opener([&door] {
    std::this_thread::sleep_for(milliseconds(300));
    door.open();
  });
  CHECK_FALSE(at.node().drain(milliseconds(100)));
  opener.join();
  CHECK(at.rows("stock") == cells{{"a", "0", "1", "NULL"}});
  at.feed->end();
  CHECK(at.run().of(outcome::applied) == 1);
  CHECK(at.rows("stock") == cells{{"a", "0", "1", "NULL"}, {"b", "0", "1", "NULL"}});
}
