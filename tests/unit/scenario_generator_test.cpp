#include "runtime/scenario/workload.hpp"
#include "tests/check.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace pawl {
namespace {

path path_of(const std::string& text) { return parse_path(text).value(); }

column_expression column(const std::string& name, const std::string& from) {
  return {name, path_of(from), false, {}};
}

catalog_column column_of(const std::string& name, column_type type) {
  catalog_column made;
  made.name = name;
  made.type = type;
  return made;
}

catalog stock_tables() {
  catalog_table inventory;
  inventory.name = "inventory";
  inventory.columns = {column_of("sku", column_type::text),
                       column_of("reserved", column_type::integer),
                       column_of("price", column_type::decimal)};
  catalog_table shipments;
  shipments.name = "shipments";
  shipments.columns = {column_of("order_id", column_type::integer),
                       column_of("sku", column_type::text), column_of("kind", column_type::text)};
  catalog tables;
  tables.tables = {{"inventory", inventory}, {"shipments", shipments}};
  return tables;
}

std::vector<declared_message> stock_messages() {
  std::vector<declared_message> all(3);
  message_contract& order = all[0].contract;
  order.type = "OrderPlaced";
  order.entity_type = "sku";
  order.key = {path_of("$.sku")};
  order.id = {path_of("$.messageId")};
  order.pair = policies::ledger;
  all[0].effects.resize(1);
  all[0].effects[0].kind = effect_kind::add;
  all[0].effects[0].table = "inventory";
  all[0].effects[0].key.push_back(column("sku", "$key"));
  all[0].effects[0].values.push_back(column("reserved", "$.quantity"));

  message_contract& counted = all[1].contract;
  counted.type = "StockCounted";
  counted.entity_type = "sku";
  counted.key = {path_of("$.sku")};
  counted.version = path_of("$.countedVersion");
  counted.pair = policies::latest;
  all[1].effects.resize(1);
  all[1].effects[0].table = "inventory";
  all[1].effects[0].key.push_back(column("sku", "$.sku"));
  all[1].effects[0].values.push_back(column("price", "$.unit.price"));

  message_contract& shipped = all[2].contract;
  shipped.type = "ShipmentCreated";
  shipped.entity_type = "sku";
  shipped.key = {path_of("$.lines[*].sku")};
  shipped.pair = policies::unique;
  all[2].effects.resize(1);
  all[2].effects[0].kind = effect_kind::insert;
  all[2].effects[0].table = "shipments";
  all[2].effects[0].unique = {"order_id", "sku", "kind"};
  all[2].effects[0].values.push_back(column("sku", "$.lines[*].sku"));
  all[2].effects[0].values.push_back(column("kind", "$.kind"));
  all[2].effects[0].values.push_back(column("order_id", "$.orderId"));
  return all;
}

scenario_config scenario_of(const std::string& type, std::uint64_t count) {
  workload_config workload;
  workload.type = type;
  workload.count = count;
  workload.entities = 20;
  workload.skew = entity_skew::zipf;
  scenario_config scenario;
  scenario.workloads = {workload};
  return scenario;
}

std::vector<scenario_message> make(const scenario_config& scenario, std::uint64_t seed = 7) {
  auto made = make_workload(scenario, stock_messages(), stock_tables(), seed);
  INFO((made ? std::string() : made.error().text));
  REQUIRE(made.ok());
  return std::move(made).value();
}

/// What stands between `"name":` and the next comma or brace.
std::string field_of(const scenario_message& said, const std::string& name) {
  const std::string marker = "\"" + name + "\":";
  const auto at = said.payload.find(marker);
  REQUIRE(at != std::string::npos);
  const auto from = at + marker.size();
  return said.payload.substr(from, said.payload.find_first_of(",}]", from) - from);
}

}  // namespace

TEST_CASE("one seed gives one workload, another gives another") {
  const auto one = make(scenario_of("OrderPlaced", 100));
  const auto same = make(scenario_of("OrderPlaced", 100));
  const auto other = make(scenario_of("OrderPlaced", 100), 8);
  int different = 0;
  for (std::size_t at = 0; at < one.size(); ++at) {
    CHECK(one[at].payload == same[at].payload);
    different += one[at].payload != other[at].payload ? 1 : 0;
  }
  CHECK(different > 50);
}

TEST_CASE("a generated message has what its handler reads, typed by the catalog") {
  const auto made = make(scenario_of("OrderPlaced", 500));
  std::set<std::string> ids;
  std::map<std::string, int> keys;
  for (const scenario_message& said : made) {
    ids.insert(field_of(said, "messageId"));
    ++keys[field_of(said, "sku")];
    const int quantity = std::stoi(field_of(said, "quantity"));
    CHECK((quantity >= 1 && quantity <= 10));
  }
  CHECK(ids.size() == 500);
  CHECK(keys["\"SKU-1\""] > keys["\"SKU-9\""]);
  CHECK(made[3].headers.front() == header{"type", "OrderPlaced"});
  CHECK(made[3].headers.at(1) == header{"pawl-scenario-message", "3"});
}

TEST_CASE("the versions of an entity rise one by one with generation") {
  std::map<std::string, int> last;
  for (const scenario_message& said : make(scenario_of("StockCounted", 300))) {
    CHECK(std::stoi(field_of(said, "countedVersion")) == ++last[field_of(said, "sku")]);
    CHECK(field_of(said, "price").find('.') != std::string::npos);
  }
}

TEST_CASE("no two messages under `unique` share their guard's key") {
  std::set<std::string> orders;
  for (const scenario_message& said : make(scenario_of("ShipmentCreated", 200))) {
    orders.insert(field_of(said, "orderId"));
    CHECK(said.payload.find("\"lines\":[{\"sku\":\"SKU-") != std::string::npos);
  }
  CHECK(orders.size() == 200);
}

TEST_CASE("hints set ranges and choices") {
  auto scenario = scenario_of("OrderPlaced", 100);
  scenario.workloads[0].fields["$.quantity"] = {100, 101, {}};
  scenario.workloads[0].fields["$.colour"] = {{}, {}, {value::text("red")}};
  for (const scenario_message& said : make(scenario)) {
    CHECK(std::stoi(field_of(said, "quantity")) >= 100);
    CHECK(field_of(said, "colour") == "\"red\"");
  }
}

TEST_CASE("a hint for the key is refused with its place") {
  auto scenario = scenario_of("OrderPlaced", 1);
  scenario.workloads[0].where = {"stock.yaml", 8, 5};
  scenario.workloads[0].fields["$.sku"] = {1, 2, {}};
  const auto made = make_workload(scenario, stock_messages(), stock_tables(), 1);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().text.starts_with("stock.yaml:8:5: `$.sku` is a key"));
}

TEST_CASE("a type that the node file doesn't declare is refused with the nearest one") {
  const auto made =
      make_workload(scenario_of("OrderPlacd", 1), stock_messages(), stock_tables(), 1);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().text.find("did you mean `OrderPlaced`?") != std::string::npos);
}

TEST_CASE("workloads are interleaved and each keeps its own order") {
  auto scenario = scenario_of("OrderPlaced", 100);
  scenario.workloads.push_back(scenario_of("StockCounted", 50).workloads[0]);
  const auto made = make(scenario);
  REQUIRE(made.size() == 150);
  int turns = 0;
  for (std::size_t at = 1; at < made.size(); ++at) {
    turns += made[at].type != made[at - 1].type ? 1 : 0;
  }
  CHECK(turns > 30);
}

TEST_CASE("the lines of a file are messages as they are") {
  const auto file = std::filesystem::temp_directory_path() / "pawl-scenario-lines.ndjson";
  std::ofstream(file) << "{\"a\":1}\n\n{\"a\":2}\n";
  scenario_config scenario;
  scenario.workloads.resize(1);
  scenario.workloads[0].file = file;
  const auto made = make(scenario);
  std::filesystem::remove(file);
  REQUIRE(made.size() == 2);
  CHECK(made[1].payload == "{\"a\":2}");
  CHECK(make_workload(scenario, stock_messages(), stock_tables(), 1).error().kind ==
        fault::refused);
}

}  // namespace pawl
