// A message takes effect once, wherever its repetition is met: in the batch, in flight, in memory,
// or in the database.
#include "tests/check.hpp"
#include "tests/support/runtime_world.hpp"
#include "tests/support/shop.hpp"

#include <atomic>

using namespace pawl;
using namespace pawl_test;
using cells = std::vector<std::vector<std::string>>;
using ledger_effects = effects<policies::ledger>;

STORE_TEST_CASE("runtime: twins in one batch take effect once, and both are acknowledged") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::ledger>(placed(), reserve<policies::ledger>);
  at.say({.quantity = 3});
  at.say({.quantity = 3});
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.of(outcome::applied) == 1);
  CHECK(seen.of(outcome::duplicate) == 1);
  CHECK(at.feed->acked().size() == 2);
  CHECK(at.rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE(
    "runtime: a duplicate of a message in flight shares its outcome, and is acknowledged after the "
    "commit") {
  std::atomic<int> runs = 0;
  std::atomic<bool> early = false;
  runtime_world at(TestType::open(shop_tables()));
  const gate door;
  at.on<policies::ledger>(placed(),
                          [&runs, door](const addressed_message& message, ledger_effects& out) {
                            ++runs;
                            door.wait();
                            reserve(message, out);
                          });
  at.feed->at_ack = [&] { early = early || at.rows("stock").empty(); };
  at.say({.quantity = 3});
  at.start();
  REQUIRE(eventually([&] { return door.waiting() == 1; }));
  at.say({.quantity = 3});
  REQUIRE(eventually([&] { return at.node().count().received == 2; }));
  CHECK(at.feed->acked().empty());
  door.open();
  at.feed->end();
  const counts seen = at.finish();
  CHECK(runs == 1);
  CHECK_FALSE(early);
  CHECK(seen.of(outcome::applied) == 1);
  CHECK(seen.of(outcome::duplicate) == 1);
  CHECK(at.feed->acked().size() == 2);
  CHECK(at.rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE("runtime: a duplicate of a message whose first attempts fail waits for it") {
  std::atomic<int> runs = 0;
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::ledger>(placed(), [&runs](const addressed_message& message, ledger_effects& out) {
    if (++runs < 3) {
      throw std::runtime_error("not yet");
    }
    reserve(message, out);
  });
  at.say({.quantity = 3});
  at.say({.quantity = 3});
  at.feed->end();
  const counts seen = at.run();
  CHECK(runs == 3);
  CHECK(seen.attempts_failed == 2);
  CHECK(seen.of(outcome::applied) == 1);
  CHECK(seen.of(outcome::duplicate) == 1);
  CHECK(at.rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE("runtime: a duplicate of a message that is done is told from memory") {
  std::atomic<int> runs = 0;
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::ledger>(placed(), [&runs](const addressed_message& message, ledger_effects& out) {
    ++runs;
    reserve(message, out);
  });
  at.say({.quantity = 3});
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 1; }));
  at.say({.quantity = 3});
  at.feed->end();
  const counts seen = at.finish();
  CHECK(runs == 1);
  CHECK(seen.of(outcome::duplicate) == 1);
  CHECK(at.feed->acked().size() == 2);
  CHECK(at.rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE("runtime: a duplicate that memory has forgotten is caught by the constraint") {
  std::atomic<int> runs = 0;
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::ledger>(placed(), [&runs](const addressed_message& message, ledger_effects& out) {
    ++runs;
    reserve(message, out);
  });
  at.say({.quantity = 3});
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 1; }));
  at.say({.quantity = 3});
  REQUIRE(eventually([&] { return at.feed->acked().size() == 2; }));
  at.say({.quantity = 3});
  at.feed->end();
  const counts seen = at.run();
  CHECK(runs == 2);
  CHECK(seen.of(outcome::applied) == 0);
  CHECK(seen.of(outcome::duplicate) == 1);
  CHECK(at.rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE("runtime: a crash between commit and acknowledgement doubles nothing") {
  std::atomic<bool> struck = false;
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::ledger>(placed(), reserve<policies::ledger>);
  at.adjust = [&struck](runtime_config& config) {
    config.at_fault_point = [&struck](fault_point point) {
      struck = struck || point == fault_point::after_commit_before_ack;
      return struck.load();
    };
  };
  for (int i = 1; i <= 20; ++i) {
    at.say({.sku = std::to_string(i % 4), .id = std::to_string(i)});
  }
  at.feed->end();
  at.start();
  REQUIRE(eventually([&] { return struck.load(); }));
  at.crash();
  at.adjust = nullptr;
  const std::size_t acked = at.feed->acked().size();
  const counts seen = at.run();
  CHECK(seen.of(outcome::duplicate) > 0);
  CHECK(seen.of(outcome::applied) + seen.of(outcome::duplicate) == 20 - acked);
  CHECK(at.feed->acked().size() == 20);
  CHECK(at.rows("stock") == cells{{"0", "0", "5", "NULL"},
                                  {"1", "0", "5", "NULL"},
                                  {"2", "0", "5", "NULL"},
                                  {"3", "0", "5", "NULL"}});
}

STORE_TEST_CASE(
    "runtime: one id with two contents loses neither: the second is set aside, loudly") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::ledger>(placed(), reserve<policies::ledger>);
  at.say({.quantity = 3});
  at.say({.quantity = 4});
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.of(outcome::applied) == 1);
  CHECK(seen.of(outcome::conflict) == 1);
  CHECK(at.feed->acked().size() == 2);
  const auto letters = at.dead_letters();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].reason == "conflict");
  const auto alarms = at.node().alarms();
  REQUIRE(alarms.size() == 1);
  CHECK(alarms[0].name == "conflict:sku/a");
  CHECK(at.rows("stock") == cells{{"a", "0", "3", "NULL"}});
}
