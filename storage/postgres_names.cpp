#include "storage/postgres_names.hpp"

#include <algorithm>
#include <cctype>

namespace pawl {

namespace {

/// The type without `(...)`. The bare words `character` and `bit` would mean a length of 1.
std::string without_length(std::string_view sql_type) {
  const auto open = sql_type.find('(');
  std::string bare(sql_type.substr(0, open));
  if (open != std::string_view::npos) {
    bare += sql_type.substr(std::min(sql_type.size(), sql_type.find(')', open) + 1));
  }
  if (bare == "character") {
    return "bpchar";
  }
  return bare == "bit" ? "\"bit\"" : bare;
}

bool casts_cut(std::string_view sql_type) {
  return sql_type.starts_with("character") || sql_type.starts_with("bit");
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

/// Where the parenthesis that `text` begins with is closed.
std::size_t closing(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    quoted = quoted != (c == '\'' || c == '"');
    if (!quoted && c == '(') {
      ++depth;
    } else if (!quoted && c == ')' && --depth == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

std::string_view unwrap(std::string_view text) {
  text = trim(text);
  while (text.starts_with('(') && closing(text) == text.size() - 1) {
    text = trim(text.substr(1, text.size() - 2));
  }
  return text;
}

/// The text before casts that end it.
std::string_view without_casts(std::string_view text) {
  for (text = unwrap(text);; text = unwrap(text)) {
    const auto at = text.rfind("::");
    if (at == std::string_view::npos) {
      return text;
    }
    const bool type_only =
        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at + 2), text.end(), [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                 std::string_view(" _,()\"").find(c) != std::string_view::npos;
        });
    if (!type_only) {
      return text;
    }
    text = text.substr(0, at);
  }
}

bool is_number(std::string_view text) {
  if (text.size() > 2 && text.starts_with('\'') && text.ends_with('\'')) {
    text = text.substr(1, text.size() - 2);
  }
  if (text.starts_with('-')) {
    text.remove_prefix(1);
  }
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
  });
}

}  // namespace

std::string quote_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') {
      quoted += '"';
    }
    quoted += c;
  }
  return quoted + '"';
}

std::string quote_table(std::string_view table) {
  const auto dot = table.find('.');
  return dot == std::string_view::npos
             ? quote_name(table)
             : quote_name(table.substr(0, dot)) + "." + quote_name(table.substr(dot + 1));
}

std::string parameter_type(const catalog_column& column) {
  return column.type == column_type::other ? "text" : without_length(column.sql_type);
}

std::string typed(const std::string& expression, const catalog_column& column) {
  return column.type == column_type::other
             ? "CAST(" + expression + " AS " + without_length(column.sql_type) + ")"
             : expression;
}

std::string as_stored(const std::string& expression, const catalog_column& column) {
  return casts_cut(column.sql_type) ? typed(expression, column)
                                    : "CAST(" + expression + " AS " + column.sql_type + ")";
}

bool is_lower_bound(std::string_view expression, std::string_view column) {
  expression = unwrap(expression);
  const auto at = expression.find(" >");
  if (at == std::string_view::npos) {
    return false;
  }
  const std::string_view left = without_casts(expression.substr(0, at));
  std::string_view right = expression.substr(at + 2);
  if (right.starts_with('=')) {
    right.remove_prefix(1);
  }
  if (!right.starts_with(' ') || (left != column && left != quote_name(column))) {
    return false;
  }
  return is_number(without_casts(right));
}

}  // namespace pawl
