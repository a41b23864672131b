// The ledger's ring turns under a running stream: no message that comes again within the window is
// applied twice, and old generations go.
#include "tests/check.hpp"
#include "tests/support/runtime_world.hpp"
#include "tests/support/sqlite_file.hpp"

#include <algorithm>
#include <deque>
#include <random>
#include <thread>

using namespace pawl;
using namespace pawl_test;
using std::chrono::milliseconds;
using test_clock = std::chrono::steady_clock;

SQL_TEST_CASE("runtime: generations rotate and go while everything is delivered twice") {
  static constexpr int window_ms = 2400;
  constexpr int span_ms_max = 1800;  // from a message to its repetition
  std::mt19937 random(7);
  runtime_world at(open_journal<TestType>());
  at.on<policies::ledger>(placed(), note<policies::ledger>);
  at.adjust = [](runtime_config& config) { config.ledger_window = milliseconds(window_ms); };

  std::deque<std::pair<test_clock::time_point, order>> again;
  int said = 0;
  int repeated = 0;
  const auto repeat_due = [&](test_clock::time_point until) {
    while (!again.empty() && again.front().first <= until) {
      at.say(again.front().second);
      again.pop_front();
      ++repeated;
    }
  };
  at.start();
  const auto begin = test_clock::now();
  auto restart = begin + milliseconds(1300);
  while (test_clock::now() - begin < std::chrono::seconds(10)) {
    for (int i = 0; i < 20; ++i) {
      order one{.sku = std::to_string(said % 10), .id = std::to_string(said)};
      ++said;
      at.say(one);
      again.emplace_back(test_clock::now() + milliseconds(random() % span_ms_max), std::move(one));
    }
    std::sort(again.begin(), again.end(),
              [](const auto& left, const auto& right) { return left.first < right.first; });
    repeat_due(test_clock::now());
    std::this_thread::sleep_for(milliseconds(20));
    if (test_clock::now() > restart) {
      // A cold memory: from here on only the tables know.
      restart += milliseconds(1300);
      at.start();
    }
  }
  repeat_due(test_clock::time_point::max());
  at.feed->end();
  (void)at.finish();
  CHECK(repeated == said);

  const auto doubled = must(at.fixture().store().query(
      "SELECT message, count(*) FROM journal GROUP BY message HAVING count(*) > 1"));
  CHECK(doubled.rows.empty());
  const auto all = must(at.fixture().store().query("SELECT count(*) FROM journal"));
  CHECK(all.rows.front().front() == std::to_string(said));

  const ledger_status ledger = must(at.fixture().open_admin()->ledger());
  std::int64_t newest = 0;
  std::int64_t rows = 0;
  std::int64_t oldest_kept = INT64_MAX;
  for (const ledger_generation& one : ledger.ring) {
    newest = std::max(newest, one.number);
    rows += one.rows;
    if (one.state == generation_state::current || one.state == generation_state::frozen) {
      oldest_kept = std::min(oldest_kept, one.number);
    }
  }
  CHECK(newest >= 6);
  CHECK(oldest_kept >= 4);
  CHECK(rows < said);
}
