#include "actors/alarms.hpp"
#include "actors/counts.hpp"
#include "actors/credits.hpp"
#include "actors/frontier.hpp"
#include "actors/position_board.hpp"
#include "actors/retry.hpp"
#include "actors/seen_keys.hpp"
#include "actors/task.hpp"
#include "tests/check.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace pawl;

namespace {

ledger_key key_of(std::uint8_t n) {
  ledger_key key;
  key.bytes[0] = n;
  return key;
}

/// Both at the same time, each in a thread of its own.
template <class Left, class Right>
void together(Left&& left, Right&& right) {
  std::thread other(std::forward<Right>(right));
  left();
  other.join();
}

constexpr int rounds = 2000;

}  // namespace

TEST_CASE("a frontier is the lowest delivery that is not finished, across the holes of a log") {
  frontier at;
  CHECK_FALSE(at.position().has_value());
  at.deliver(10, 17);
  at.deliver(17, 40);
  at.deliver(40, 41);
  CHECK(at.finish(17));
  CHECK(at.position() == 10);
  CHECK(at.finish(10));
  CHECK(at.position() == 40);
  CHECK(at.finish(40));
  CHECK(at.position() == 41);
  CHECK(at.idle());
}

TEST_CASE("a position that is delivered again holds the frontier until both are finished") {
  frontier at;
  at.deliver(5, 6);
  at.deliver(5, 6);
  CHECK(at.finish(5));
  CHECK(at.position() == 5);
  CHECK(at.finish(5));
  CHECK(at.position() == 6);
  CHECK_FALSE(at.finish(5));
}

TEST_CASE("a rewind brings the frontier back and never shortens what follows the last delivery") {
  frontier at;
  at.deliver(8, 9);
  CHECK(at.finish(8));
  at.deliver(3, 4);
  CHECK(at.position() == 3);
  CHECK(at.finish(3));
  CHECK(at.position() == 9);
}

TEST_CASE("a frontier never passes an unfinished delivery") {
  property("of any deliveries finished in any order", [](const std::vector<std::uint8_t>& steps) {
    frontier at;
    std::vector<std::int64_t> open;
    std::int64_t next = 0;
    for (const std::uint8_t step : steps) {
      if (step % 3 != 0 || open.empty()) {
        const std::int64_t after = next + 1 + step % 7;
        at.deliver(next, after);
        open.push_back(next);
        next = after;
      } else {
        const auto which = open.begin() + step % static_cast<std::ptrdiff_t>(open.size());
        RC_ASSERT(at.finish(*which));
        open.erase(which);
      }
      const auto lowest = std::min_element(open.begin(), open.end());
      RC_ASSERT(at.position() == (lowest == open.end() ? next : *lowest));
    }
  });
}

TEST_CASE("credits end with the messages or with the bytes, and come back") {
  credits left(2, 100);
  left.take(10);
  CHECK(left.any());
  CHECK(left.messages_left() == 1);
  CHECK(left.bytes_left() == 90);
  left.take(500);
  CHECK_FALSE(left.any());
  CHECK(left.bytes_left() == 0);
  left.give_back(10);
  CHECK_FALSE(left.any());
  left.give_back(500);
  CHECK(left.any());
  CHECK(left.messages_held() == 0);
  CHECK(left.bytes_held() == 0);
}

TEST_CASE("a backoff doubles up to its most, and spreads over its upper half") {
  const retry_policy retry{5, 100, 1000};
  CHECK(backoff_ms(retry, 1, 0) == 100);
  CHECK(backoff_ms(retry, 2, 0) == 200);
  CHECK(backoff_ms(retry, 4, 0) == 800);
  CHECK(backoff_ms(retry, 5, 0) == 1000);
  CHECK(backoff_ms(retry, 2'000'000, 0) == 1000);
  for (std::uint64_t spread = 0; spread < 1000; ++spread) {
    const auto wait = backoff_ms(retry, 2, spread);
    CHECK((wait >= 100 && wait <= 200));
  }
  CHECK(backoff_ms(retry, 2, 50) != backoff_ms(retry, 2, 0));
}

TEST_CASE("a backoff of nothing still waits for a moment") {
  CHECK(backoff_ms({5, 0, 1000}, 1, 7) >= 1);
}

TEST_CASE("a seen key is found with its content until another takes its slot") {
  seen_keys seen(4);
  CHECK_FALSE(seen.find(key_of(1)).has_value());
  seen.enter(key_of(1), fingerprint{7});
  CHECK(seen.find(key_of(1)) == fingerprint{7});
  CHECK_FALSE(seen.find(key_of(5)).has_value());
  seen.enter(key_of(5), fingerprint{8});
  CHECK(seen.find(key_of(5)) == fingerprint{8});
  CHECK_FALSE(seen.find(key_of(1)).has_value());
}

TEST_CASE("a key of zeros is not taken for seen") {
  const seen_keys seen(1);
  CHECK_FALSE(seen.find(ledger_key{}).has_value());
}

TEST_CASE("an alarm is heard once when it is raised and once when it is cleared") {
  std::vector<std::string> heard;
  alarm_board board([] { return std::int64_t{42}; },
                    [&heard](const pawl::alarm& one, bool raised) {
                      heard.push_back((raised ? "+" : "-") + one.name + " " + one.text);
                    });
  board.raise("store", "gone");
  board.raise("store", "still gone");
  REQUIRE(board.raised().size() == 1);
  CHECK(board.raised()[0].since_ms == 42);
  board.clear("store");
  board.clear("store");
  board.clear("never raised");
  CHECK(board.raised().empty());
  CHECK(heard == std::vector<std::string>{"+store gone", "-store gone"});
}

TEST_CASE("past the most alarms new ones are heard but not kept") {
  std::size_t heard = 0;
  alarm_board board([] { return std::int64_t{0}; },
                    [&heard](const pawl::alarm&, bool) { ++heard; });
  for (std::size_t i = 0; i < alarm_board::alarms_max + 5; ++i) {
    board.raise("entity:" + std::to_string(i), "blocked");
  }
  CHECK(board.raised().size() == alarm_board::alarms_max);
  CHECK(heard == alarm_board::alarms_max + 5);
}

TEST_CASE("an alarm that two threads raise and clear is heard as often up as down") {
  std::atomic<int> up{0};
  std::atomic<int> down{0};
  alarm_board board([] { return std::int64_t{0}; },
                    [&](const pawl::alarm&, bool raised) { ++(raised ? up : down); });
  const auto flicker = [&board] {
    for (int i = 0; i < rounds; ++i) {
      board.raise("store", "gone");
      (void)board.raised();
      board.clear("store");
    }
  };
  together(flicker, flicker);
  CHECK(board.raised().empty());
  CHECK(up == down);
  CHECK(up >= rounds);
}

TEST_CASE("what two threads count adds up, and each outcome is counted by itself") {
  counters counted;
  const auto count = [&counted] {
    for (int i = 0; i < rounds; ++i) {
      counted.count(outcome::applied);
      counted.count(outcome::parked, 2);
      counted.pairs(3);
      counted.redriven();
      counted.attempt_failed();
      (void)counted.read();
    }
  };
  together(count, count);
  const counts seen = counted.read();
  CHECK(seen.of(outcome::applied) == 2 * rounds);
  CHECK(seen.of(outcome::parked) == 4 * rounds);
  CHECK(seen.of(outcome::dead) == 0);
  CHECK(seen.pairs == 6 * rounds);
  CHECK(seen.redriven == 2 * rounds);
  CHECK(seen.attempts_failed == 2 * rounds);
}

TEST_CASE("a position board shows the last of each partition, whoever reads meanwhile") {
  position_board board;
  const auto write = [&board](const char* partition) {
    for (int i = 1; i <= rounds; ++i) {
      board.put({"orders", partition, i, "first line"});
      (void)board.read();
    }
  };
  together([&] { write("0"); }, [&] { write("1"); });
  const auto seen = board.read();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].partition == "0");
  CHECK(seen[0].position == rounds);
  CHECK(seen[1].position == rounds);
}

TEST_CASE("of pairs that finish in two shards at once exactly one is the last") {
  for (int i = 0; i < rounds / 10; ++i) {
    delivery one;
    one.open = 2;
    std::atomic<int> last{0};
    const auto finish = [&] { last += one.finish_one() ? 1 : 0; };
    together(finish, finish);
    CHECK(last == 1);
  }
}
