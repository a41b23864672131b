#include "storage/postgres_array.hpp"

#include <array>
#include <charconv>

namespace pawl {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

void append_hex(std::string& out, std::uint8_t byte) {
  out += digits[byte >> 4U];
  out += digits[byte & 15U];
}

std::uint8_t nibble(char digit) {
  if (digit >= '0' && digit <= '9') {
    return static_cast<std::uint8_t>(digit - '0');
  }
  return static_cast<std::uint8_t>((digit | 0x20) - 'a' + 10);
}

std::uint8_t byte_at(std::string_view hex, std::size_t at) {
  return static_cast<std::uint8_t>((nibble(hex[at]) << 4U) | nibble(hex[at + 1]));
}

}  // namespace

void array_literal::separate() {
  if (text_.size() > 1) {
    text_ += ',';
  }
}

void array_literal::add_null() {
  separate();
  text_ += "NULL";
}

void array_literal::add(std::int64_t number) {
  separate();
  std::array<char, 20> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  text_.append(buffer.data(), end);
}

void array_literal::add_truth(bool truth) {
  separate();
  text_ += truth ? 't' : 'f';
}

void array_literal::add(std::string_view text) {
  separate();
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
    }
    text_ += c;
  }
  text_ += '"';
}

void array_literal::add(const ledger_key& key) {
  separate();
  for (const std::uint8_t byte : key.bytes) {
    append_hex(text_, byte);
  }
}

void array_literal::add_bytes(std::string_view bytes) {
  separate();
  text_ += "\"\\\\x";
  for (const char c : bytes) {
    append_hex(text_, static_cast<std::uint8_t>(c));
  }
  text_ += '"';
}

void array_literal::add(const value& given) {
  switch (given.kind()) {
    case value_kind::absent:
    case value_kind::null:
      add_null();
      break;
    case value_kind::boolean:
      add_truth(given.number() != 0);
      break;
    case value_kind::integer:
      add(given.number());
      break;
    case value_kind::bytes:
      add_bytes(given.characters());
      break;
    case value_kind::decimal:
    case value_kind::text:
    case value_kind::json:
      add(std::string_view(given.characters()));
      break;
  }
}

std::string array_literal::take() {
  text_ += '}';
  std::string finished = std::move(text_);
  text_ = "{";
  return finished;
}

std::string bytea_literal(std::string_view bytes) {
  std::string literal = "\\x";
  literal.reserve(2 + bytes.size() * 2);
  for (const char c : bytes) {
    append_hex(literal, static_cast<std::uint8_t>(c));
  }
  return literal;
}

std::string bytes_from_hex(std::string_view literal) {
  std::string bytes;
  bytes.reserve(literal.size() / 2);
  for (std::size_t at = 2; at + 1 < literal.size(); at += 2) {
    bytes += static_cast<char>(byte_at(literal, at));
  }
  return bytes;
}

std::string uuid_text(const ledger_key& key) {
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    append_hex(text, key.bytes[i]);
  }
  return text;
}

ledger_key ledger_key_from_uuid(std::string_view text) {
  ledger_key key;
  std::size_t at = 0;
  for (std::uint8_t& byte : key.bytes) {
    if (at < text.size() && text[at] == '-') {
      ++at;
    }
    if (at + 1 >= text.size()) {
      break;
    }
    byte = byte_at(text, at);
    at += 2;
  }
  return key;
}

}  // namespace pawl
