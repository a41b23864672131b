#include "tests/check.hpp"
#include "tests/support/node_folder.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

using namespace pawl::test;

namespace {

/// Somebody who holds the file's writer lock.
class sqlite_writer {
 public:
  explicit sqlite_writer(const std::filesystem::path& file) {
    REQUIRE(sqlite3_open(file.c_str(), &db_) == SQLITE_OK);
    sqlite3_busy_timeout(db_, 10'000);
    REQUIRE(sqlite3_exec(db_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  sqlite_writer(const sqlite_writer&) = delete;
  sqlite_writer& operator=(const sqlite_writer&) = delete;
  ~sqlite_writer() { sqlite3_close(db_); }

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace

TEST_CASE("node --once reads a file to its end, and the table is right") {
  const node_folder at;
  at.write("orders.ndjson",
           order("m-1", "TEA", 2) + order("m-2", "MUG", 1) + order("m-1", "TEA", 2) +
               R"({"type":"StockCounted","sku":"TEA","countedVersion":2,"onHand":7})"
               "\n"
               R"({"type":"StockCounted","sku":"TEA","countedVersion":1,"onHand":9})"
               "\n"
               R"({"type":"ShipmentCreated","orderId":"A-1","sku":"TEA"})"
               "\n"
               R"({"type":"ShipmentCreated","orderId":"A-1","sku":"TEA"})"
               "\n");
  const process_end end = at.pawl({"node", "node.yaml", "--once"});
  INFO(end.err);
  CHECK(end.code == 0);
  CHECK(holds(end.out, "7 received, 4 applied, 2 duplicate, 1 stale"));
  CHECK(at.ask("SELECT sku, on_hand, reserved FROM inventory ORDER BY sku") == "MUG|0|1;TEA|7|2");
  CHECK(at.ask("SELECT order_id, sku FROM shipments") == "A-1|TEA");
}

TEST_CASE("A second run begins where the first one ended, and reads what was appended") {
  const node_folder at;
  at.write("orders.ndjson", order("m-1", "TEA", 2));
  CHECK(at.json({"node", "node.yaml", "--once"})["applied"] == 1);
  CHECK(at.json({"node", "node.yaml", "--once"})["received"] == 0);
  at.append("orders.ndjson", order("m-2", "TEA", 3));
  const auto third = at.json({"node", "node.yaml", "--once"});
  CHECK(third["received"] == 1);
  CHECK(third["applied"] == 1);
  CHECK(at.ask("SELECT reserved FROM inventory") == "5");
}

TEST_CASE(
    "node --once says with its exit code that dead letters remain, also those of a run before") {
  const node_folder at;
  at.write("orders.ndjson", "not JSON\n" + order("m-1", "TEA", 2));
  process_end end = at.pawl({"node", "node.yaml", "--once"});
  CHECK(end.code == 3);
  CHECK(holds(end.err, "1 dead letter; see with `pawl dead-letters list node.yaml`"));
  CHECK(at.ask("SELECT reserved FROM inventory") == "2");
  end = at.pawl({"node", "node.yaml", "--once"});
  CHECK(end.code == 3);
}

TEST_CASE(
    "Lines that can't be handled become dead letters with their bytes; ignored types are counted") {
  const node_folder at;
  const std::string deep = std::string(2000, '[') + std::string(2000, ']');
  const std::string nul =
      R"({"type":"OrderPlaced","messageId":"a\u0000b","sku":"TEA","quantity":1})";
  const std::string colour = R"({"type":"\u001b[31mred"})";
  const std::string unknown = R"({"type":"OrderPlacd","messageId":"m","sku":"TEA","quantity":1})";
  const std::string truncated = R"({"type":"OrderPlaced","messageId":"m)";
  const std::string no_key = R"({"type":"OrderPlaced","messageId":"m-9","quantity":1})";
  const std::string latin = "{\"type\":\"OrderPlaced\",\"messageId\":\"m\xe9\",\"sku\":\"T\"}";
  const std::string huge =
      R"({"type":"OrderPlaced","pad":")" + std::string(17U << 20U, 'x') + "\"}";
  std::string all;
  for (const std::string& one : {deep, nul, colour, unknown, truncated, no_key, latin, huge}) {
    all += one + "\n";
  }
  at.write("orders.ndjson", all +
                                R"({"type":"Heartbeat"})"
                                "\n" +
                                order("m-1", "TEA", 2));
  const auto run = at.json({"node", "node.yaml", "--once"}, 3);
  CHECK(run["dead"] == 8);
  CHECK(run["ignored"] == 1);
  CHECK(run["applied"] == 1);
  CHECK(run["acknowledged"] == 10);
  CHECK(at.ask("SELECT reserved FROM inventory") == "2");

  const auto listed = at.json({"dead-letters", "list", "node.yaml"});
  REQUIRE(listed.size() == 8);
  std::vector<std::string> found;
  for (const auto& one : listed) {
    CHECK(one["reason"] == "undecodable");
    CHECK(one["entity"] == "_source/orders/orders.ndjson");
    CHECK(one["blocks"] == false);
    const auto shown = at.json({"dead-letters", "show", "node.yaml", one["id"].dump()});
    found.push_back(shown["payload"]);
    if (shown["origin"]["position"] == static_cast<int>(deep.size()) + 1) {
      CHECK(shown["payload"] == nul);
    }
  }
  for (const std::string& one : {deep, nul, unknown, truncated, no_key}) {
    CHECK(std::count(found.begin(), found.end(), one) == 1);
  }
  CHECK(std::count(found.begin(), found.end(), huge.substr(0, 64U << 10U)) == 1);
  const process_end text = at.pawl({"dead-letters", "list", "node.yaml"});
  CHECK(holds(text.out, "did they mean \"OrderPlaced\"?"));
  // A person's terminal gets no control characters of a stranger's message.
  CHECK(holds(text.out, "\\x1b[31mred"));
  CHECK(text.out.find('\x1b') == std::string::npos);
}

TEST_CASE(
    "A source may be standard input; what comes again in a second run is told by the guards") {
  const node_folder at;
  at.edit_node("file: orders.ndjson", "stdin: true");
  process_plan with;
  with.input = order("m-1", "TEA", 2) + order("m-2", "TEA", 3);
  CHECK(holds(at.pawl({"node", "node.yaml", "--once"}, with).out, "2 applied"));
  with.input = order("m-2", "TEA", 3) + order("m-3", "TEA", 4);
  const process_end again = at.pawl({"node", "node.yaml", "--once"}, with);
  CHECK(again.code == 0);
  CHECK(holds(again.out, "1 applied, 1 duplicate"));
  CHECK(at.ask("SELECT reserved FROM inventory") == "9");
}

TEST_CASE("A file shorter than its position stops the node with an alarm that says why") {
  const node_folder at;
  at.write("orders.ndjson", order("m-1", "TEA", 2) + order("m-2", "TEA", 3));
  REQUIRE(at.pawl({"node", "node.yaml", "--once"}).code == 0);
  at.write("orders.ndjson", order("m-1", "TEA", 2));
  const process_end end = at.pawl({"node", "node.yaml", "--once"});
  CHECK(end.code == 2);
  CHECK(holds(end.err, "alarm raised: source:orders"));
  CHECK(holds(end.err, "it was cut or replaced; put the old file back"));
  CHECK(at.ask("SELECT reserved FROM inventory") == "5");
}

TEST_CASE(
    "A file that is cut while it is followed ends the node with an alarm, not with a wrong read") {
  const node_folder at;
  at.write("orders.ndjson", order("m-1", "TEA", 2) + order("m-2", "TEA", 3));
  const auto node = at.start({"node", "node.yaml"});
  REQUIRE(at.ask_until("SELECT sum(reserved) FROM inventory", "5") == "5");
  at.write("orders.ndjson", "");
  const process_end end = node->wait();
  CHECK(end.code == 1);
  CHECK(holds(end.err, "alarm raised: source:orders"));
  CHECK(holds(end.err, "was cut while it was read"));
}

TEST_CASE("Without --once a file's growth is followed, and SIGTERM drains and exits 0") {
  const node_folder at;
  at.write("orders.ndjson", order("m-1", "TEA", 2));
  const auto node = at.start({"node", "node.yaml"});
  REQUIRE(at.ask_until("SELECT sum(reserved) FROM inventory", "2") == "2");
  at.append("orders.ndjson", order("m-2", "TEA", 3) + R"({"type":"OrderPl)");
  REQUIRE(at.ask_until("SELECT sum(reserved) FROM inventory", "5") == "5");
  at.append("orders.ndjson", R"(aced","messageId":"m-3","sku":"TEA","quantity":4})"
                             "\n");
  REQUIRE(at.ask_until("SELECT sum(reserved) FROM inventory", "9") == "9");
  node->signal(SIGTERM);
  const process_end end = node->wait(std::chrono::seconds(20));
  INFO(end.err);
  CHECK(end.code == 0);
  CHECK(holds(end.out, "3 received, 3 applied"));
  const auto status = at.json({"status", "node.yaml"});
  CHECK(status["positions"][0]["lag"] == 0);
  CHECK(at.json({"node", "node.yaml", "--once"})["received"] == 0);
}

TEST_CASE("SIGTERM in the middle of a file keeps its position: the next run goes on from there") {
  const node_folder at;
  std::string all;
  for (int i = 0; i < 30000; ++i) {
    all += order("m-" + std::to_string(i), "S-" + std::to_string(i % 50), 1);
  }
  at.write("orders.ndjson", all);
  const auto node = at.start({"node", "node.yaml", "--once", "--json"});
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (at.ask("SELECT count(*) FROM inventory") == "0" &&
         std::chrono::steady_clock::now() < until) {
  }
  node->signal(SIGTERM);
  const process_end end = node->wait();
  INFO(end.err);
  CHECK(end.code == 0);
  const auto first = nlohmann::json::parse(end.out);
  CHECK(first["received"] == first["applied"]);
  CHECK(first["received"] == first["acknowledged"]);
  const auto rest = at.json({"node", "node.yaml", "--once"});
  CHECK(rest["duplicate"] == 0);
  CHECK(first["applied"].get<int>() + rest["applied"].get<int>() == 30000);
  CHECK(at.ask("SELECT sum(reserved) FROM inventory") == "30000");
}

TEST_CASE(
    "What can't be finished within drain.timeout is left to the next run, and the exit code says "
    "so") {
  const node_folder at;
  at.edit_node("lease: 3s", "lease: 3s\ndrain: {timeout: 500ms}");
  at.write("orders.ndjson", order("m-1", "TEA", 2));
  const auto node = at.start({"node", "node.yaml"});
  REQUIRE(at.ask_until("SELECT sum(reserved) FROM inventory", "2") == "2");
  {
    const sqlite_writer elsewhere(at.path() / "stock.db");
    at.append("orders.ndjson", order("m-2", "TEA", 3));
    REQUIRE(node->wait_for_err("alarm raised: store:"));
    node->signal(SIGTERM);
    const process_end end = node->wait(std::chrono::seconds(30));
    INFO(end.err);
    CHECK(end.code == 5);
    CHECK(holds(end.err, "told to stop: finishing what is in flight"));
    CHECK(holds(end.err, "what is not committed will be redelivered"));
  }
  CHECK(at.json({"node", "node.yaml", "--once"})["applied"] == 1);
  CHECK(at.ask("SELECT reserved FROM inventory") == "5");
}

TEST_CASE("status shows who runs, and that somebody should run when there is something to read") {
  const node_folder at;
  at.write("orders.ndjson", order("m-1", "TEA", 2));
  const auto node = at.start({"node", "node.yaml"});
  REQUIRE(at.ask_until("SELECT sum(reserved) FROM inventory", "2") == "2");
  CHECK(holds(at.pawl({"status", "node.yaml"}).out, "node left (live): 64 shards"));
  node->signal(SIGTERM);
  REQUIRE(node->wait().code == 0);
  process_end end = at.pawl({"status", "node.yaml"});
  CHECK(holds(end.out, "node left (not running): 64 shards"));
  CHECK(holds(end.out, "no alarms"));
  at.append("orders.ndjson", order("m-2", "TEA", 3));
  end = at.pawl({"status", "node.yaml"});
  CHECK(end.code == 0);
  CHECK(holds(end.out, "ALARM: no node runs, and there is something to do"));
}

TEST_CASE("A node without a name goes by its host's") {
  const node_folder at;
  at.edit_node("node: {name: left}\n", "");
  char host[256] = {};
  REQUIRE(::gethostname(host, sizeof host - 1) == 0);
  CHECK(holds(at.pawl({"node", "node.yaml", "--once"}).err, std::string("runs as node ") + host));
}

TEST_CASE("Standard input ends the node when it ends, also without --once") {
  const node_folder at;
  at.edit_node("file: orders.ndjson", "stdin: true");
  const auto node = at.start({"node", "node.yaml"});
  node->write(order("m-1", "TEA", 2));
  REQUIRE(at.ask_until("SELECT sum(reserved) FROM inventory", "2") == "2");
  node->write(order("m-2", "TEA", 3));
  REQUIRE(at.ask_until("SELECT sum(reserved) FROM inventory", "5") == "5");
  node->close_input();
  const process_end end = node->wait(std::chrono::seconds(20));
  CHECK(end.in_time);
  CHECK(end.code == 0);
  CHECK(holds(end.out, "2 received, 2 applied"));
}
