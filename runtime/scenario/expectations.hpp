#pragma once

#include "runtime/scenario/expression.hpp"
#include "runtime/scenario/scenario_report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// One thing that must hold, with its expected value worked out from the workload.
struct prepared_expectation {
  expectation_config declared;
  std::optional<exact_number> number;  ///< of a query; nothing: the query must answer NULL
};

/// Works out what the queries must answer.
[[nodiscard]] result<std::vector<prepared_expectation>> prepare_expectations(
    const scenario_config& scenario, std::span<const scenario_message> workload,
    const decoder_config& decoding);

/// Holds what a consumer left behind against each expectation.
[[nodiscard]] std::vector<expectation_result> check_expectations(
    const std::vector<prepared_expectation>& expectations, const ground_truth& truth,
    const evidence& found, store& database);

}  // namespace pawl
