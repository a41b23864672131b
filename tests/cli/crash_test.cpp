#include "tests/check.hpp"
#include "tests/support/node_folder.hpp"
#include "tests/support/postgres_database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <random>
#include <thread>

using namespace pawl::test;

namespace {

constexpr int messages = 30000;
constexpr int skus = 100;
constexpr int kills_wanted = 5;
constexpr unsigned seed = 20240611;

struct truth {
  std::string lines;
  std::string inventory;  ///< what `SELECT sku, on_hand, reserved` must give
  std::string shelves;
};

/// Messages under three guards; one in ten comes twice, the second time a good way behind.
truth make_truth(std::mt19937& random) {
  truth made;
  std::map<std::string, std::pair<int, int>> inventory;
  std::map<std::string, int> shelves;
  std::map<std::string, int> versions;
  std::vector<std::string> later;
  for (int i = 0; i < messages; ++i) {
    const std::string sku = fmt::format("S-{:03}", random() % skus);
    const int number = static_cast<int>(random() % 90) + 1;
    std::string line;
    switch (i % 3) {
      case 0:
        line = order(fmt::format("m-{}", i), sku, number);
        inventory[sku].second += number;
        break;
      case 1:
        line = fmt::format(R"({{"type":"StockCounted","sku":"{}","countedVersion":{},"onHand":{}}})"
                           "\n",
                           sku, i + 1, number);
        inventory[sku].first = number;
        break;
      default:
        line = moved(sku, ++versions[sku], number);
        shelves[sku] += number;
    }
    made.lines += line;
    if (random() % 10 == 0) {
      later.push_back(std::move(line));
    }
    if (later.size() > 50) {
      made.lines += later.front();
      later.erase(later.begin());
    }
  }
  for (const auto& [sku, row] : inventory) {
    made.inventory +=
        fmt::format("{}{}|{}|{}", made.inventory.empty() ? "" : ";", sku, row.first, row.second);
  }
  for (const auto& [sku, sum] : shelves) {
    made.shelves += fmt::format("{}{}|{}", made.shelves.empty() ? "" : ";", sku, sum);
  }
  return made;
}

/// Kills the node again and again while its table grows, then lets it finish.
void kill_until_through(const node_folder& at) {
  std::mt19937 random(seed);
  CAPTURE(seed);
  const truth expected = make_truth(random);
  at.write("orders.ndjson", expected.lines);
  const std::string progress =
      "SELECT coalesce((SELECT sum(reserved + on_hand) FROM inventory), 0)"
      " + coalesce((SELECT sum(moved) FROM shelves), 0)";
  int kills = 0;
  while (kills < kills_wanted) {
    const std::string before = at.ask(progress);
    const auto node = at.start({"node", "node.yaml", "--once"});
    while (node->running() && at.ask(progress) == before) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    if (!node->running()) {
      break;
    }
    node->signal(SIGKILL);
    CHECK(node->wait().code == -SIGKILL);
    ++kills;
  }
  CHECK(kills >= 2);
  const process_end end = at.pawl({"node", "node.yaml", "--once"});
  INFO(end.err);
  CHECK(end.code == 0);
  CHECK(
      (at.ask("SELECT sku, on_hand, reserved FROM inventory ORDER BY sku") == expected.inventory));
  CHECK((at.ask("SELECT sku, moved FROM shelves ORDER BY sku") == expected.shelves));
  const auto status = at.json({"status", "node.yaml"});
  CHECK(status["positions"][0]["lag"] == 0);
  CHECK(status["parked_gap"] == 0);
  CHECK(at.json({"node", "node.yaml", "--once"})["received"] == 0);
}

void take_over(const node_folder& at) {
  at.write("orders.ndjson", order("m-1", "TEA", 1));
  const auto older = at.start({"node", "node.yaml"});
  REQUIRE(at.ask_until("SELECT sum(reserved) FROM inventory", "1") == "1");
  const auto newer = at.start({"node", "node.yaml"});
  REQUIRE(newer->wait_for_err("runs as node left"));
  at.append("orders.ndjson", order("m-2", "TEA", 2));
  const process_end end = older->wait(std::chrono::seconds(20));
  CHECK(end.code == 1);
  CHECK(holds(end.err, "another process"));
  at.append("orders.ndjson", order("m-3", "TEA", 3));
  CHECK(at.ask_until("SELECT sum(reserved) FROM inventory", "6") == "6");
  newer->signal(SIGTERM);
  CHECK(newer->wait().code == 0);
}

}  // namespace

TEST_CASE("kill -9 at any moment, again and again: the table is exact at the end") {
  kill_until_through(node_folder());
}

TEST_CASE("PostgreSQL: kill -9 at any moment, again and again: the table is exact at the end") {
  const postgres_database database;
  kill_until_through(node_folder(database.url()));
}

TEST_CASE(
    "A second process of one node's name takes over, and the older one exits with a message") {
  take_over(node_folder());
}

TEST_CASE("PostgreSQL: a second process of one node's name takes over, the older one exits") {
  const postgres_database database;
  take_over(node_folder(database.url()));
}

TEST_CASE("A node of another name does not start beside a live one, and says why") {
  const node_folder at;
  const auto left = at.start({"node", "node.yaml"});
  REQUIRE(left->wait_for_err("runs as node left"));
  at.edit_node("name: left", "name: right");
  const process_end end = at.pawl({"node", "node.yaml", "--once"});
  CHECK(end.code == 2);
  CHECK(holds(end.err, "left"));
  CHECK(left->running());
  left->signal(SIGTERM);
  CHECK(left->wait().code == 0);
  CHECK(at.pawl({"node", "node.yaml", "--once"}).code == 0);  // it gave its leases back
}
