#include "tests/check.hpp"
#include "tests/support/node_folder.hpp"
#include "tests/support/postgres_database.hpp"

#include <csignal>

using namespace pawl::test;

namespace {

std::string id_of(const nlohmann::json& letter) { return letter["id"].dump(); }

/// A message that breaks a CHECK, and two behind it; another sku goes on.
void poison_tea(const node_folder& at) {
  at.write("orders.ndjson", order("m-1", "TEA", 2) + order("m-2", "TEA", -5) +
                                order("m-3", "TEA", 1) + order("m-4", "TEA", 3) +
                                order("m-5", "MUG", 1));
  const auto run = at.json({"node", "node.yaml", "--once"}, 3);
  CHECK(run["applied"] == 2);
  CHECK(run["dead"] == 1);
  CHECK(run["parked"] == 2);
  CHECK(run["failed_attempts"] == 2);
  CHECK(run["dead_letters"] == 1);
  CHECK(at.ask("SELECT sku, reserved FROM inventory ORDER BY sku") == "MUG|1;TEA|2");
}

void commands_say_what_waits(const node_folder& at) {
  const auto listed = at.json({"dead-letters", "list", "node.yaml"});
  REQUIRE(listed.size() == 1);
  CHECK(listed[0]["entity"] == "sku/TEA");
  CHECK(listed[0]["reason"] == "store");
  CHECK(listed[0]["blocks"] == true);
  CHECK(listed[0]["attempts"] == 2);
  CHECK(listed[0]["message_id"] == "m-2");
  CHECK(listed[0]["marked"] == "");
  CHECK(holds(at.pawl({"dead-letters", "list", "node.yaml"}).out,
              "sku/TEA  store (its entity waits)"));

  const auto shown = at.json({"dead-letters", "show", "node.yaml", id_of(listed[0])});
  CHECK(shown["payload"].get<std::string>() + "\n" == order("m-2", "TEA", -5));
  CHECK(holds(at.pawl({"dead-letters", "show", "node.yaml", id_of(listed[0])}).out,
              R"(payload: {"type":"OrderPlaced")"));

  const auto status = at.json({"status", "node.yaml"});
  CHECK(status["blocked_entities"] == 1);
  CHECK(status["parked_behind_dead"] == 2);
  CHECK(status["dead_letters"]["store"] == 1);
  CHECK(status["positions"][0]["lag"] == 0);
  CHECK(status["alarms"].size() == 1);
  CHECK(holds(at.pawl({"status", "node.yaml"}).out,
              "ALARM: 1 entity is blocked by a dead letter, 2 messages wait behind it"));

  const auto entity = at.json({"entities", "show", "node.yaml", "sku/TEA"});
  CHECK(entity["blocked"] == true);
  REQUIRE(entity["parked"].size() == 2);
  CHECK(entity["parked"][0]["message_id"] == "m-3");
  CHECK(entity["parked"][1]["message_id"] == "m-4");
  CHECK(entity["dead_letters"][0]["id"] == listed[0]["id"]);
  const process_end text = at.pawl({"entities", "show", "node.yaml", "sku/TEA"});
  CHECK(holds(text.out, "BLOCKED"));
  CHECK(holds(text.out, "dead letter " + id_of(listed[0])));

  // Without --entity, entities that something waits for are searched too.
  const auto explained = at.json({"explain", "node.yaml", "m-3"});
  REQUIRE(explained.size() == 1);
  CHECK(explained[0]["entity"] == "sku/TEA");
  CHECK(
      holds(at.pawl({"explain", "node.yaml", "m-3"}).out, "sku/TEA: parked behind a dead letter"));
  CHECK(holds(at.pawl({"explain", "node.yaml", "m-2"}).out, "sku/TEA: dead letter"));
  CHECK(holds(at.pawl({"explain", "node.yaml", "m-1", "--entity", "sku/TEA"}).out,
              "sku/TEA: applied; its row is in generation 1 of the ledger"));
}

void story(const node_folder& at) {
  poison_tea(at);
  commands_say_what_waits(at);
  const std::string id = id_of(at.json({"dead-letters", "list", "node.yaml"})[0]);

  // Nothing has changed: tried again, it fails again, and nothing overtakes it.
  const auto node = at.start({"node", "node.yaml"});
  REQUIRE(node->wait_for_err("runs as node left"));
  CHECK(at.json({"dead-letters", "retry", "node.yaml", id})["marked"] == "retry");
  REQUIRE(node->wait_for_err("alarm raised: dead-letter:sku/TEA"));
  CHECK(at.ask("SELECT reserved FROM inventory WHERE sku = 'TEA'") == "2");
  at.append("orders.ndjson", order("m-6", "TEA", 4));

  // The table is put right: the dead letter, then what is parked behind it, in order.
  at.execute("UPDATE inventory SET reserved = reserved + 10 WHERE sku = 'TEA'");
  const auto listed = at.json({"dead-letters", "list", "node.yaml"});
  REQUIRE(listed.size() == 1);
  CHECK(at.pawl({"dead-letters", "retry", "node.yaml", id_of(listed[0])}).code == 0);
  CHECK(at.ask_until("SELECT reserved FROM inventory WHERE sku = 'TEA'", "15") == "15");
  REQUIRE(node->wait_for_err("alarm cleared: dead-letter:sku/TEA"));
  node->signal(SIGTERM);
  const process_end end = node->wait();
  CHECK(end.code == 0);
  CHECK(holds(end.out, "1 dead letter redriven"));

  const auto status = at.json({"status", "node.yaml"});
  CHECK(status["blocked_entities"] == 0);
  CHECK(status["parked_behind_dead"] == 0);
  CHECK(status["dead_letters"].empty());
  CHECK(status["alarms"].empty());
  CHECK(holds(at.pawl({"dead-letters", "list", "node.yaml"}).out, "no dead letters"));
  CHECK(holds(at.pawl({"explain", "node.yaml", "m-2", "--entity", "sku/TEA"}).out, "applied"));
  CHECK(at.pawl({"node", "node.yaml", "--once"}).code == 0);
}

}  // namespace

TEST_CASE("what is kept by its version is explained by its message's id all the same") {
  const node_folder at;
  at.write("orders.ndjson", moved("TEA", 2, 5));
  CHECK(at.json({"node", "node.yaml", "--once"})["parked"] == 1);
  const auto parked = at.json({"entities", "show", "node.yaml", "shelf/TEA"})["parked"];
  REQUIRE(parked.size() == 1);
  const auto id = parked[0]["message_id"].get<std::string>();
  for (const auto& named :
       {std::vector<std::string>{"explain", "node.yaml", id},
        std::vector<std::string>{"explain", "node.yaml", id, "--entity", "shelf/TEA"}}) {
    CHECK(holds(at.pawl(named).out, "shelf/TEA: parked behind a gap, as version 2"));
  }
}

TEST_CASE("Poison, from dead letter to retry: the parked messages follow it in order") {
  story(node_folder());
}

TEST_CASE("PostgreSQL: poison, from dead letter to retry: the parked follow it in order") {
  const postgres_database database;
  story(node_folder(database.url()));
}

TEST_CASE("node --once does what a person marked before it, and drains what was parked behind it") {
  const node_folder at;
  poison_tea(at);
  const std::string id = id_of(at.json({"dead-letters", "list", "node.yaml"})[0]);
  SECTION("retry") {
    at.execute("UPDATE inventory SET reserved = 10 WHERE sku = 'TEA'");
    CHECK(holds(at.pawl({"dead-letters", "retry", "node.yaml", id}).out, "marked for retry"));
    const auto run = at.json({"node", "node.yaml", "--once"});
    CHECK(run["redriven"] == 1);
    CHECK(at.ask("SELECT reserved FROM inventory WHERE sku = 'TEA'") == "9");
  }
  SECTION("discard") {
    CHECK(holds(at.pawl({"dead-letters", "discard", "node.yaml", id}).out, "marked for discard"));
    const auto run = at.json({"node", "node.yaml", "--once"});
    CHECK(run["redriven"] == 1);
    CHECK(run["dead_letters"] == 0);
    CHECK(at.ask("SELECT reserved FROM inventory WHERE sku = 'TEA'") == "6");
    CHECK(holds(at.pawl({"explain", "node.yaml", "m-2", "--entity", "sku/TEA"}).out, "ledger"));
  }
  CHECK(at.json({"status", "node.yaml"})["blocked_entities"] == 0);
}

TEST_CASE("node --once ends with nothing half-drained, however much was parked") {
  const node_folder at;
  std::string all = order("m-0", "TEA", -1);
  for (int i = 1; i <= 2000; ++i) {
    all += order("m-" + std::to_string(i), "TEA", 1);
  }
  at.write("orders.ndjson", all);
  REQUIRE(at.json({"node", "node.yaml", "--once"}, 3)["parked"] == 2000);
  at.execute("INSERT INTO inventory(sku, reserved) VALUES ('TEA', 1)");
  REQUIRE(at.pawl({"dead-letters", "retry", "node.yaml", "1"}).code == 0);
  CHECK(at.pawl({"node", "node.yaml", "--once"}).code == 0);
  CHECK(at.ask("SELECT reserved FROM inventory") == "2000");
  CHECK(at.json({"status", "node.yaml"})["parked_behind_dead"] == 0);
}

TEST_CASE("A gap is parked until its predecessor comes, in this run or a later one") {
  const node_folder at;
  at.write("orders.ndjson", moved("TEA", 1, 1) + moved("TEA", 4, 8) + moved("TEA", 3, 4));
  CHECK(at.pawl({"node", "node.yaml", "--once"}).code == 0);
  CHECK(at.ask("SELECT moved FROM shelves") == "1");
  const auto entity = at.json({"entities", "show", "node.yaml", "shelf/TEA"});
  CHECK(entity["version"] == 1);
  REQUIRE(entity["parked"].size() == 2);
  CHECK(entity["parked"][0]["version"] == 3);
  CHECK(entity["parked"][0]["why"] == "gap");
  at.append("orders.ndjson", moved("TEA", 2, 2));
  CHECK(at.pawl({"node", "node.yaml", "--once"}).code == 0);
  CHECK(at.ask("SELECT moved FROM shelves") == "15");
  CHECK(at.json({"status", "node.yaml"})["parked_gap"] == 0);
}

TEST_CASE(
    "An undecodable message is handled when it is retried after the node file was put right") {
  const node_folder at;
  const std::string returned =
      R"({"type":"OrderReturned","messageId":"m-2","sku":"TEA","quantity":1})";
  at.write("orders.ndjson", order("m-1", "TEA", 5) + returned + "\nnot JSON\n");
  REQUIRE(at.json({"node", "node.yaml", "--once"}, 3)["dead"] == 2);
  REQUIRE(at.pawl({"dead-letters", "retry", "node.yaml", "1"}).code == 0);
  auto again = at.json({"node", "node.yaml", "--once"}, 3);
  CHECK(again["redriven"] == 0);  // nobody declares it yet: set aside again
  CHECK(again["dead_letters"] == 2);

  at.edit_node("      StockCounted:", R"(      OrderReturned:
        key: $.sku
        id: $.messageId
        dedupe: ledger
        effects:
          - add: inventory
            key: {sku: $.sku}
            values: {reserved: -$.quantity}
      StockCounted:)");
  for (const auto& one : at.json({"dead-letters", "list", "node.yaml"})) {
    CHECK(at.pawl({"dead-letters", "retry", "node.yaml", id_of(one)}).code == 0);
  }
  again = at.json({"node", "node.yaml", "--once"}, 3);
  CHECK(again["redriven"] == 1);
  CHECK(again["applied"] == 1);
  CHECK(again["dead_letters"] == 1);
  CHECK(at.ask("SELECT reserved FROM inventory") == "4");
  CHECK(holds(at.pawl({"explain", "node.yaml", "m-2", "--entity", "sku/TEA"}).out, "applied"));
  CHECK(at.json({"dead-letters", "list", "node.yaml"})[0].value("type", "") != "OrderReturned");
}

TEST_CASE("A source says where its messages carry their type, also when one is read again") {
  const node_folder at;
  at.edit_node("file: orders.ndjson", "file: orders.ndjson\n    type: $.meta.kind");
  const std::string poison =
      R"({"meta":{"kind":"OrderPlaced"},"messageId":"m-1","sku":"TEA","quantity":-1})";
  at.write("orders.ndjson",
           poison + "\n" +
               R"({"meta":{"kind":"OrderPlaced"},"messageId":"m-2","sku":"MUG","quantity":3})"
               "\n");
  const auto run = at.json({"node", "node.yaml", "--once"}, 3);
  CHECK(run["applied"] == 1);
  CHECK(at.json({"dead-letters", "list", "node.yaml"})[0]["reason"] == "store");
  at.execute("INSERT INTO inventory(sku, reserved) VALUES ('TEA', 5)");
  REQUIRE(at.pawl({"dead-letters", "retry", "node.yaml", "1"}).code == 0);
  CHECK(at.pawl({"node", "node.yaml", "--once"}).code == 0);
  CHECK(at.ask("SELECT sku, reserved FROM inventory ORDER BY sku") == "MUG|3;TEA|4");
}

TEST_CASE("A message with the id of another one is a conflict, which can't be retried") {
  const node_folder at;
  at.write("orders.ndjson", order("m-1", "TEA", 2) + order("m-1", "TEA", 3));
  const process_end run = at.pawl({"node", "node.yaml", "--once"});
  CHECK(run.code == 3);
  CHECK(holds(run.err, "alarm raised: conflict:sku/TEA"));
  CHECK(at.ask("SELECT reserved FROM inventory") == "2");
  const std::string id = id_of(at.json({"dead-letters", "list", "node.yaml"})[0]);
  const process_end end = at.pawl({"dead-letters", "retry", "node.yaml", id});
  CHECK(end.code == 2);
  CHECK(holds(end.err, "publish it anew under one of its own"));
  CHECK(at.pawl({"dead-letters", "discard", "node.yaml", id}).code == 0);
  CHECK(at.pawl({"node", "node.yaml", "--once"}).code == 0);
  CHECK(holds(at.pawl({"explain", "node.yaml", "m-1", "--entity", "sku/TEA"}).out, "applied"));
}

TEST_CASE("What is not there is said, with an exit code of its own") {
  const node_folder at;
  at.write("orders.ndjson", order("m-1", "TEA", 2));
  REQUIRE(at.pawl({"node", "node.yaml", "--once"}).code == 0);
  process_end end = at.pawl({"dead-letters", "show", "node.yaml", "7"});
  CHECK(end.code == 6);
  CHECK(holds(end.out, "there is no dead letter 7"));
  CHECK(at.pawl({"dead-letters", "retry", "node.yaml", "7"}).code == 6);
  CHECK(at.json({"dead-letters", "show", "node.yaml", "7"}, 6).is_null());
  end = at.pawl({"explain", "node.yaml", "m-77"});
  CHECK(end.code == 6);
  CHECK(holds(end.out, "--entity"));
  CHECK(at.pawl({"entities", "show", "node.yaml", "sku/NONE"}).code == 6);
  end = at.pawl({"entities", "show", "node.yaml", "TEA"});
  CHECK(end.code == 2);
  CHECK(holds(end.err, "TYPE/KEY"));
}

TEST_CASE("ledger show tells its generations, and prune what may go") {
  const node_folder at;
  at.write("orders.ndjson", order("m-1", "TEA", 2) + order("m-2", "TEA", 2));
  REQUIRE(at.pawl({"node", "node.yaml", "--once"}).code == 0);
  const auto shown = at.json({"ledger", "show", "node.yaml"});
  CHECK(shown["window_ms"] == 7 * 24 * 3600 * 1000);
  CHECK(shown["generations"][0]["state"] == "current");
  CHECK(shown["generations"][0]["rows"] == 2);
  CHECK(holds(at.pawl({"ledger", "show", "node.yaml"}).out, "generation 1, current, about 2 rows"));
  CHECK(at.json({"ledger", "prune", "node.yaml"})["pruned"].empty());
  CHECK(holds(at.pawl({"ledger", "prune", "node.yaml"}).out, "nothing may go yet"));
}
