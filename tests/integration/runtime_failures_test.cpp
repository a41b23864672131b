// Handlers that throw, effects that a store refuses, dead letters and what waits behind them.
#include "tests/check.hpp"
#include "tests/support/runtime_world.hpp"
#include "tests/support/shop.hpp"
#include "tests/support/sqlite_file.hpp"

#include <atomic>
#include <memory>

using namespace pawl;
using namespace pawl_test;
using cells = std::vector<std::vector<std::string>>;
using ledger_effects = effects<policies::ledger>;

namespace {

using switched = std::shared_ptr<std::atomic<bool>>;

switched is_broken() { return std::make_shared<std::atomic<bool>>(true); }

/// Notes messages; the one of that id fails while it is broken.
auto notes_but(std::string id, switched broken) {
  return [id = std::move(id), broken = std::move(broken)](const addressed_message& message,
                                                          ledger_effects& out) {
    if (message.id == id && *broken) {
      throw std::runtime_error("this one can't be done");
    }
    note(message, out);
  };
}

void say_five(runtime_world& at) {
  for (const std::string& id : numbers_to(5)) {
    at.say({.sku = "a", .id = id});
    at.say({.sku = "b", .id = id});
  }
}

void mark(runtime_world& at, std::int64_t id, dead_letter_mark how) {
  REQUIRE(must(at.fixture().open_admin()->mark(id, how)));
}

}  // namespace

SQL_TEST_CASE("runtime: a handler that throws is tried again, and nothing overtakes its message") {
  auto runs = std::make_shared<std::atomic<int>>(0);
  runtime_world at(open_journal<TestType>());
  at.on<policies::ledger>(placed(), [runs](const addressed_message& message, ledger_effects& out) {
    if (message.entity.key == "a" && message.id == "3" && ++*runs < 4) {
      throw std::runtime_error("not yet");
    }
    note(message, out);
  });
  say_five(at);
  at.feed->end();
  const counts seen = at.run();
  CHECK(*runs == 4);
  CHECK(seen.attempts_failed == 3);
  CHECK(seen.of(outcome::applied) == 10);
  CHECK(at.journal("a") == numbers_to(5));
  CHECK(at.journal("b") == numbers_to(5));
  CHECK(at.dead_letters().empty());
}

SQL_TEST_CASE("runtime: what a handler throws may be anything") {
  runtime_world at(open_journal<TestType>());
  at.adjust = [](runtime_config& config) { config.attempts = 2; };
  at.on<policies::ledger>(placed(), [](const addressed_message&, ledger_effects&) { throw 7; });
  at.say({});
  at.feed->end();
  CHECK(at.run().of(outcome::dead) == 1);
  REQUIRE(at.dead_letters().size() == 1);
  CHECK(at.dead_letters()[0].attempts == 2);
}

SQL_TEST_CASE("runtime: after its attempts a message is a dead letter and its successors wait") {
  const auto broken = is_broken();
  runtime_world at(open_journal<TestType>());
  at.adjust = [](runtime_config& config) { config.attempts = 3; };
  at.on<policies::ledger>(placed(), notes_but("2", broken));
  say_five(at);
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.of(outcome::dead) == 2);
  CHECK(seen.of(outcome::parked) == 6);
  CHECK(seen.attempts_failed == 6);
  CHECK(at.feed->acked().size() == 10);
  CHECK(at.journal("a") == numbers_to(1));
  const consumer_status waiting = at.status();
  CHECK(waiting.blocked_entities == 2);
  CHECK(waiting.parked_behind_dead == 6);
  const auto letters = at.dead_letters();
  REQUIRE(letters.size() == 2);
  CHECK(letters[0].reason == "handler");
  CHECK(letters[0].text == "this one can't be done");
  CHECK(letters[0].attempts == 3);
  CHECK(letters[0].blocks);
  CHECK(at.node().alarms().size() == 2);
}

SQL_TEST_CASE("runtime: `on_dead: skip` lets the successors go on") {
  const auto broken = is_broken();
  runtime_world at(open_journal<TestType>());
  at.adjust = [](runtime_config& config) { config.attempts = 2; };
  auto declared = placed();
  declared.on_dead = on_dead_policy::skip;
  at.on<policies::ledger>(declared, notes_but("2", broken));
  say_five(at);
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.of(outcome::dead) == 2);
  CHECK(seen.of(outcome::parked) == 0);
  CHECK(at.journal("a") == std::vector<std::string>{"1", "3", "4", "5"});
  CHECK(at.status().blocked_entities == 0);
}

SQL_TEST_CASE("runtime: a redriven dead letter goes first, then the parked, then what is new") {
  const auto broken = is_broken();
  runtime_world at(open_journal<TestType>());
  at.adjust = [](runtime_config& config) { config.attempts = 2; };
  at.on<policies::ledger>(placed(), notes_but("2", broken));
  say_five(at);
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 10; }));
  *broken = false;
  for (const auto& letter : at.dead_letters()) {
    mark(at, letter.id, dead_letter_mark::retry);
  }
  at.say({.sku = "a", .id = "6"});
  at.say({.sku = "b", .id = "6"});
  REQUIRE(eventually([&] { return at.journal("a").size() == 6 && at.journal("b").size() == 6; }));
  at.feed->end();
  const counts seen = at.finish();
  CHECK(at.journal("a") == numbers_to(6));
  CHECK(at.journal("b") == numbers_to(6));
  CHECK(seen.redriven == 2);
  CHECK(at.dead_letters().empty());
  CHECK(at.status().blocked_entities == 0);
  CHECK(at.node().alarms().empty());
}

SQL_TEST_CASE("runtime: a discarded dead letter frees its successors, also after a restart") {
  const auto broken = is_broken();
  runtime_world at(open_journal<TestType>());
  at.adjust = [](runtime_config& config) { config.attempts = 1; };
  at.on<policies::ledger>(placed(), notes_but("2", broken));
  say_five(at);
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 10; }));
  at.crash();
  for (const auto& letter : at.dead_letters()) {
    mark(at, letter.id, dead_letter_mark::discard);
  }
  at.say({.sku = "a", .id = "2"});
  at.start();
  const std::vector<std::string> without_two{"1", "3", "4", "5"};
  REQUIRE(eventually([&] { return at.journal("a").size() == 4 && at.journal("b").size() == 4; }));
  at.feed->end();
  (void)at.finish();
  CHECK(at.journal("a") == without_two);
  CHECK(at.journal("b") == without_two);
  CHECK(at.status().blocked_entities == 0);
  CHECK(at.status().parked_behind_dead == 0);
}

STORE_TEST_CASE("runtime: an effect that the store refuses fails its message alone") {
  runtime_world at(TestType::open(shop_tables()));
  at.adjust = [](runtime_config& config) { config.attempts = 2; };
  at.on<policies::ledger>(placed(), [](const addressed_message& message, ledger_effects& out) {
    out.upsert("stock", {{"sku", message.entity.key}},
               {{"on_hand", message.elements.front().front()}});
  });
  for (int i = 0; i < 20; ++i) {
    at.say({.sku = "e" + std::to_string(10 + i), .quantity = i == 7 ? -1 : i});
  }
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.of(outcome::applied) == 19);
  CHECK(seen.of(outcome::dead) == 1);
  CHECK(at.rows("stock").size() == 19);
  REQUIRE(at.dead_letters().size() == 1);
  CHECK(at.dead_letters()[0].entity.key == "e17");
  CHECK(at.dead_letters()[0].reason == "store");
}

STORE_TEST_CASE("runtime: what can't be decoded is set aside once, and nobody waits for it") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::ledger>(placed(), reserve<policies::ledger>);
  at.feed->say("{");
  at.feed->say(R"({"type":"Unknown"})");
  at.feed->say(R"({"type":"Placed","sku":"a","quantity":1})");
  at.say({});
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.of(outcome::dead) == 3);
  CHECK(seen.of(outcome::applied) == 1);
  CHECK(at.feed->acked().size() == 4);
  CHECK(at.dead_letters().size() == 3);
  CHECK(at.status().blocked_entities == 0);
}
