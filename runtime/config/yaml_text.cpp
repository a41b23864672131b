#include "runtime/config/yaml_text.hpp"

#include "protocol/limits.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>
#include <cctype>

namespace pawl {
namespace {

/// Walks over a text and knows the line and column (both from 1) of the next byte.
class text_cursor {
 public:
  text_cursor(const std::string& file, std::string_view text) : file_(&file), text_(text) {}

  [[nodiscard]] bool at_end() const { return next_ == text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return next_ + ahead < text_.size() ? text_[next_ + ahead] : '\0';
  }
  [[nodiscard]] char before() const { return next_ == 0 ? '\n' : text_[next_ - 1]; }
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] int column() const { return static_cast<int>(next_ - line_start_) + 1; }
  [[nodiscard]] file_position where() const { return {*file_, line_, column()}; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(next_); }
  void advance() {
    if (text_[next_++] == '\n') {
      ++line_;
      line_start_ = next_;
    }
  }

 private:
  const std::string* file_;
  std::string_view text_;
  std::size_t next_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7f;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '*';
}

file_position first_invalid_line(const std::string& file, std::string_view text) {
  int line = 1;
  for (std::size_t start = 0; start < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (!valid_utf8(text.substr(start, end - start))) {
      return {file, line, 1};
    }
    start = end + 1;
  }
  return {file, 1, 1};
}

/// Finds brackets that YAML takes for its own. Follows quotes, comments and nesting well enough to
/// explain a syntax error that is known to exist; it decides nothing.
class pitfall_finder {
 public:
  pitfall_finder(const std::string& file, std::string_view text, int line_max)
      : cursor_(file, text), line_max_(line_max) {}

  std::optional<config_problem> run() {
    while (!cursor_.at_end() && cursor_.line() <= line_max_) {
      step();
    }
    return found_;
  }

 private:
  void step() {
    const char c = cursor_.peek();
    if (c == '#' && is_blank(cursor_.before())) {
      skip_to('\n');
    } else if ((c == '"' || c == '\'') && at_value_start()) {
      cursor_.advance();
      skip_to(c);
    } else if (c == '{' || c == '[') {
      open(c);
    } else if ((c == '}' || c == ']') && depth_ > 0) {
      --depth_;
    }
    if (!is_blank(c)) {
      last_ = c;
    }
    if (!cursor_.at_end()) {
      cursor_.advance();
    }
    if (c == '\n' && depth_ == 0) {
      last_ = '\n';
    }
  }

  void open(char c) {
    const char previous = cursor_.before();
    if (depth_ > 0 && c == '{' && previous == '$') {
      note("`${` inside {...} or [...] is taken for a YAML map",
           "put the value in quotes: \"${NAME}\"");
    } else if (depth_ > 0 && c == '[' && is_name_character(previous)) {
      note("`[` of a path inside {...} or [...] is taken for a YAML list",
           "put the path in quotes: \"$.lines[*].sku\"");
    } else if (depth_ > 0 || at_value_start()) {
      ++depth_;
    }
  }

  void note(std::string what, std::string fix) {
    found_ = config_problem{cursor_.where(), std::move(what), std::move(fix)};
    ++depth_;
  }

  [[nodiscard]] bool at_value_start() const {
    return last_ == '\n' || last_ == ':' || last_ == '-' || last_ == '{' || last_ == '[' ||
           last_ == ',';
  }

  void skip_to(char stop) {
    while (!cursor_.at_end() && cursor_.peek() != stop) {
      cursor_.advance();
    }
  }

  text_cursor cursor_;
  int line_max_;
  int depth_ = 0;
  char last_ = '\n';  // the last character that was not blank
  std::optional<config_problem> found_;
};

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
         });
}

}  // namespace

bool check_yaml_text(const std::string& file, std::string_view text, config_problems& problems) {
  if (text.size() > limits::config_bytes_max) {
    problems.add({file, 0, 0},
                 "the file is larger than " + std::to_string(limits::config_bytes_max) + " bytes",
                 "a configuration is smaller: is this the right file?");
    return false;
  }
  if (!valid_utf8(text)) {
    problems.add(first_invalid_line(file, text), "this line is not valid UTF-8",
                 "save the file as UTF-8");
    return false;
  }
  bool indentation = true;
  for (text_cursor cursor(file, text); !cursor.at_end(); cursor.advance()) {
    const char c = cursor.peek();
    if (is_control(c)) {
      problems.add(cursor.where(), "a control character", "remove it");
      return false;
    }
    if (c == '\t' && indentation) {
      problems.add(cursor.where(), "a tab in the indentation", "indent with spaces");
      return false;
    }
    indentation = c == '\n' || (indentation && c == ' ');
  }
  return true;
}

std::optional<config_problem> find_flow_pitfall(const std::string& file, std::string_view text,
                                                int line_max) {
  return pitfall_finder(file, text, line_max).run();
}

std::optional<std::string> expand_environment(const file_position& where, std::string_view written,
                                              const environment_lookup& environment,
                                              config_problems& problems) {
  std::string expanded;
  while (true) {
    const std::size_t dollar = written.find("${");
    if (dollar == std::string_view::npos) {
      return expanded.append(written);
    }
    if (dollar > 0 && written[dollar - 1] == '$') {
      expanded.append(written.substr(0, dollar - 1)).append("${");
      written.remove_prefix(dollar + 2);
      continue;
    }
    expanded.append(written.substr(0, dollar));
    const std::size_t end = written.find('}', dollar);
    const std::string name(
        written.substr(dollar + 2, end == std::string_view::npos ? 0 : end - dollar - 2));
    if (!is_variable_name(name)) {
      problems.add(where, "`${` without the name of an environment variable and `}` behind it",
                   "write ${NAME}, or $${ for the two characters themselves");
      return std::nullopt;
    }
    const std::optional<std::string> found = environment(name);
    if (!found) {
      problems.add(where, "the environment variable " + name + " is not set",
                   "set it, or write $${ for the two characters themselves");
      return std::nullopt;
    }
    expanded.append(*found);
    written.remove_prefix(end + 1);
  }
}

}  // namespace pawl
