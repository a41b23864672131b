#include "runtime/scenario/scenario_file.hpp"

#include "runtime/scenario/scenario_options.hpp"
#include "tests/check.hpp"
#include "tests/support/paths.hpp"

#include <fstream>
#include <sstream>

namespace pawl {
namespace {

scenario_file parse(const std::string& text) {
  return parse_scenario_file("dir/s.yaml", text,
                             [](const std::string&) { return std::optional<std::string>(); });
}

const std::string whole = R"(scenario: stock survives
seed: 7
node: ../stock.yaml
setup: stock.sql
broker: queue
workload:
  - generate: OrderPlaced
    count: 20000
    entities: 200
    skew: zipf
    fields:
      $.quantity: {min: 1, max: 9}
      $.kind: {values: [parcel, pallet]}
  - file: orders.ndjson
faults:
  duplicate: 10%
  reorder: {share: 5%, distance: 50}
  lost_ack: 2%
  worker_throws: 0.1%
  crash: {at: after_commit_before_ack, every: 2000}
expect:
  - effects_once
  - nothing_lost
  - query: SELECT sum(reserved) FROM inventory
    equals: sum($.quantity)
    type: OrderPlaced
compare: naive
)";

std::string first_problem(const std::string& text) {
  const auto read = parse(text);
  CHECK_FALSE(read.config);
  return read.problems.empty() ? "none" : to_text(read.problems.front());
}

/// The whole file with a line replaced.
std::string with(const std::string& line, const std::string& instead) {
  std::string text = whole;
  const auto at = text.find(line);
  REQUIRE(at != std::string::npos);
  return text.replace(at, line.size(), instead);
}

}  // namespace

TEST_CASE("a scenario file is read into its configuration") {
  const auto read = parse(whole);
  INFO(to_text(read.problems));
  REQUIRE(read.config);
  const scenario_config& config = *read.config;
  CHECK(config.name == "stock survives");
  CHECK(config.seed == 7);
  CHECK(config.node == "stock.yaml");
  CHECK(config.setup == "dir/stock.sql");
  CHECK(config.broker == broker_kind::queue);
  REQUIRE(config.workloads.size() == 2);
  CHECK(config.workloads[0].count == 20'000);
  CHECK(config.workloads[0].skew == entity_skew::zipf);
  CHECK(config.workloads[0].fields.at("$.quantity").high == 9);
  CHECK(config.workloads[0].fields.at("$.kind").choices.size() == 2);
  CHECK(config.workloads[1].file == "dir/orders.ndjson");
  CHECK(config.faults.duplicate == Approx(0.1));
  CHECK(config.faults.worker_throws == Approx(0.001));
  CHECK(config.faults.reorder_distance == 50);
  REQUIRE(config.faults.crash);
  CHECK(config.faults.crash->at == fault_point::after_commit_before_ack);
  REQUIRE(config.expectations.size() == 3);
  CHECK(config.expectations[1].kind == expectation_kind::nothing_lost);
  CHECK(config.expectations[2].type == "OrderPlaced");
  CHECK(config.compare_naive);
}

TEST_CASE("what was left out has its default") {
  const auto read = parse("scenario: s\nnode: n.yaml\nworkload:\n  - generate: T\nexpect: []\n");
  INFO(to_text(read.problems));
  REQUIRE(read.config);
  CHECK(read.config->seed == 1);
  CHECK_FALSE(read.config->broker);
  CHECK(read.config->workloads[0].count == 1000);
  CHECK_FALSE(read.config->faults.crash);
  CHECK_FALSE(read.config->compare_naive);
}

TEST_CASE("a mistake in a scenario file is reported with its place and the fix") {
  CHECK(
      first_problem(with("seed: 7", "sead: 7")).starts_with("dir/s.yaml:2:1: unknown key `sead`"));
  CHECK(first_problem(with("- effects_once", "- effects_onec"))
            .find("did you mean `effects_once`?") != std::string::npos);
  CHECK(first_problem(with("after_commit_before_ack", "after_lunch"))
            .starts_with("dir/s.yaml:20:15: "));
  CHECK(first_problem(with("sum($.quantity)", "avg($.quantity)"))
            .starts_with("dir/s.yaml:25:13: `avg($.quantity)` names no known function"));
  CHECK(first_problem(with("duplicate: 10%", "duplicate: 110%")).starts_with("dir/s.yaml:16:14: "));
  CHECK(first_problem(with("{min: 1, max: 9}", "{min: 9, max: 1}")).find("below `min`") !=
        std::string::npos);
}

TEST_CASE("a workload is either generated or read from a file") {
  CHECK(first_problem(with("  - file: orders.ndjson", "  - count: 3"))
            .starts_with("dir/s.yaml:14:5: "));
  CHECK(first_problem(with("  - file: orders.ndjson", "  - file: a\n    count: 3"))
            .starts_with("dir/s.yaml:15:12: `count`"));
}

TEST_CASE("a queue has no position to crash before") {
  CHECK(first_problem(with("after_commit_before_ack", "after_ack_before_position"))
            .starts_with("dir/s.yaml:20:10: a queue has acknowledgements"));
}

TEST_CASE("a log has no acknowledgements to lose") {
  CHECK(first_problem(with("broker: queue", "broker: log")).find("`lost_ack`") !=
        std::string::npos);
}

TEST_CASE("docs/scenarios.md is what the options say") {
  std::ifstream file(test_root() + "/docs/scenarios.md");
  std::stringstream text;
  text << file.rdbuf();
  CHECK((text.str() == scenario_reference()));
}

}  // namespace pawl
