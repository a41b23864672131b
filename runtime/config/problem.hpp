#pragma once

#include "runtime/config/position.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace pawl {

/// What is wrong with a file that a person wrote, where, and what to write instead.
struct config_problem {
  file_position where;
  std::string what;
  std::string fix;
};

/// `file:line:column: what; fix`.
[[nodiscard]] std::string to_text(const config_problem& problem);

/// Collects problems, so that a person sees all of them at once and not only the first.
class config_problems {
 public:
  void add(file_position where, std::string what, std::string fix) {
    found_.push_back({std::move(where), std::move(what), std::move(fix)});
  }
  [[nodiscard]] bool empty() const noexcept { return found_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return found_.size(); }
  /// All of them by file, line and column, those of one place in the order of finding. Leaves none.
  [[nodiscard]] std::vector<config_problem> take_sorted();

 private:
  std::vector<config_problem> found_;
};

/// A line for each problem.
[[nodiscard]] std::string to_text(const std::vector<config_problem>& problems);

}  // namespace pawl
