#include "runtime/scenario/expectations.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace pawl {
namespace {

std::unique_ptr<checker> checker_of(expectation_kind kind) {
  switch (kind) {
    case expectation_kind::effects_once:
      return std::make_unique<effects_once>();
    case expectation_kind::order_per_entity:
      return std::make_unique<order_per_entity>();
    case expectation_kind::nothing_lost:
      return std::make_unique<nothing_lost>();
    case expectation_kind::query:
      break;
  }
  return nullptr;
}

std::string text_of(const std::optional<exact_number>& number) {
  return number ? number->text() : "NULL";
}

/// What the query answered, in words if it is not one number.
check_answer check_query(const prepared_expectation& wanted, store& database) {
  check_answer answer;
  answer.holds = false;
  answer.expected = text_of(wanted.number);
  const auto rows = database.query(wanted.declared.query);
  if (!rows) {
    answer.got = "an error";
    answer.counterexamples = {rows.error().text};
    return answer;
  }
  if (rows->rows.size() != 1 || rows->rows.front().size() != 1) {
    answer.got = fmt::format("{} rows of {} columns", rows->rows.size(), rows->columns.size());
    answer.counterexamples = {"the query must answer one row of one column"};
    return answer;
  }
  const std::optional<std::string>& cell = rows->rows.front().front();
  if (!cell) {
    answer.got = "NULL";
    answer.holds = !wanted.number;
    return answer;
  }
  const auto number = exact_number::parse(*cell);
  answer.got = number ? number->text() : *cell;
  answer.holds = number && wanted.number && *number == *wanted.number;
  return answer;
}

}  // namespace

result<std::vector<prepared_expectation>> prepare_expectations(
    const scenario_config& scenario, std::span<const scenario_message> workload,
    const decoder_config& decoding) {
  std::vector<prepared_expectation> prepared;
  for (const expectation_config& declared : scenario.expectations) {
    prepared_expectation one{declared, std::nullopt};
    if (declared.kind == expectation_kind::query) {
      const auto parsed = parse_expression(declared.equals);
      if (!parsed) {
        return parsed.error();
      }
      auto number = evaluate(*parsed, workload, declared.type, decoding);
      if (!number) {
        return error{fault::refused, "equals",
                     fmt::format("{}: {}", to_text(declared.where), number.error().text)};
      }
      one.number = *number;
    }
    prepared.push_back(std::move(one));
  }
  return prepared;
}

std::vector<expectation_result> check_expectations(
    const std::vector<prepared_expectation>& expectations, const ground_truth& truth,
    const evidence& found, store& database) {
  std::vector<expectation_result> results;
  for (const prepared_expectation& one : expectations) {
    if (const auto check = checker_of(one.declared.kind)) {
      results.push_back({std::string(check->name()), check->check(truth, found)});
    } else {
      results.push_back({one.declared.query, check_query(one, database)});
    }
  }
  return results;
}

}  // namespace pawl
