#pragma once

#include "protocol/outcome.hpp"
#include "runtime/scenario/checkers.hpp"
#include "runtime/scenario/in_process_broker.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pawl {

/// One expectation and what a consumer came to.
struct expectation_result {
  std::string name;  ///< `effects_once` ..., or the query
  check_answer answer;
};

/// What one consumer did with the deliveries.
struct consumer_report {
  std::string name;  ///< `pawl`, `naive`
  broker_counts broker;
  std::uint64_t crashes = 0;
  std::uint64_t threw = 0;    ///< attempts that the scenario made fail
  std::uint64_t effects = 0;  ///< messages that took effect: probe rows
  /// Pairs by outcome, as counted by the runs; a crash loses the counts of its last moment.
  /// Only of `pawl`.
  std::array<std::uint64_t, all_outcomes.size()> outcomes{};
  std::uint64_t swallowed = 0;  ///< only of `naive`: unique violations taken for repeats
  double seconds = 0;
  std::vector<expectation_result> results;
  [[nodiscard]] bool passed() const;
};

/// The verdict of a scenario. It passed if Pawl kept every expectation, whatever others did.
struct scenario_report {
  std::string name;
  std::string file;
  std::uint64_t seed = 0;
  std::string store;   ///< kind
  std::string broker;  ///< `queue` or `log`
  std::uint64_t messages = 0;
  std::uint64_t duplicates = 0;            ///< published once more
  std::vector<consumer_report> consumers;  ///< `pawl` first
  [[nodiscard]] bool passed() const;
};

/// For a person: what happened, each expectation with PASS or FAIL, the consumers beside each
/// other, and how to replay a failure. `colours`: with terminal escapes.
[[nodiscard]] std::string report_text(const scenario_report& report, bool colours);
/// For a program; one object.
[[nodiscard]] std::string report_json(const scenario_report& report);
/// For CI: a test case for each expectation that Pawl was held to.
[[nodiscard]] std::string report_junit(const scenario_report& report);

}  // namespace pawl
