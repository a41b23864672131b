#include "runtime/config/check_report.hpp"
#include "tests/check.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/sqlite_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace pawl;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The shipped example in a folder of its own, with its tables.
class example {
 public:
  explicit example(bool with_tables = true) {
    std::string name = (std::filesystem::temp_directory_path() / "pawl-check-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    write(read_file(test_root() + "/configs/stock.yaml"));
    if (with_tables) {
      const auto opened = pawl_test::must(open_store("sqlite:" + (folder_ / "stock.db").string()));
      pawl_test::must(opened->execute_script(read_file(test_root() + "/configs/stock.sql")));
    }
  }
  example(const example&) = delete;
  example& operator=(const example&) = delete;
  ~example() { std::filesystem::remove_all(folder_); }

  void write(const std::string& yaml) const { std::ofstream(folder_ / "stock.yaml") << yaml; }
  [[nodiscard]] check_report check(const std::string& payload = "") const {
    std::shared_ptr<message> given;
    if (!payload.empty()) {
      given = std::make_shared<message>();
      given->payload = payload;
      given->origin = {"orders", "orders.ndjson", 0, 0, 0};
    }
    return check_node_file((folder_ / "stock.yaml").string(), process_environment(), open_store,
                           given);
  }
  void replace(const std::string& from, const std::string& to) const {
    std::string text = read_file(folder_ / "stock.yaml");
    REQUIRE(text.find(from) != std::string::npos);
    write(text.replace(text.find(from), from.size(), to));
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the shipped example keeps its promises in the shipped tables") {
  const check_report report = example().check();
  CAPTURE(to_text(report));
  CHECK(report.problems.empty());
  REQUIRE(report.promises.size() == 3);
  CHECK(report.promises[0].message_type == "OrderPlaced");
  CHECK(holds(report.promises[0].promised[0], "its id ($.messageId) is remembered for 7d"));
  CHECK(report.promises[0].warnings.empty());
  CHECK(holds(report.promises[1].promised[1], "is stale"));
  CHECK(holds(report.promises[2].warnings[0], "`shipments` (order_id, sku, kind)"));
  CHECK(to_text(report).ends_with(": sound, 1 warning\n"));
}

TEST_CASE("a message is shown with its key, id, version and effects, and nothing is written") {
  const example shipped;
  const auto only = [&](const std::string& payload) {
    const check_report report = shipped.check(payload);
    CAPTURE(to_text(report));
    REQUIRE((report.message && report.message->pairs.size() == 1));
    return report.message->pairs[0];
  };
  const explained_pair placed =
      only(R"({"type":"OrderPlaced","messageId":"m-1","sku":"MUG","quantity":3})");
  CHECK(placed.entity_type == "sku");
  CHECK(placed.entity_key == "MUG");
  CHECK(placed.id == "m-1");
  CHECK(placed.policies == "dedupe: ledger, order: arrival");
  CHECK(placed.effects ==
        std::vector<std::string>{"UPSERT inventory SET reserved = reserved + 3 WHERE sku = 'MUG'"});
  const explained_pair counted =
      only(R"({"type":"StockCounted","sku":"it's","countedVersion":7,"onHand":40})");
  CHECK(counted.version == 7);
  CHECK(counted.effects ==
        std::vector<std::string>{"UPSERT inventory SET on_hand = 40 WHERE sku = 'it''s'"});
  const explained_pair sent =
      only(R"({"type":"ShipmentCreated","orderId":"A-1","sku":"MUG","kind":"parcel"})");
  CHECK(sent.effects == std::vector<std::string>{
                            "INSERT INTO shipments (order_id, sku, kind) VALUES ('A-1', 'MUG', "
                            "'parcel') once per (order_id, sku, kind)"});
  const auto database =
      pawl_test::must(open_store("sqlite:" + (shipped.folder() / "stock.db").string()));
  CHECK(pawl_test::must(database->query("SELECT count(*) FROM inventory")).rows[0][0] == "0");
}

TEST_CASE("a message that would be a dead letter is shown with the reason") {
  const example shipped;
  const auto reason = [&](const std::string& payload) {
    const check_report report = shipped.check(payload);
    REQUIRE((report.message && report.message->pairs.size() == 1));
    return report.message->pairs[0].failure;
  };
  CHECK(holds(reason("{"), "JSON"));
  CHECK(holds(reason(R"({"type":"OrderPlased"})"), "did they mean \"OrderPlaced\"?"));
  CHECK(holds(reason(R"({"type":"OrderPlaced","messageId":"m","sku":"MUG","quantity":"3"})"),
              "\"reserved\""));
}

TEST_CASE("a report is JSON that a program can read") {
  const example shipped;
  const std::string json =
      to_json(shipped.check(R"({"type":"OrderPlaced","messageId":"\"","sku":"MUG","quantity":3})"));
  CHECK(holds(json, R"("problems":[],"promises":[{"entity":"sku","message":"OrderPlaced",)"));
  CHECK(holds(
      json, R"("message":{"type":"OrderPlaced","pairs":[{"entity":"sku","key":"MUG","id":"\"",)"));
  shipped.replace("- add: inventory", "- add: inventori");
  const std::string wrong = to_json(shipped.check());
  CHECK(holds(wrong, R"("line":23,"column":18,"what":"there is no table `inventori`",)"));
  CHECK(holds(wrong, "did you mean `inventory`?"));
}

TEST_CASE("a check makes no database, and says how to make one") {
  const example bare(false);
  const check_report report = bare.check();
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].where.line == 7);
  CHECK(holds(report.problems[0].what, "there is no database file"));
  CHECK_FALSE(std::filesystem::exists(bare.folder() / "stock.db"));
  CHECK(to_text(report).ends_with(": 1 problem\n"));
}

TEST_CASE("a database that can't be reached is a problem at the store's place") {
  const example shipped;
  const check_report report =
      check_node_file((shipped.folder() / "stock.yaml").string(), process_environment(),
                      [](const std::string&) -> result<std::unique_ptr<store>> {
                        return error{fault::retry, "08006", "connection refused"};
                      },
                      nullptr);
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].where.line == 7);
  CHECK(report.problems[0].what == "the database can't be read: connection refused");
}

TEST_CASE("standard input under natural is warned of, unless overwriting is accepted") {
  const example shipped;
  shipped.replace("file: orders.ndjson", "stdin: true");
  shipped.replace(
      "        version: $.countedVersion\n        dedupe: version\n        order: latest\n",
      "        dedupe: natural\n");
  const auto warnings = [&] { return shipped.check().promises.at(1).warnings; };
  REQUIRE_FALSE(warnings().empty());
  CHECK(holds(warnings()[0], "say `accept: overwrite`"));
  shipped.replace("        dedupe: natural\n",
                  "        dedupe: natural\n        accept: overwrite\n");
  for (const std::string& warning : warnings()) {
    CHECK_FALSE(holds(warning, "accept: overwrite"));
  }
}
