#include "protocol/catalog.hpp"

#include "protocol/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace pawl {
namespace {

std::string_view describe(value_kind kind) {
  switch (kind) {
    case value_kind::absent:
      return "nothing";
    case value_kind::null:
      return "null";
    case value_kind::boolean:
      return "a boolean";
    case value_kind::integer:
      return "an integer";
    case value_kind::decimal:
      return "a decimal number";
    case value_kind::text:
      return "text";
    case value_kind::bytes:
      return "bytes";
    case value_kind::json:
      return "an object or array";
  }
  return "nothing";
}

error mismatch(const value& given, const catalog_column& column, std::string_view why = {}) {
  std::string text = "column \"" + column.name + "\" (" + column.sql_type + ") can't take " +
                     std::string(describe(given.kind()));
  if (!why.empty()) {
    text.append(": ").append(why);
  }
  return {fault::poison, "type", std::move(text)};
}

bool is_number(const value& given) {
  return given.kind() == value_kind::integer || given.kind() == value_kind::decimal;
}

result<value> to_integer(const value& given, const catalog_column& column) {
  if (given.kind() != value_kind::integer) {
    return mismatch(given, column);
  }
  if (column.integer_bits < 64) {
    const std::int64_t limit = std::int64_t{1} << (column.integer_bits - 1);
    if (given.number() < -limit || given.number() >= limit) {
      return mismatch(given, column, given.to_text() + " is out of range");
    }
  }
  return given;
}

result<value> to_real(const value& given, const catalog_column& column) {
  if (!is_number(given)) {
    return mismatch(given, column);
  }
  const std::string digits = given.to_text();
  double number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) {
    return mismatch(given, column, "the number is out of range");
  }
  return given;
}

result<value> as_text(const value& given, const catalog_column& column) {
  std::string text = given.to_text();
  if (text.find('\0') != std::string::npos) {
    return mismatch(given, column, "it holds a NUL character");
  }
  if (!valid_utf8(text)) {
    return mismatch(given, column, "it is not valid UTF-8");
  }
  return value::text(std::move(text));
}

result<value> to_uuid(const value& given, const catalog_column& column) {
  constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  std::string text = given.characters();
  bool fits = given.kind() == value_kind::text && text.size() == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) {
    char& c = text[i];
    if (c >= 'A' && c <= 'F') {
      c = static_cast<char>(c - 'A' + 'a');
    }
    const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    fits = shape[i] == 'x' ? digit : c == '-';
  }
  if (!fits) {
    return mismatch(given, column, "a UUID looks like 0190f3a2-7c1e-7b44-9d55-0123456789ab");
  }
  return value::text(std::move(text));
}

std::string quote_json(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (code < 0x20U) {
      out.append("\\u00");
      out.push_back(digits[code >> 4U]);
      out.push_back(digits[code & 15U]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
  return out;
}

result<value> to_json(const value& given, const catalog_column& column) {
  if (given.kind() == value_kind::bytes) {
    return mismatch(given, column);
  }
  result<value> text = as_text(given, column);
  if (!text) {
    return text.error();
  }
  return value::json(given.kind() == value_kind::text ? quote_json(text->characters())
                                                      : text->characters());
}

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string lower(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return out;
}

}  // namespace

const catalog_column* catalog_table::find(std::string_view column) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(),
                   [column](const catalog_column& one) { return one.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

const catalog_table* catalog::find(std::string_view table) const {
  const auto found = tables.find(table);
  return found == tables.end() ? nullptr : &found->second;
}

result<value> coerce(const value& given, const catalog_column& column) {
  if (given.is_absent()) {
    return mismatch(given, column);
  }
  if (given.is_null()) {
    return column.not_null ? result<value>(mismatch(given, column, "it is NOT NULL"))
                           : result<value>(given);
  }
  const value_kind kind = given.kind();
  switch (column.type) {
    case column_type::integer:
      return to_integer(given, column);
    case column_type::decimal:
      return is_number(given) ? result<value>(given) : result<value>(mismatch(given, column));
    case column_type::real:
      return to_real(given, column);
    case column_type::text:
      return kind == value_kind::bytes || kind == value_kind::json ? mismatch(given, column)
                                                                   : as_text(given, column);
    case column_type::bytes:
      return kind == value_kind::bytes ? result<value>(given)
                                       : result<value>(mismatch(given, column));
    case column_type::boolean:
      return kind == value_kind::boolean ? result<value>(given)
                                         : result<value>(mismatch(given, column));
    case column_type::uuid:
      return to_uuid(given, column);
    case column_type::json:
      return to_json(given, column);
    case column_type::other:
      return kind == value_kind::text || is_number(given) ? as_text(given, column)
                                                          : result<value>(mismatch(given, column));
  }
  return mismatch(given, column);
}

std::string nearest_name(std::string_view given, const std::vector<std::string>& known) {
  const std::string wanted = lower(given);
  std::string best;
  // past a third of its letters a name is another name, not a slip
  std::size_t least = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(wanted, lower(name));
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

}  // namespace pawl
