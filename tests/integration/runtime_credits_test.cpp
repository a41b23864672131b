// Memory is bounded: what was polled and is not finished never exceeds the credits.
#include "tests/check.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/runtime_world.hpp"
#include "tests/support/shop.hpp"

#include <thread>

using namespace pawl;
using namespace pawl_test;
using ledger_effects = effects<policies::ledger>;

namespace {

/// A store whose commits take their time.
class slow_session final : public forwarding_commit_session {
 public:
  using forwarding_commit_session::forwarding_commit_session;
  status commit() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return forwarding_commit_session::commit();
  }
};

void say_many(runtime_world& at, int n) {
  for (int i = 0; i < n; ++i) {
    at.say({.sku = std::to_string(i % 10), .id = std::to_string(i)});
  }
  at.feed->end();
}

}  // namespace

STORE_TEST_CASE("runtime: with slow handlers the source is never asked for more than the credits") {
  runtime_world at(TestType::open(shop_tables()));
  at.adjust = [](runtime_config& config) { config.credit_messages = 20; };
  at.on<policies::ledger>(placed(), [](const addressed_message& message, ledger_effects& out) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    reserve(message, out);
  });
  say_many(at, 400);
  CHECK(at.run().of(outcome::applied) == 400);
  CHECK(at.feed->most_held() == 20);
}

STORE_TEST_CASE("runtime: with a slow store likewise") {
  runtime_world at(TestType::open(shop_tables()));
  at.adjust = [](runtime_config& config) {
    config.credit_messages = 50;
    config.database = std::make_shared<forwarding_store>(
        config.database, [](std::unique_ptr<commit_session> real) {
          return std::make_unique<slow_session>(std::move(real));
        });
  };
  at.on<policies::ledger>(placed(), reserve<policies::ledger>);
  say_many(at, 1000);
  CHECK(at.run().of(outcome::applied) == 1000);
  CHECK(at.feed->most_held() == 50);
}

STORE_TEST_CASE("runtime: credits count bytes too, and one message may exceed them") {
  const std::string filler(2000, 'x');
  runtime_world at(TestType::open(shop_tables()));
  at.adjust = [](runtime_config& config) { config.credit_bytes = 1000; };
  at.on<policies::ledger>(placed(), reserve<policies::ledger>);
  for (int i = 0; i < 50; ++i) {
    at.feed->say(R"({"type":"Placed","sku":"a","quantity":1,"id":)" + std::to_string(i) +
                 R"(,"filler":")" + (i % 10 == 0 ? filler : "") + R"("})");
  }
  at.feed->end();
  CHECK(at.run().of(outcome::applied) == 50);
  CHECK(at.feed->most_bytes_held() > 1000);
  CHECK(at.feed->most_bytes_held() < 1000 + 2100);
}

STORE_TEST_CASE("runtime: a key whose handler hangs holds its own messages only") {
  runtime_world at(TestType::open(shop_tables()));
  const gate door;
  at.on<policies::ledger>(placed(), [door](const addressed_message& message, ledger_effects& out) {
    if (message.entity.key == "0") {
      door.wait();
    }
    reserve(message, out);
  });
  say_many(at, 200);
  at.start();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 180; }));
  CHECK(door.waiting() == 1);
  door.open();
  CHECK(at.finish().of(outcome::applied) == 200);
}
