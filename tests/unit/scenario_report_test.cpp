#include "runtime/scenario/scenario_report.hpp"

#include "tests/check.hpp"

namespace pawl {
namespace {

scenario_report stock_report(bool holds) {
  scenario_report report;
  report.name = "stock & \"more\"";
  report.file = "stock.yaml";
  report.seed = 7;
  report.store = "sqlite";
  report.broker = "queue";
  report.messages = 20'000;
  report.duplicates = 2'000;
  consumer_report pawl;
  pawl.name = "pawl";
  pawl.broker.deliveries = 23'456;
  pawl.results.push_back(
      {"effects_once", {holds, "no effect twice", holds ? "none" : "3 too many", {}, {}}});
  pawl.results.push_back(
      {"SELECT sum(reserved) FROM inventory", {true, "110022", "110022", {}, {}}});
  if (!holds) {
    pawl.results[0].answer.counterexamples = {"message 4 <twice>"};
  }
  consumer_report naive = pawl;
  naive.name = "naive";
  naive.results[1].answer = {false, "110022", "123441", {}, {}};
  report.consumers = {pawl, naive};
  return report;
}

}  // namespace

TEST_CASE("a report passes if Pawl kept its word, whatever the naive consumer did") {
  CHECK(stock_report(true).passed());
  CHECK_FALSE(stock_report(false).passed());
}

TEST_CASE("a person sees both numbers, and which is wrong") {
  const std::string text = report_text(stock_report(true), false);
  CHECK(text.find("20,000 distinct messages, 22,000 published") != std::string::npos);
  CHECK(text.find("PASS 110,022") != std::string::npos);
  CHECK(text.find("FAIL 123,441") != std::string::npos);
  CHECK(text.find("PASSED") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("a failed run prints its seed and how to replay it") {
  const std::string text = report_text(stock_report(false), true);
  CHECK(text.find("pawl run stock.yaml --seed 7") != std::string::npos);
  CHECK(text.find("message 4 <twice>") != std::string::npos);
  CHECK(text.find("\x1b[1;31mFAILED") != std::string::npos);
}

TEST_CASE("the JSON report is one object with quotes escaped") {
  const std::string json = report_json(stock_report(false));
  CHECK(json.starts_with(
      R"({"scenario":"stock & \"more\"","file":"stock.yaml","seed":7,"passed":false)"));
  CHECK(json.find(R"("counterexamples":["message 4 <twice>"])") != std::string::npos);
  CHECK(json.ends_with("]}\n"));
}

TEST_CASE("the JUnit report has a case for each expectation, failures with their reasons") {
  const std::string xml = report_junit(stock_report(false));
  CHECK(xml.find("<testsuite name=\"stock &amp; &quot;more&quot;\" tests=\"2\" failures=\"1\"") !=
        std::string::npos);
  CHECK(xml.find("<failure message=\"expected no effect twice, got 3 too many\">"
                 "message 4 &lt;twice&gt;</failure>") != std::string::npos);
}

}  // namespace pawl
