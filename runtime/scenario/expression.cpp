#include "runtime/scenario/expression.hpp"

#include "runtime/scenario/ground_truth.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <map>
#include <utility>

namespace pawl {
namespace {

constexpr std::array<std::pair<std::string_view, expression_kind>, 5> functions{
    {{"count", expression_kind::count},
     {"sum", expression_kind::sum},
     {"min", expression_kind::min},
     {"max", expression_kind::max},
     {"sum_latest", expression_kind::sum_latest}}};

constexpr std::string_view expression_forms =
    "write a number, `count()`, `sum($.field)`, `min(...)`, `max(...)` or `sum_latest(...)`";

error refuse_expression(std::string_view text, std::string_view why) {
  return {fault::refused, std::string(expression_forms), fmt::format("`{}` {}", text, why)};
}

/// Contracts that read one path instead of what their handlers read.
class reading_contracts {
 public:
  reading_contracts(const decoder_config& config, const path& over) : config_(config) {
    config_.contracts.clear();
    for (const message_contract* original : config.contracts) {
      message_contract& reading = copies_.emplace_back(*original);
      reading.fields = {{over, true}};
      reading.fingerprint_ignore.clear();
      config_.contracts.push_back(&reading);
    }
  }
  [[nodiscard]] const decoder_config& config() const { return config_; }

 private:
  std::deque<message_contract> copies_;
  decoder_config config_;
};

/// Adds up what one function makes of the values.
class accumulator {
 public:
  explicit accumulator(expression_kind kind) : kind_(kind) {}

  [[nodiscard]] bool add(const exact_number& number) {
    if (!sum_) {
      sum_ = number;
    } else if (kind_ == expression_kind::min || kind_ == expression_kind::max) {
      const bool lower = number.less_than(*sum_);
      sum_ = lower == (kind_ == expression_kind::min) ? number : *sum_;
    } else {
      sum_ = sum_->plus(number);
      return sum_.has_value();
    }
    return true;
  }
  [[nodiscard]] std::optional<exact_number> value() const { return sum_; }

 private:
  expression_kind kind_;
  std::optional<exact_number> sum_;
};

/// The numbers that a message holds at the path, one per element.
class number_reader {
 public:
  number_reader(const expression& wanted) : each_(wanted.over.each_prefix() > 0) {}

  [[nodiscard]] result<std::vector<exact_number>> read(
      const std::vector<addressed_ptr>& pairs) const {
    std::vector<exact_number> numbers;
    for (const addressed_ptr& pair : pairs) {
      for (const field_values& element : pair->elements) {
        if (element.empty() || element.front().is_absent() || element.front().is_null()) {
          continue;
        }
        const auto number = exact_number::parse(element.front().to_text());
        if (!number) {
          return error{fault::refused, "equals",
                       fmt::format("`{}` of message {} is no number that can be added up",
                                   element.front().to_text(), pair->id)};
        }
        numbers.push_back(*number);
        if (!each_) {
          return numbers;  // every element and entity sees the same value: it counts once
        }
      }
    }
    return numbers;
  }

 private:
  bool each_;
};

}  // namespace

result<expression> parse_expression(std::string_view text) {
  if (const auto literal = exact_number::parse(text)) {
    return expression{expression_kind::literal, *literal, {}};
  }
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) {
    return refuse_expression(text, "is neither a number nor a function");
  }
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  for (const auto& [name, kind] : functions) {
    if (text.substr(0, open) != name) {
      continue;
    }
    if (kind == expression_kind::count) {
      return inside.empty() ? result<expression>(expression{kind, {}, {}})
                            : refuse_expression(text, "counts messages and takes no path");
    }
    auto over = parse_path(inside);
    if (!over) {
      return refuse_expression(text, fmt::format("has no path in it ({})", over.error().text));
    }
    return expression{kind, {}, std::move(*over)};
  }
  return refuse_expression(text, "names no known function");
}

result<std::optional<exact_number>> evaluate(const expression& wanted,
                                             std::span<const scenario_message> workload,
                                             const std::string& type,
                                             const decoder_config& config) {
  using answer = std::optional<exact_number>;
  if (wanted.kind == expression_kind::literal) {
    return answer(wanted.literal);
  }
  const reading_contracts reading(config, wanted.over);
  message_decoder decoder(wanted.kind == expression_kind::count ? config : reading.config());
  const number_reader reader(wanted);
  accumulator all(wanted.kind);
  std::int64_t count = 0;
  std::map<entity_ref, std::pair<std::int64_t, std::vector<exact_number>>> latest;
  const auto add_all = [&all](const std::vector<exact_number>& numbers) {
    for (const exact_number& one : numbers) {
      if (!all.add(one)) {
        return false;
      }
    }
    return true;
  };
  for (const scenario_message& said : workload) {
    const auto pairs = decoder.decode(as_received(said, "scenario"));
    if (pairs.empty() || pairs.front()->undecodable ||
        (!type.empty() && pairs.front()->type != type)) {
      continue;
    }
    ++count;
    if (wanted.kind == expression_kind::count) {
      continue;
    }
    auto numbers = reader.read(pairs);
    if (!numbers) {
      return numbers.error();
    }
    if (wanted.kind != expression_kind::sum_latest) {
      if (!add_all(*numbers)) {
        return refuse_expression(std::string_view("sum"), "grows past 18 digits");
      }
    } else if (const auto& version = pairs.front()->version) {
      auto& kept =
          latest.try_emplace(pairs.front()->entity, -1, std::vector<exact_number>{}).first->second;
      if (version->value > kept.first) {
        kept = {version->value, std::move(*numbers)};
      }
    }
  }
  if (wanted.kind == expression_kind::count) {
    return answer(exact_number(count));
  }
  for (const auto& [entity, kept] : latest) {
    if (!add_all(kept.second)) {
      return refuse_expression(std::string_view("sum_latest"), "grows past 18 digits");
    }
  }
  return all.value();
}

}  // namespace pawl
