// Messages with versions: sequences with gaps, the latest that wins, and what identifies them.
#include "tests/check.hpp"
#include "tests/support/runtime_world.hpp"
#include "tests/support/shop.hpp"

using namespace pawl;
using namespace pawl_test;
using cells = std::vector<std::vector<std::string>>;

namespace {

constexpr auto sequence_trail = trail<policies::sequence>;

void say_versions(runtime_world& at, const std::vector<std::int64_t>& versions) {
  for (const std::int64_t version : versions) {
    at.say({.id = std::to_string(version), .version = version});
  }
}

}  // namespace

STORE_TEST_CASE("runtime: a sequence parks what comes too early and takes effect in order") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::sequence>(counted(), sequence_trail);
  say_versions(at, {3, 5, 1, 4, 2, 6});
  at.start();
  REQUIRE(eventually([&] { return at.state("a") == "1 2 3 4 5 6"; }));
  at.feed->end();
  const counts seen = at.finish();
  CHECK(seen.of(outcome::applied) == 6);
  CHECK(at.feed->acked().size() == 6);
  CHECK(at.status().parked_gap == 0);
}

STORE_TEST_CASE("runtime: a gap that is open at a crash is drained in order by the next run") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::sequence>(counted(), sequence_trail);
  say_versions(at, {1, 3, 5, 4});
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 4; }));
  at.crash();
  CHECK(at.state("a") == "1");
  CHECK(at.status().parked_gap == 3);
  say_versions(at, {3, 2});
  at.start();
  REQUIRE(eventually([&] { return at.state("a") == "1 2 3 4 5"; }));
  at.feed->end();
  const counts seen = at.finish();
  CHECK(seen.of(outcome::duplicate) == 1);
  CHECK(at.status().parked_gap == 0);
  CHECK(at.feed->acked().size() == 6);
}

STORE_TEST_CASE("runtime: a sequence that may start anywhere starts with what comes first") {
  runtime_world at(TestType::open(shop_tables()));
  auto declared = counted();
  declared.start = sequence_start::first;
  at.on<policies::sequence>(declared, sequence_trail);
  say_versions(at, {7, 9, 8, 6});
  at.start();
  REQUIRE(eventually([&] { return at.state("a") == "7 8 9"; }));
  at.feed->end();
  CHECK(at.finish().of(outcome::stale) == 1);
}

STORE_TEST_CASE("runtime: the latest version wins, and an older one is stale") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::latest>(counted(),
                          [](const addressed_message& message, effects<policies::latest>& out) {
                            out.upsert("stock", {{"sku", message.entity.key}},
                                       {{"on_hand", message.elements.front().front()}});
                          });
  for (const std::int64_t version : {2, 1, 5, 3, 5}) {
    at.say({.quantity = 10 * version, .version = version});
  }
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.of(outcome::applied) == 2);
  CHECK(seen.of(outcome::stale) == 2);
  CHECK(seen.of(outcome::duplicate) == 1);
  CHECK(at.rows("stock") == cells{{"a", "50", "0", "NULL"}});
}

STORE_TEST_CASE("runtime: two versions under one message id are two messages") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::sequence>(counted(), sequence_trail);
  for (const std::int64_t version : {3, 2}) {
    at.say({.id = "the same", .version = version});
  }
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 2; }));
  CHECK(at.status().parked_gap == 2);
  at.say({.id = "the same", .version = 1});
  REQUIRE(eventually([&] { return at.state("a") == "1 2 3"; }));
  at.feed->end();
  CHECK(at.finish().of(outcome::applied) == 3);
  CHECK(at.dead_letters().empty());
}

STORE_TEST_CASE("runtime: one version under two ids is one message, with two contents a conflict") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::sequence>(counted(), sequence_trail);
  at.say({.id = "x", .quantity = 1, .version = 2});
  at.say({.id = "y", .quantity = 1, .version = 2});
  at.say({.id = "z", .quantity = 5, .version = 2});
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 3; }));
  CHECK(at.status().parked_gap == 1);
  at.say({.version = 1});
  REQUIRE(eventually([&] { return at.state("a") == "1 2"; }));
  at.feed->end();
  const counts seen = at.finish();
  CHECK(seen.of(outcome::conflict) == 1);
  CHECK(seen.of(outcome::duplicate) == 1);
  REQUIRE(at.dead_letters().size() == 1);
  CHECK(at.dead_letters()[0].reason == "conflict");
}

STORE_TEST_CASE("runtime: a dead version holds its successors, and discarded it lets them go on") {
  runtime_world at(TestType::open(shop_tables()));
  at.adjust = [](runtime_config& config) { config.attempts = 2; };
  at.on<policies::sequence>(
      counted(), [](const addressed_message& message, const std::optional<std::string>& state,
                    effects<policies::sequence>& out) {
        if (message.version == message_version{2}) {
          throw std::runtime_error("no");
        }
        trail(message, state, out);
      });
  say_versions(at, {1, 2, 3, 4});
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 4; }));
  CHECK(at.state("a") == "1");
  const auto letters = at.dead_letters();
  REQUIRE(letters.size() == 1);
  CHECK(at.fixture().open_admin()->mark(letters[0].id, dead_letter_mark::discard).ok());
  REQUIRE(eventually([&] { return at.state("a") == "1 3 4"; }));
  say_versions(at, {5});
  at.feed->end();
  (void)at.finish();
  CHECK(at.state("a") == "1 3 4 5");
}
