// Handlers that keep state: every message is in it once and in order, whatever is delivered again
// and wherever the process is cut off.
#include "tests/check.hpp"
#include "tests/support/runtime_world.hpp"
#include "tests/support/shop.hpp"

#include <atomic>
#include <thread>

using namespace pawl;
using namespace pawl_test;

namespace {

constexpr int entities = 5;
constexpr int messages = 60;  // of an entity

std::string all_of_them() {
  std::string text;
  for (const std::string& one : numbers_to(messages)) {
    text += (text.empty() ? "" : " ") + one;
  }
  return text;
}

/// Every message twice: its repetition comes 17 deliveries later.
void say_all_twice(runtime_world& at, bool versioned) {
  std::vector<order> all;
  for (int n = 1; n <= messages; ++n) {
    for (int entity = 0; entity < entities; ++entity) {
      order one{.sku = std::to_string(entity), .id = std::to_string(n)};
      if (versioned) {
        one.version = n;
      }
      all.push_back(std::move(one));
    }
  }
  for (std::size_t i = 0; i < all.size() + 17; ++i) {
    if (i < all.size()) {
      at.say(all[i]);
    }
    if (i >= 17) {
      at.say(all[i - 17]);
    }
  }
  at.feed->end();
}

/// Runs until everything is finished, cut off at every `every`-th time that the point is reached.
int run_with_crashes(runtime_world& at, fault_point where, int every) {
  std::atomic<int> reached = 0;
  std::atomic<bool> struck = false;
  at.adjust = [&](runtime_config& config) {
    config.batch_messages = 16;
    config.credit_messages = 64;
    config.at_fault_point = [&](fault_point point) {
      if (point == where && !struck && ++reached % every == 0) {
        struck = true;
      }
      return struck.load();
    };
  };
  int crashes = 0;
  for (;; ++crashes) {
    struck = false;
    at.start();
    REQUIRE(
        eventually([&] { return struck || at.node().wait_finished(std::chrono::milliseconds(5)); },
                   std::chrono::seconds(60)));
    if (!struck) {
      break;
    }
    at.crash();
  }
  (void)at.finish();
  at.adjust = nullptr;
  return crashes;
}

}  // namespace

STORE_TEST_CASE(
    "runtime: state under `ledger` holds each message once, through crashes at any cut") {
  for (const fault_point where :
       {fault_point::before_fence, fault_point::after_guards, fault_point::after_effects,
        fault_point::before_commit, fault_point::after_commit_before_ack}) {
    CAPTURE(std::string(name_of(where)));
    runtime_world at(TestType::open(shop_tables()));
    at.on<policies::ledger>(placed(), trail<policies::ledger>);
    say_all_twice(at, false);
    CHECK(run_with_crashes(at, where, 7) > 0);
    for (int entity = 0; entity < entities; ++entity) {
      CHECK(at.state(std::to_string(entity)) == all_of_them());
    }
    CHECK(at.dead_letters().empty());
  }
}

STORE_TEST_CASE("runtime: state under a sequence holds each version once, through crashes") {
  for (const fault_point where : {fault_point::after_fence, fault_point::before_commit,
                                  fault_point::after_commit_before_ack}) {
    CAPTURE(std::string(name_of(where)));
    runtime_world at(TestType::open(shop_tables()));
    at.on<policies::sequence>(counted(), trail<policies::sequence>);
    say_all_twice(at, true);
    CHECK(run_with_crashes(at, where, 7) > 0);
    for (int entity = 0; entity < entities; ++entity) {
      CHECK(at.state(std::to_string(entity)) == all_of_them());
    }
    CHECK(at.dead_letters().empty());
  }
}

STORE_TEST_CASE("runtime: state survives passivation, and a failing handler leaves it alone") {
  runtime_world at(TestType::open(shop_tables()));
  at.adjust = [](runtime_config& config) { config.passivate = std::chrono::milliseconds(1); };
  const auto runs = std::make_shared<std::atomic<int>>(0);
  at.on<policies::ledger>(
      placed(), [runs](const addressed_message& message, const std::optional<std::string>& state,
                       effects<policies::ledger>& out) {
        trail(message, state, out);
        if (message.id == "3" && ++*runs < 3) {
          throw std::runtime_error("after the state was given");
        }
      });
  at.say({.id = "1"});
  at.start();
  REQUIRE(eventually([&] { return at.state("a") == "1"; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // a sweep comes every second
  for (const char* id : {"2", "3", "1", "4"}) {
    at.say({.id = id});
  }
  at.feed->end();
  (void)at.finish();
  CHECK(at.state("a") == "1 2 3 4");
}
