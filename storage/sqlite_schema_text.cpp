#include "storage/sqlite_schema_text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

namespace pawl {

namespace {

enum class token_kind : std::uint8_t { word, name, text, number, sign };

struct token {
  token_kind kind = token_kind::sign;
  std::string text;

  /// Whether it is that keyword; a quoted name never is.
  [[nodiscard]] bool is(std::string_view keyword) const {
    return kind == token_kind::word && equal_ignoring_case(text, keyword);
  }
  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return kind == token_kind::sign && text == sign;
  }
  [[nodiscard]] static bool equal_ignoring_case(std::string_view left, std::string_view right) {
    return std::ranges::equal(left, right, [](unsigned char a, unsigned char b) {
      return std::tolower(a) == std::tolower(b);
    });
  }
};

bool is_word_part(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
}

/// Reads a quoted token from `at`, the opening quote; a doubled quote stands for itself.
token read_quoted(std::string_view sql, std::size_t& at) {
  const char open = sql[at];
  const char close = open == '[' ? ']' : open;
  token read{open == '\'' ? token_kind::text : token_kind::name, ""};
  for (++at; at < sql.size(); ++at) {
    if (sql[at] == close) {
      if (open == '[' || at + 1 >= sql.size() || sql[at + 1] != close) {
        ++at;
        break;
      }
      ++at;
    }
    read.text += sql[at];
  }
  return read;
}

/// The end of a comment that starts at `at`, or `at`.
std::size_t skip_comment(std::string_view sql, std::size_t at) {
  const bool is_line = sql.substr(at, 2) == "--";
  if (!is_line && sql.substr(at, 2) != "/*") {
    return at;
  }
  const std::size_t end = is_line ? sql.find('\n', at) : sql.find("*/", at + 2);
  return end == std::string_view::npos ? sql.size() : end + (is_line ? 1 : 2);
}

std::vector<token> tokens_of(std::string_view sql) {
  std::vector<token> tokens;
  for (std::size_t at = 0; at < sql.size();) {
    const char c = sql[at];
    if (const std::size_t after = skip_comment(sql, at); after != at) {
      at = after;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
    } else if (c == '"' || c == '`' || c == '[' || c == '\'') {
      tokens.push_back(read_quoted(sql, at));
    } else if (is_word_part(c) || c == '.') {
      const std::size_t start = at;
      const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      for (++at; at < sql.size() && (is_word_part(sql[at]) || (number && sql[at] == '.'));) {
        ++at;
      }
      tokens.push_back({number ? token_kind::number : token_kind::word,
                        std::string(sql.substr(start, at - start))});
    } else {
      const std::size_t size = sql.substr(at, 2) == ">=" || sql.substr(at, 2) == "<=" ? 2 : 1;
      tokens.push_back({token_kind::sign, std::string(sql.substr(at, size))});
      at += size;
    }
  }
  return tokens;
}

/// The tokens between the parenthesis at `open` and its partner.
std::span<const token> inside(const std::vector<token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += tokens[i].is_sign("(") ? 1 : 0;
    depth -= tokens[i].is_sign(")") ? 1 : 0;
    if (depth == 0) {
      return std::span(tokens).subspan(open + 1, i - open - 1);
    }
  }
  return std::span(tokens).subspan(open + 1);
}

bool names(const token& each, const catalog_column& column) {
  return (each.kind == token_kind::word || each.kind == token_kind::name) &&
         token::equal_ignoring_case(each.text, column.name);
}

/// `column >= constant` or `column > constant`.
bool is_lower_bound(std::span<const token> expression) {
  if (expression.size() == 4 && (expression[2].is_sign("-") || expression[2].is_sign("+"))) {
    return is_lower_bound(std::vector{expression[0], expression[1], expression[3]});
  }
  return expression.size() == 3 &&
         (expression[0].kind == token_kind::word || expression[0].kind == token_kind::name) &&
         (expression[1].is_sign(">=") || expression[1].is_sign(">")) &&
         expression[2].kind == token_kind::number;
}

}  // namespace

std::vector<catalog_check> checks_in(std::string_view create_table,
                                     const std::vector<catalog_column>& columns) {
  const std::vector<token> tokens = tokens_of(create_table);
  std::vector<catalog_check> checks;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is("check") || !tokens[i + 1].is_sign("(")) {
      continue;
    }
    const auto expression = inside(tokens, i + 1);
    catalog_check check;
    if (i >= 2 && tokens[i - 2].is("constraint")) {
      check.name = tokens[i - 1].text;
    }
    for (const catalog_column& column : columns) {
      if (std::ranges::any_of(expression, [&](const token& each) { return names(each, column); })) {
        check.columns.push_back(column.name);
      }
    }
    check.lower_bound = check.columns.size() == 1 && is_lower_bound(expression);
    checks.push_back(std::move(check));
  }
  return checks;
}

bool has_deferred_key(std::string_view create_table) {
  const std::vector<token> tokens = tokens_of(create_table);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("initially") && tokens[i + 1].is("deferred")) {
      return true;
    }
  }
  return false;
}

bool runs_before_insert(std::string_view create_trigger) {
  for (const token& each : tokens_of(create_trigger)) {
    // The first of these words stands behind the trigger's name; without a time it is BEFORE.
    if (each.is("after") || each.is("delete") || each.is("update")) {
      return false;
    }
    if (each.is("insert")) {
      return true;
    }
  }
  return true;
}

}  // namespace pawl
