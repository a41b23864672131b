#include "runtime/config/expression.hpp"

#include "runtime/config/scalar.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace pawl {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes the digits in front of `text`; how many there were.
std::size_t take_digits(std::string_view& text) {
  const auto count =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  text.remove_prefix(count);
  return count;
}

/// A JSON number.
bool is_number(std::string_view text) {
  if (text.starts_with('-')) {
    text.remove_prefix(1);
  }
  const bool zero = text.starts_with('0');
  const std::size_t whole = take_digits(text);
  if (whole == 0 || (zero && whole > 1)) {
    return false;
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (take_digits(text) == 0) {
      return false;
    }
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) {
      text.remove_prefix(1);
    }
    if (take_digits(text) == 0) {
      return false;
    }
  }
  return text.empty();
}

bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text.front() == '0' && std::all_of(text.begin(), text.end(), is_digit);
}

bool starts_path(std::string_view text) {
  return (text.starts_with('$') && !text.starts_with("$$")) || text.starts_with("-$");
}

/// Where in the file the wrong character of a path is.
file_position place_in(const yaml_node& node, const std::string& offset) {
  file_position where = node.where;
  // A value from the environment or over several lines has no columns of its own in the file.
  const bool direct = node.text == node.written && node.text.find('\n') == std::string::npos;
  if (const auto ahead = parse_integer(offset); direct && ahead) {
    where.column += static_cast<int>(*ahead) + (node.quoted ? 1 : 0);
  }
  return where;
}

std::optional<value_expression> read_constant(const yaml_node& node, config_problems& problems) {
  const std::string& text = node.text;
  if (node.quoted) {
    return value::text(text.starts_with("$$") ? text.substr(1) : text);
  }
  if (has_leading_zero(text)) {
    problems.add(node.where, describe(node) + " has leading zeros: is it a number or a text?",
                 "put a text in quotes, and leave the zeros out of a number");
    return std::nullopt;
  }
  if (const auto number = parse_integer(text)) {
    return value::integer(*number);
  }
  if (is_number(text)) {
    return value::decimal(text);
  }
  if (const auto boolean = parse_boolean(text)) {
    return value::boolean(*boolean);
  }
  return value::text(text.starts_with("$$") ? text.substr(1) : text);
}

}  // namespace

std::optional<path> read_path(const yaml_node& node, config_problems& problems) {
  if (node.broken) {
    return std::nullopt;
  }
  if (node.kind != yaml_kind::scalar) {
    problems.add(node.where, "a path is wanted, and this is " + describe(node),
                 "write a path: $.a.b");
    return std::nullopt;
  }
  result<path> parsed = parse_path(node.text);
  if (!parsed) {
    problems.add(place_in(node, parsed.error().code), parsed.error().text, "");
    return std::nullopt;
  }
  return std::move(*parsed);
}

std::vector<path> read_paths(const yaml_node& node, config_problems& problems) {
  std::vector<path> paths;
  if (node.kind != yaml_kind::list) {
    if (auto one = read_path(node, problems)) {
      paths.push_back(std::move(*one));
    }
    return paths;
  }
  if (node.items.empty()) {
    problems.add(node.where, "a path is wanted, and this list is empty", "write a path: $.a.b");
  }
  for (const yaml_node& item : node.items) {
    if (auto one = read_path(item, problems)) {
      paths.push_back(std::move(*one));
    }
  }
  return paths;
}

std::optional<value_expression> read_expression(const yaml_node& node, config_problems& problems) {
  if (node.broken) {
    return std::nullopt;
  }
  if (node.kind == yaml_kind::null) {
    return value::null();
  }
  if (node.kind != yaml_kind::scalar) {
    problems.add(node.where, "a value is wanted, and this is " + describe(node),
                 "write a path (`$.a.b`) or a constant");
    return std::nullopt;
  }
  if (starts_path(node.text)) {
    auto read = read_path(node, problems);
    return read ? std::optional<value_expression>(std::move(*read)) : std::nullopt;
  }
  return read_constant(node, problems);
}

}  // namespace pawl
