#include "runtime/config/node_options.hpp"
#include "runtime/config/scalar.hpp"
#include "runtime/config/section.hpp"
#include "tests/check.hpp"
#include "tests/support/paths.hpp"

#include <fstream>
#include <sstream>

using namespace pawl;

namespace {

bool is_number(option_type type) {
  return type == option_type::integer || type == option_type::duration ||
         type == option_type::bytes || type == option_type::percent;
}

bool accepts(const config_option& option, const std::string& text) {
  yaml_node node;
  node.kind = yaml_kind::scalar;
  node.text = node.written = text;
  config_problems problems;
  return read_number(node, option, problems).has_value() && problems.empty();
}

}  // namespace

TEST_CASE("every numeric option takes its bounds and nothing past them") {
  int checked = 0;
  for (const config_option& option : node_options()) {
    if (!is_number(option.type)) {
      continue;
    }
    CAPTURE(option.path);
    ++checked;
    CHECK(option.minimum < option.maximum);
    CHECK(accepts(option, format_number(option.type, option.minimum)));
    CHECK(accepts(option, format_number(option.type, option.maximum)));
    CHECK_FALSE(accepts(option, format_number(option.type, option.maximum + 1)));
    CHECK_FALSE(accepts(option, format_number(option.type, option.minimum - 1)));
    CHECK_FALSE(accepts(option, "many"));
    CHECK((option.fallback.empty() || accepts(option, std::string(option.fallback))));
  }
  CHECK(checked >= 12);
}

TEST_CASE("every option is declared once, with a text") {
  std::vector<std::string_view> seen;
  for (const config_option& option : node_options()) {
    CAPTURE(option.path);
    CHECK(std::find(seen.begin(), seen.end(), option.path) == seen.end());
    CHECK_FALSE(option.text.empty());
    CHECK((option.type == option_type::choice) == !option.choices.empty());
    seen.push_back(option.path);
  }
}

TEST_CASE("docs/config.md is what the options say (`pawl docs config > docs/config.md`)") {
  std::ifstream file(test_root() + "/docs/config.md");
  std::stringstream text;
  text << file.rdbuf();
  CHECK((text.str() == node_reference()));
}
