#include "runtime/scenario/json_text.hpp"
#include "runtime/scenario/scenario_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace pawl {
namespace {

std::string json_list(const std::vector<std::string>& raw) {
  return fmt::format("[{}]", fmt::join(raw, ","));
}

std::string to_json(const expectation_result& one) {
  std::vector<std::string> counterexamples;
  for (const std::string& text : one.answer.counterexamples) {
    counterexamples.push_back(json_quote(text));
  }
  return fmt::format(
      R"({{"name":{},"holds":{},"expected":{},"got":{},"counterexamples":{},"note":{}}})",
      json_quote(one.name), one.answer.holds, json_quote(one.answer.expected),
      json_quote(one.answer.got), json_list(counterexamples), json_quote(one.answer.note));
}

std::string to_json(const consumer_report& one) {
  std::vector<std::string> results;
  for (const expectation_result& result : one.results) {
    results.push_back(to_json(result));
  }
  std::vector<std::string> outcomes;
  for (const outcome which : all_outcomes) {
    outcomes.push_back(
        fmt::format("\"{}\":{}", name_of(which), one.outcomes[static_cast<std::size_t>(which)]));
  }
  return fmt::format(
      R"({{"name":{},"passed":{},"deliveries":{},"redeliveries":{},"lost_acks":{},"crashes":{},)"
      R"("threw":{},"effects":{},"outcomes":{{{}}},"swallowed":{},"seconds":{:.3f},)"
      R"("expectations":{}}})",
      json_quote(one.name), one.passed(), one.broker.deliveries, one.broker.redeliveries,
      one.broker.lost_acks, one.crashes, one.threw, one.effects, fmt::join(outcomes, ","),
      one.swallowed, one.seconds, json_list(results));
}

std::string xml_escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        // XML has no way to write control characters.
        escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return escaped;
}

}  // namespace

std::string report_json(const scenario_report& report) {
  std::vector<std::string> consumers;
  for (const consumer_report& one : report.consumers) {
    consumers.push_back(to_json(one));
  }
  return fmt::format(
      R"({{"scenario":{},"file":{},"seed":{},"passed":{},"store":{},"broker":{},"messages":{},)"
      R"("duplicates":{},"consumers":{}}})"
      "\n",
      json_quote(report.name), json_quote(report.file), report.seed, report.passed(),
      json_quote(report.store), json_quote(report.broker), report.messages, report.duplicates,
      json_list(consumers));
}

std::string report_junit(const scenario_report& report) {
  const consumer_report& ours = report.consumers.front();
  const auto failures = std::count_if(ours.results.begin(), ours.results.end(),
                                      [](const auto& one) { return !one.answer.holds; });
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" time=\"{:.3f}\">\n"
      "    <properties><property name=\"seed\" value=\"{}\"/></properties>\n",
      xml_escape(report.name), ours.results.size(), failures, ours.seconds, report.seed);
  for (const expectation_result& one : ours.results) {
    xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\">", xml_escape(report.name),
                       xml_escape(one.name));
    if (!one.answer.holds) {
      xml +=
          fmt::format("\n      <failure message=\"expected {}, got {}\">{}</failure>\n    ",
                      xml_escape(one.answer.expected), xml_escape(one.answer.got),
                      xml_escape(fmt::format("{}", fmt::join(one.answer.counterexamples, "; "))));
    }
    xml += "</testcase>\n";
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace pawl
