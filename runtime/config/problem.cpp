#include "runtime/config/problem.hpp"

#include <algorithm>
#include <tuple>

namespace pawl {

std::string to_text(const config_problem& problem) {
  std::string text = to_text(problem.where);
  if (!text.empty()) {
    text += ": ";
  }
  text += problem.what;
  if (!problem.fix.empty()) {
    text += "; " + problem.fix;
  }
  return text;
}

std::string to_text(const std::vector<config_problem>& problems) {
  std::string text;
  for (const config_problem& problem : problems) {
    text += to_text(problem) + '\n';
  }
  return text;
}

std::vector<config_problem> config_problems::take_sorted() {
  std::stable_sort(found_.begin(), found_.end(),
                   [](const config_problem& left, const config_problem& right) {
                     return std::tie(left.where.file, left.where.line, left.where.column) <
                            std::tie(right.where.file, right.where.line, right.where.column);
                   });
  return std::exchange(found_, {});
}

}  // namespace pawl
