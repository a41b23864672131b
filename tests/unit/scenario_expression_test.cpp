#include "runtime/scenario/expression.hpp"
#include "runtime/scenario/ground_truth.hpp"
#include "tests/check.hpp"

namespace pawl {
namespace {

path path_of(const std::string& text) { return parse_path(text).value(); }

/// Two orders, one of them of two lines, and two counts of one sku.
class sold_stock {
 public:
  sold_stock() {
    order_.type = "Order";
    order_.entity_type = "sku";
    order_.key = {path_of("$.lines[*].sku")};
    order_.id = {path_of("$.id")};
    counted_.type = "Counted";
    counted_.entity_type = "sku";
    counted_.key = {path_of("$.sku")};
    counted_.version = path_of("$.version");
    counted_.pair = policies::latest;
    config_.consumer = "inventory";
    config_.contracts = {&order_, &counted_};
    config_.type_path = "$.type";
    add(R"({"type":"Order","id":"a","total":5,"lines":[{"sku":"x","n":1},{"sku":"y","n":2}]})");
    add(R"({"type":"Order","id":"b","total":0.5,"lines":[{"sku":"x","n":3}]})");
    add(R"({"type":"Counted","sku":"x","version":2,"on_hand":10})");
    add(R"({"type":"Counted","sku":"x","version":1,"on_hand":99})");
  }

  std::string value(const std::string& text, const std::string& type = {}) const {
    const auto parsed = parse_expression(text);
    INFO((parsed ? std::string() : parsed.error().text));
    REQUIRE(parsed.ok());
    const auto got = evaluate(*parsed, workload_, type, config_);
    INFO((got ? std::string() : got.error().text));
    REQUIRE(got.ok());
    return got.value() ? got.value()->text() : "nothing";
  }

  [[nodiscard]] const std::vector<scenario_message>& workload() const { return workload_; }
  [[nodiscard]] const decoder_config& config() const { return config_; }

 private:
  void add(const std::string& payload) {
    scenario_message said;
    said.payload = payload;
    workload_.push_back(said);
  }

  message_contract order_;
  message_contract counted_;
  decoder_config config_;
  std::vector<scenario_message> workload_;
};

}  // namespace

TEST_CASE("an expression adds up what the distinct messages say") {
  const sold_stock stock;
  CHECK(stock.value("count()") == "4");
  CHECK(stock.value("count()", "Order") == "2");
  CHECK(stock.value("sum($.on_hand)") == "109");
  CHECK(stock.value("max($.on_hand)") == "99");
  CHECK(stock.value("min($.on_hand)") == "10");
  CHECK(stock.value("sum($.nowhere)") == "nothing");
  CHECK(stock.value("-7.50") == "-7.5");
}

TEST_CASE("a field of the message counts once though it addresses several entities") {
  CHECK(sold_stock().value("sum($.total)", "Order") == "5.5");
}

TEST_CASE("a field of each element counts once an element") {
  CHECK(sold_stock().value("sum($.lines[*].n)", "Order") == "6");
}

TEST_CASE("the latest of each entity is that of the highest version, not the last one sent") {
  CHECK(sold_stock().value("sum_latest($.on_hand)", "Counted") == "10");
}

TEST_CASE("an expression that is none is refused with what can be written") {
  for (const char* text : {"avg($.x)", "sum(", "sum()", "count($.x)", "twelve", ""}) {
    const auto parsed = parse_expression(text);
    INFO(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().code.find("sum($.field)") != std::string::npos);
  }
}

TEST_CASE("a field that holds no number is refused") {
  const sold_stock stock;
  const auto got =
      evaluate(parse_expression("sum($.type)").value(), stock.workload(), {}, stock.config());
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().text.find("`Order`") != std::string::npos);
}

TEST_CASE("the truth has each entity that a message names once, and undecodable messages") {
  const sold_stock stock;
  auto workload = stock.workload();
  workload.push_back({});
  workload.back().payload = "{broken";
  const ground_truth truth(workload, stock.config(), "orders");
  REQUIRE(truth.pairs().size() == 6);
  CHECK(truth.find(0, {"sku", "y"})->message == 0);
  CHECK(truth.find(1, {"sku", "y"}) == nullptr);
  CHECK(truth.find(2, {"sku", "x"})->version == message_version{2});
  CHECK(truth.find(4, {"anything", "else"})->undecodable);
  CHECK(truth.find(5, {"sku", "x"}) == nullptr);
}

}  // namespace pawl
