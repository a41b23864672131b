// Data that nobody here made, doubled and shuffled: the tables must be what SQL computes from the
// original file.
#include "tests/support/real_data.hpp"

#include "runtime/node.hpp"
#include "tests/check.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/plain_database.hpp"
#include "tests/support/scenario_files.hpp"

#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pawl_test {
namespace {

constexpr std::uint64_t seed = 20010101;

#define REAL_DATA_TEST_CASE(sentence) \
  TEMPLATE_TEST_CASE(sentence, "", pawl_test::plain_sqlite, pawl_test::plain_postgres)

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What Pawl wrote, and what SQL says of the original rows.
struct table_check {
  std::string written;
  std::string computed;
};

/// A file of others with all that is made of it.
struct real_feed {
  std::string name;      ///< of its node file and its tables under tests/data/
  std::string original;  ///< a JSON array of its rows
  std::string load;      ///< the statement that loads them, but for what to select from
  std::vector<std::string> messages;
  std::vector<table_check> checks;
};

real_feed flights() {
  const std::string file = real_data("flights-20k.json");
  return {"flights",
          file,
          "INSERT INTO flight SELECT value->>'origin', value->>'destination', "
          "CAST(value->>'delay' AS INTEGER), CAST(value->>'distance' AS INTEGER) FROM ",
          flight_messages(file),
          {{"SELECT airport, flights, delay, distance FROM departures ORDER BY airport",
            "SELECT origin, count(*), sum(delay), sum(distance) FROM flight "
            "GROUP BY origin ORDER BY origin"},
           {"SELECT airport, flights, delay, earlier FROM arrivals ORDER BY airport",
            "SELECT destination, count(*), sum(delay), -sum(delay) FROM flight "
            "GROUP BY destination ORDER BY destination"}}};
}

real_feed stocks() {
  const std::string file = real_data("stocks.csv");
  return {"stocks",
          quote_rows(file),
          "INSERT INTO quote SELECT value->>0, value->>1, CAST(value->>2 AS NUMERIC) FROM ",
          quote_messages(file),
          {{"SELECT symbol, date, day, price FROM last_price ORDER BY symbol",
            "SELECT symbol, date, day, price FROM dated_quote AS one WHERE date = "
            "(SELECT max(date) FROM dated_quote AS each WHERE each.symbol = one.symbol) "
            "ORDER BY symbol"}}};
}

/// Ends a run at a fault point that it comes to for the n-th time: nothing happens in it from there
/// on. Outlives the run.
class crash {
 public:
  crash(pawl::fault_point at, int times) : at_(at), left_(times) {}
  bool reached(pawl::fault_point point) {
    if (point == at_ && --left_ <= 0) {
      struck_ = true;
    }
    return struck_;
  }
  [[nodiscard]] bool struck() const { return struck_; }

 private:
  const pawl::fault_point at_;
  std::atomic<int> left_;
  std::atomic<bool> struck_{false};
};

/// What a user has for one feed: a database with the tables, the node file, the messages. The
/// original is in the database too, loaded without Pawl.
template <class Database>
class real_node {
 public:
  explicit real_node(const real_feed& feed)
      : feed_(feed),
        file_(pawl::test_root() + "/tests/data/" + feed.name + ".yaml"),
        messages_(files_.write("messages.ndjson", doubled_and_shuffled(feed.messages, seed))) {
    database_.run_script(text_of(pawl::test_root() + "/tests/data/" + feed.name + ".sql"));
    database_.run(feed.load + database_.elements(), feed.original);
  }

  [[nodiscard]] std::unique_ptr<pawl::runtime> start(pawl::fault_hook at_fault_point = {}) const {
    auto opened = pawl::open_node(file_, [this](const std::string& name) {
      return std::optional(name == "STORE" ? database_.url() : messages_);
    });
    expect(opened);
    auto configured = pawl::configure(*opened.value, true);
    expect(configured);
    configured.value->committers = Database::committers;
    configured.value->at_fault_point = std::move(at_fault_point);
    return must(pawl::runtime::start(std::move(*configured.value)));
  }

  [[nodiscard]] pawl::counts run_to_the_end() const {
    const auto node = start();
    const bool finished = node->wait_finished(std::chrono::seconds(120));
    INFO(node->ended().text);
    REQUIRE(finished);
    REQUIRE(node->drain(std::chrono::seconds(30)));
    return node->count();
  }

  [[nodiscard]] pawl::counts run_until(crash& end) const {
    const auto node = start([&end](pawl::fault_point point) { return end.reached(point); });
    while (!end.struck() && !node->wait_finished(std::chrono::milliseconds(1))) {
      INFO(node->ended().text);
      REQUIRE(node->ended().text.empty());
    }
    node->abandon();
    return node->count();
  }

  /// Abandoned from outside, amid work.
  [[nodiscard]] pawl::counts run_until_acknowledged(std::uint64_t wanted) const {
    const auto node = start();
    wait_for_acknowledged(*node, wanted);
    node->abandon();
    return node->count();
  }

  /// Told to stop as soon as the first messages are done.
  [[nodiscard]] pawl::counts run_and_drain() const {
    const auto node = start();
    wait_for_acknowledged(*node, 1);
    CHECK(node->drain(std::chrono::seconds(60)));
    return node->count();
  }

  /// The exit code of `pawl node --once`, run as a process.
  [[nodiscard]] int run_process(std::string& said) const {
    const std::string log = (files_.path() / "log").string();
    const std::string command = "STORE='" + database_.url() + "' MESSAGES='" + messages_ + "' '" +
                                pawl::test_binary() + "' node '" + file_ + "' --once >'" + log +
                                "' 2>&1";
    const int code = std::system(command.c_str());
    said = text_of(log);
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
  }

  void check_tables() {
    for (const table_check& each : feed_.checks) {
      INFO(each.written);
      const text_rows computed = database_.rows(each.computed);
      CHECK(computed.size() > 1);
      CHECK(database_.rows(each.written) == computed);
    }
  }

  [[nodiscard]] Database& database() { return database_; }
  /// How many lines the file of messages has.
  [[nodiscard]] std::uint64_t deliveries() const { return 2 * feed_.messages.size(); }

 private:
  static void wait_for_acknowledged(pawl::runtime& node, std::uint64_t wanted) {
    while (node.count().acked < wanted && !node.wait_finished(std::chrono::milliseconds(1))) {
      INFO(node.ended().text);
      REQUIRE(node.ended().text.empty());
    }
  }

  template <class T>
  static void expect(const pawl::node_attempt<T>& attempt) {
    if (!attempt.value.has_value()) {
      throw std::runtime_error(attempt.failure.has_value() ? attempt.failure->text
                                                           : pawl::to_text(attempt.problems));
    }
  }

  const real_feed feed_;
  pawl::scenario_files files_;
  Database database_;
  std::string file_;
  std::string messages_;
};

/// Several crashes, each of another kind, and then a run to the end.
template <class Database>
void crash_and_finish(const real_node<Database>& node) {
  std::uint64_t received = 0;
  std::uint64_t applied = 0;
  const auto add = [&](const pawl::counts& seen) {
    received += seen.received;
    applied += seen.of(pawl::outcome::applied);
    CHECK(seen.of(pawl::outcome::dead) == 0);
    CHECK(seen.of(pawl::outcome::conflict) == 0);
  };
  for (const auto point :
       {pawl::fault_point::after_commit_before_ack, pawl::fault_point::before_commit,
        pawl::fault_point::after_ack_before_position}) {
    crash end(point, 2);
    add(node.run_until(end));
    INFO(pawl::name_of(point));
    CHECK(end.struck());
  }
  add(node.run_until_acknowledged(node.deliveries() / 8));
  add(node.run_to_the_end());
  CHECK(received > node.deliveries());
  CHECK(applied <= node.deliveries() / 2);
}

}  // namespace

REAL_DATA_TEST_CASE("twenty thousand flights, told twice in any order, sum up as SQL does") {
  real_node<TestType> node(flights());
  const auto seen = node.run_to_the_end();
  CHECK(seen.of(pawl::outcome::applied) == 20'000);
  CHECK(seen.of(pawl::outcome::duplicate) == 20'000);
  CHECK(seen.acked == 40'000);
  node.check_tables();
  const auto signs = node.database().rows(
      "SELECT count(*) FROM flight WHERE delay < 0 UNION ALL "
      "SELECT count(*) FROM flight WHERE delay > 0");
  CHECK(std::stoi(signs.at(0).at(0)) > 1000);
  CHECK(std::stoi(signs.at(1).at(0)) > 1000);
}

REAL_DATA_TEST_CASE("a runtime that crashes among the flights counts each once all the same") {
  real_node<TestType> node(flights());
  crash_and_finish(node);
  node.check_tables();
}

REAL_DATA_TEST_CASE(
    "a runtime that is drained among the flights goes on exactly where it stopped") {
  real_node<TestType> node(flights());
  const auto first = node.run_and_drain();
  const auto rest = node.run_to_the_end();
  CHECK(rest.received > 0);
  CHECK(first.received + rest.received == node.deliveries());
  CHECK(first.of(pawl::outcome::applied) + rest.of(pawl::outcome::applied) == 20'000);
  CHECK(node.run_to_the_end().received == 0);
  node.check_tables();
}

REAL_DATA_TEST_CASE("shuffled stock prices leave each stock's last one, as SQL finds it") {
  real_node<TestType> node(stocks());
  const auto seen = node.run_to_the_end();
  CHECK(seen.of(pawl::outcome::applied) + seen.of(pawl::outcome::stale) +
            seen.of(pawl::outcome::duplicate) ==
        node.deliveries());
  CHECK(seen.of(pawl::outcome::stale) > seen.of(pawl::outcome::applied));
  node.check_tables();
}

REAL_DATA_TEST_CASE("a runtime that crashes among the stock prices still ends with the last ones") {
  real_node<TestType> node(stocks());
  crash_and_finish(node);
  node.check_tables();
}

REAL_DATA_TEST_CASE("pawl node --once over the flights exits 0 and leaves what SQL computes") {
  real_node<TestType> node(flights());
  std::string said;
  const int code = node.run_process(said);
  INFO(said);
  CHECK(code == 0);
  node.check_tables();
}

}  // namespace pawl_test
