#include "protocol/decode_read.hpp"

#include "protocol/json_number.hpp"
#include "protocol/utf8.hpp"

#include <limits>
#include <utility>

namespace pawl {
namespace {

json_token text_token(std::string_view text) { return {value_kind::text, 0, text}; }

json_token read_header(const message& received, const std::string& name) {
  const auto given = received.header_value(name);
  if (!given) {
    return {};
  }
  return {valid_utf8(*given) ? value_kind::text : value_kind::bytes, 0, *given};
}

json_token read_meta(const message_origin& origin, const std::string& name) {
  if (name == "offset") {
    return {value_kind::integer, origin.position, {}};
  }
  return text_token(name == "source" ? origin.source : origin.partition);
}

/// A key or id read by one path keeps its kind, so that an integer fits an integer column.
json_token read_single(const std::vector<bound_path>& parts, const std::string& whole,
                       std::size_t element, const read_context& context) {
  if (parts.size() == 1) {
    const json_token token = read_token(parts[0], element, context);
    if (token.kind == value_kind::integer) {
      return token;
    }
  }
  return text_token(whole);
}

json_token read_any(const bound_contract& contract, const bound_path& bound, std::size_t element,
                    const read_context& context) {
  switch (bound.where->root) {
    case path_root::payload:
    case path_root::header:
    case path_root::meta:
      break;
    case path_root::key:
      return read_single(contract.key, context.pair->entity.key, element, context);
    case path_root::id:
      return read_single(contract.id, context.pair->id, element, context);
    case path_root::version:
      return context.pair->version
                 ? json_token{value_kind::integer, context.pair->version->value, {}}
                 : json_token{};
  }
  return read_token(bound, element, context);
}

std::string_view describe(value_kind kind) {
  switch (kind) {
    case value_kind::absent:
      return "is missing";
    case value_kind::null:
      return "is null";
    case value_kind::boolean:
      return "is a boolean";
    case value_kind::integer:
      return "is an integer";
    case value_kind::decimal:
      return "is a number with a fraction, an exponent or over 64 bits";
    case value_kind::text:
      return "is text";
    case value_kind::bytes:
      return "is not valid UTF-8";
    case value_kind::json:
      return "is an object or array";
  }
  return "is missing";
}

std::string quoted(const bound_path& bound) { return "`" + bound.where->source + "` "; }

void append_escaped(std::string& out, std::string_view part) {
  for (const char c : part) {
    if (c == '/' || c == '\\') {
      out.push_back('\\');
    }
    out.push_back(c);
  }
}

result<value> negate(const json_token& token, const bound_path& bound) {
  if (token.kind == value_kind::integer) {
    return token.number == std::numeric_limits<std::int64_t>::min()
               ? value::decimal("9223372036854775808")
               : value::integer(-token.number);
  }
  if (token.kind == value_kind::decimal) {
    std::string digits(token.text);
    if (digits.front() == '-') {
      digits.erase(0, 1);
    } else {
      digits.insert(0, 1, '-');
    }
    const json_number read = read_json_number(digits);  // the lowest integer may come out
    return read.kind == json_number_kind::integer ? value::integer(read.number)
                                                  : value::decimal(std::move(digits));
  }
  return error{
      fault::poison, "field",
      quoted(bound) + std::string(describe(token.kind)) + ", and only a number is negated"};
}

}  // namespace

json_token read_token(const bound_path& bound, std::size_t element, const read_context& context) {
  switch (bound.where->root) {
    case path_root::payload:
      return bound.group == json_plan::none ? context.reader->token(bound.slot)
                                            : context.reader->token(bound.slot, element);
    case path_root::header:
      return read_header(*context.received, bound.where->steps[0].name);
    case path_root::meta:
      return read_meta(context.received->origin, bound.where->steps[0].name);
    case path_root::key:
    case path_root::id:
    case path_root::version:
      break;
  }
  return {};
}

std::optional<text_fault> read_text(const std::vector<bound_path>& parts, std::size_t element,
                                    const read_context& context, std::string& out) {
  out.clear();
  for (const bound_path& part : parts) {
    const json_token token = read_token(part, element, context);
    if (token.kind != value_kind::text && token.kind != value_kind::integer) {
      const bool nothing = token.kind == value_kind::absent || token.kind == value_kind::null;
      return text_fault{nothing, quoted(part) + std::string(describe(token.kind)) +
                                     "; it takes text or an integer"};
    }
    if (token.kind == value_kind::text && token.text.empty()) {
      return text_fault{true, quoted(part) + "is empty"};
    }
    if (&part != &parts.front()) {
      out.push_back('/');
    }
    if (token.kind == value_kind::integer) {
      out.append(std::to_string(token.number));
    } else if (parts.size() == 1) {
      out.append(token.text);
    } else {
      append_escaped(out, token.text);
    }
  }
  if (out.empty()) {
    return text_fault{true, "has no path"};
  }
  return std::nullopt;
}

result<message_version> read_version(const bound_path& bound, std::size_t element,
                                     const read_context& context) {
  json_token token = read_token(bound, element, context);
  if (bound.where->root == path_root::header && token.kind == value_kind::text) {
    const json_number read = read_json_number(token.text);  // a header can only hold text
    if (read.kind == json_number_kind::integer) {
      token = {value_kind::integer, read.number, {}};
    }
  }
  if (token.kind != value_kind::integer || token.number < 0) {
    const bool negative = token.kind == value_kind::integer;
    return error{fault::poison, "version",
                 "the version " + quoted(bound) +
                     (negative ? "is negative" : std::string(describe(token.kind))) +
                     "; it takes an integer from 0 to 9223372036854775807"};
  }
  return message_version{token.number};
}

result<value> read_field(const bound_contract& bound, std::size_t index, std::size_t element,
                         const read_context& context) {
  const bound_path& field = bound.fields[index];
  const json_token token = read_any(bound, field, element, context);
  if (token.kind == value_kind::absent) {
    if (bound.contract->fields[index].optional) {
      return value::absent();
    }
    return error{fault::poison, "field", quoted(field) + "is missing"};
  }
  if (token.kind == value_kind::bytes) {
    return error{fault::poison, "field", quoted(field) + std::string(describe(token.kind))};
  }
  if (field.where->negated && token.kind != value_kind::null) {
    return negate(token, field);
  }
  return token.to_value();
}

std::optional<error> check_text(std::string_view text, std::string_view what,
                                std::size_t bytes_max) {
  std::string why;
  if (text.size() > bytes_max) {
    why = "has " + std::to_string(text.size()) + " bytes, more than " + std::to_string(bytes_max);
  } else if (text.find('\0') != std::string_view::npos) {
    why = "holds a NUL character";
  } else if (!valid_utf8(text)) {
    why = "is not valid UTF-8";
  }
  if (why.empty()) {
    return std::nullopt;
  }
  return error{fault::poison, std::string(what), "the " + std::string(what) + " " + why};
}

}  // namespace pawl
