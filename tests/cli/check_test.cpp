#include "tests/check.hpp"

#include "tests/support/node_folder.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_database.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace pawl::test;
using pawl::test_root;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct wrong_file {
  const char* from;
  const char* to;
  const char* said;  ///< the first line of standard output or error, from its beginning
};

// Lines and columns count from 1 and point at the word that is wrong.
constexpr wrong_file wrong_files[] = {
    {"consumer: inventory", "consumre: inventory", "node.yaml:1:1: "},
    {"consumer: inventory", "consumer: inventory\nconsumer: again", "node.yaml:2:1: "},
    {"consumer: inventory", "consumer: [inventory", "node.yaml:"},
    {"migrate: auto", "migrate: sometimes", "node.yaml:5:12: "},
    {"lease: 3s", "lease: 3", "node.yaml:12:8: "},
    {"attempts: 2", "attempts: 0", "node.yaml:11:21: "},
    {"dedupe: ledger", "dedupe: unique", "node.yaml:"},
    {"key: $.sku\n", "key: $.sku[\n", "node.yaml:17:20: "},
    {"add: inventory", "add: inventroy",
     "node.yaml:21:18: there is no table `inventroy`; did you "
     "mean `inventory`?"},
    {"reserved: $.quantity", "reservd: $.quantity", "node.yaml:23:22: "},
    {"file: orders.ndjson", "kafka: {brokers: b}", "node.yaml:8:5: "},
    {"ignore: [Heartbeat]", "ignor: [Heartbeat]", "node.yaml:9:5: "},
    {"sqlite:stock.db", "mysql://x", "node.yaml:4:8: "},
    {"sqlite:stock.db", "${NOBODY_SET_THIS}", "node.yaml:4:8: "},
};

}  // namespace

TEST_CASE("check says of each wrong file where it is wrong, what and the fix, and exits 2") {
  for (const wrong_file& one : wrong_files) {
    const node_folder at;
    at.edit_node(one.from, one.to);
    const process_end end = at.pawl({"check", "node.yaml"});
    CAPTURE(one.from, one.to, end.out, end.err);
    CHECK(end.code == 2);
    CHECK(end.out.starts_with(one.said));
    const auto report = at.json({"check", "node.yaml"}, 2);
    REQUIRE(report["problems"].size() >= 1);
    CHECK(report["problems"][0]["line"].is_number());
    // The node itself says the same and does not start.
    const process_end node = at.pawl({"node", "node.yaml", "--once"});
    CHECK(node.code == 2);
    CHECK(node.err.starts_with(std::string(one.said).substr(0, std::strcspn(one.said, " "))));
  }
}

TEST_CASE("A node file takes names from the environment, and says which one is missing") {
  const node_folder at;
  at.edit_node("sqlite:stock.db", "${STOCK_URL}");
  process_end end = at.pawl({"check", "node.yaml"});
  CHECK(end.code == 2);
  CHECK(holds(end.out, "STOCK_URL"));
  process_plan with;
  with.environment["STOCK_URL"] = "sqlite:stock.db";
  end = at.pawl({"check", "node.yaml"}, with);
  INFO(end.out);
  CHECK(end.code == 0);
}

TEST_CASE("check --message shows what a message would do, and does nothing") {
  const node_folder at;
  at.write("m.json", order("m-1", "TEA", 2));
  const process_end end = at.pawl({"check", "node.yaml", "--message", "m.json"});
  CHECK(end.code == 0);
  CHECK(holds(end.out, "sku"));
  CHECK(holds(end.out, "TEA"));
  CHECK(holds(end.out, "m-1"));
  CHECK(holds(end.out, "reserved = reserved + 2"));
  const auto report = at.json({"check", "node.yaml", "--message", "m.json"});
  CHECK(report["message"]["type"] == "OrderPlaced");
  CHECK(at.ask("SELECT count(*) FROM inventory") == "0");
  const process_end gone = at.pawl({"check", "node.yaml", "--message", "none.json"});
  CHECK(gone.code == 2);
  CHECK(holds(gone.err, "none.json: the message can't be read"));
}

TEST_CASE("The shipped example says how to make its database, and that works as it stands") {
  const node_folder at;
  const std::filesystem::path configs = test_root() + "/configs";
  std::filesystem::create_directory(at.path() / "configs");
  for (const char* name : {"stock.yaml", "stock.sql", "orders.ndjson"}) {
    std::filesystem::copy_file(configs / name, at.path() / "configs" / name);
  }
  constexpr const char* fix = "pawl migrate configs/stock.yaml --setup configs/stock.sql";
  for (const char* command : {"check", "status", "node"}) {
    const process_end end = at.pawl({command, "configs/stock.yaml"});
    CAPTURE(command);
    CHECK(end.code == 2);
    CHECK(holds(end.out + end.err, "there is no database file configs/stock.db"));
    CHECK(holds(end.out + end.err, fix));
    CHECK_FALSE(std::filesystem::exists(at.path() / "configs/stock.db"));
  }
  CHECK(holds(read_file(configs / "stock.yaml"), std::string("#   ") + fix));
  process_end end = at.pawl({"migrate", "configs/stock.yaml", "--setup", "configs/stock.sql"});
  CHECK(end.code == 0);
  CHECK(at.pawl({"check", "configs/stock.yaml"}).code == 0);
  end = at.pawl({"node", "configs/stock.yaml", "--once"});
  CHECK(end.code == 0);
  // A count that comes again is a duplicate while its first copy is in flight, and stale after a
  // later one.
  CHECK(holds(end.out, "63 received, 44 applied, "));
}

TEST_CASE("migrate --setup runs its script as a whole or not at all") {
  const node_folder at;
  at.write("more.sql", "CREATE TABLE extra (n INTEGER); CREATE TABLE inventory (n INTEGER);");
  process_end end = at.pawl({"migrate", "node.yaml", "--setup", "more.sql"});
  CHECK(end.code == 2);
  CHECK(holds(end.err, "more.sql: "));
  CHECK(holds(end.err, "inventory"));
  CHECK(at.ask("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'") == "0");
  end = at.pawl({"migrate", "node.yaml", "--setup", "none.sql"});
  CHECK(end.code == 2);
  CHECK(holds(end.err, "none.sql: "));
}

TEST_CASE("Pawl's tables are made by migrate, or at the start if the file says so") {
  const node_folder at;
  at.edit_node("migrate: auto", "migrate: manual");
  for (const auto& command : {std::vector<std::string>{"node", "node.yaml", "--once"},
                              std::vector<std::string>{"status", "node.yaml"}}) {
    const process_end end = at.pawl(command);
    CHECK(end.code == 2);
    CHECK(holds(end.err, "run `pawl migrate node.yaml`"));
  }
  const auto first = at.json({"migrate", "node.yaml"});
  CHECK(first["applied"] == first["version"]);
  CHECK(at.json({"migrate", "node.yaml"})["applied"] == 0);
  CHECK(at.pawl({"node", "node.yaml", "--once"}).code == 0);
}

TEST_CASE("Tables of a later version are refused by every command") {
  const node_folder at;
  REQUIRE(at.pawl({"migrate", "node.yaml"}).code == 0);
  at.execute("UPDATE pawl_meta SET value = 99 WHERE name = 'schema_version'");
  for (const char* command : {"node", "status", "migrate"}) {
    const process_end end = at.pawl({command, "node.yaml"});
    CAPTURE(command, end.err);
    CHECK(end.code == 2);
    CHECK(holds(end.err, "version 99"));
    CHECK(holds(end.err, "use a newer"));
  }
}

TEST_CASE("A wrong command line exits 2 and says what is known") {
  const node_folder at;
  for (const auto& wrong : {std::vector<std::string>{},
                            {"nodee", "node.yaml"},
                            {"node"},
                            {"node", "node.yaml", "--onec"},
                            {"dead-letters", "list"},
                            {"dead-letters", "show", "node.yaml", "seven"},
                            {"run", "x.yaml", "--seed", "many"},
                            {"status", "none.yaml"}}) {
    const process_end end = at.pawl(wrong);
    CAPTURE(wrong, end.err);
    CHECK(end.code == 2);
    CHECK(end.out.empty());
    CHECK_FALSE(end.err.empty());
  }
}

TEST_CASE("help names every command and exit code, and each command has its own") {
  const node_folder at;
  const process_end end = at.pawl({"--help"});
  CHECK(end.code == 0);
  for (const char* word : {"node", "run", "check", "migrate", "status", "explain", "ledger",
                           "dead-letters", "entities", "docs", "--json", "Exit codes:", "  6  "}) {
    CAPTURE(word);
    CHECK(holds(end.out, word));
  }
  for (const char* command : {"node", "run", "check", "migrate", "status", "explain"}) {
    const process_end one = at.pawl({command, "--help"});
    CHECK(one.code == 0);
    CHECK(holds(one.out, "FILE"));
    for (std::stringstream lines(one.out + end.out); !lines.eof();) {
      std::string line;
      std::getline(lines, line);
      CHECK(line.size() <= 120);
    }
  }
}

TEST_CASE("docs prints the reference texts as they lie in docs/") {
  const node_folder at;
  CHECK((at.pawl({"docs", "config"}).out == read_file(test_root() + "/docs/config.md")));
  CHECK((at.pawl({"docs", "scenarios"}).out == read_file(test_root() + "/docs/scenarios.md")));
  CHECK(at.json({"docs", "config"})["markdown"] == read_file(test_root() + "/docs/config.md"));
}

TEST_CASE("With --json a failure is a document too") {
  const node_folder at;
  at.edit_node("lease: 3s", "lease: 3");
  const auto wrong = at.json({"status", "node.yaml"}, 2);
  CHECK(holds(wrong["problems"][0].get<std::string>(), "node.yaml:12:8: "));
  at.edit_node("lease: 3", "lease: 3s");
  CHECK(holds(at.json({"status", "node.yaml"}, 2)["error"].get<std::string>(), "pawl migrate"));
}

TEST_CASE("PostgreSQL: an unreachable database has an exit code of its own; no password is shown") {
  const node_folder at;
  for (const char* url : {"postgresql://me:s3cr3t-word@127.0.0.1:1/none",
                          "host=127.0.0.1 port=1 user=me password=s3cr3t-word dbname=none"}) {
    process_plan with;
    with.environment["STOCK_URL"] = url;
    const node_folder here;
    here.edit_node("sqlite:stock.db", "${STOCK_URL}");
    for (const char* command : {"node", "status", "check", "migrate"}) {
      const process_end end = here.pawl({command, "node.yaml"}, with);
      CAPTURE(command, end.out, end.err);
      CHECK(end.code == 4);
      CHECK_FALSE(holds(end.out + end.err, "s3cr3t"));
    }
  }
  at.edit_node("sqlite:stock.db", "postgresql://me:s3cr3t-word@[::1");
  const process_end end = at.pawl({"node", "node.yaml"});
  CHECK(end.code == 2);
  CHECK_FALSE(holds(end.out + end.err, "s3cr3t"));
}

TEST_CASE("PostgreSQL: migrations wait for `pawl migrate`, and --setup makes the user's tables") {
  const postgres_database database;
  const node_folder at(database.url());
  at.edit_node("migrate: auto", "migrate: manual");
  at.write("more.sql", "CREATE TABLE extra (n INTEGER);");
  process_end end = at.pawl({"status", "node.yaml"});
  CHECK(end.code == 2);
  CHECK(holds(end.err, "run `pawl migrate node.yaml`"));
  end = at.pawl({"migrate", "node.yaml", "--setup", "more.sql"});
  INFO(end.err);
  CHECK(end.code == 0);
  CHECK(at.ask("SELECT count(*) FROM extra") == "0");
  at.write("orders.ndjson", order("m-1", "TEA", 2));
  CHECK(at.pawl({"node", "node.yaml", "--once"}).code == 0);
  at.execute("UPDATE pawl.meta SET version = 99");
  end = at.pawl({"node", "node.yaml"});
  CHECK(end.code == 2);
  CHECK(holds(end.err, "use a newer"));
}
