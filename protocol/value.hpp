#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace pawl {

/// What a value is. `absent` is a missing optional field; it never reaches a store.
enum class value_kind : std::uint8_t { absent, null, boolean, integer, decimal, text, bytes, json };

/// A scalar between a message and a column. Numbers that are not 64-bit integers keep their exact
/// text (`decimal`), objects and arrays theirs (`json`), so nothing is rounded on the way.
class value {
 public:
  value() = default;
  [[nodiscard]] static value absent() { return value(value_kind::absent, 0, {}); }
  [[nodiscard]] static value null() { return value(); }
  [[nodiscard]] static value boolean(bool b) { return value(value_kind::boolean, b ? 1 : 0, {}); }
  [[nodiscard]] static value integer(std::int64_t n) { return value(value_kind::integer, n, {}); }
  [[nodiscard]] static value decimal(std::string digits) {
    return value(value_kind::decimal, 0, std::move(digits));
  }
  [[nodiscard]] static value text(std::string s) {
    return value(value_kind::text, 0, std::move(s));
  }
  [[nodiscard]] static value bytes(std::string b) {
    return value(value_kind::bytes, 0, std::move(b));
  }
  [[nodiscard]] static value json(std::string raw) {
    return value(value_kind::json, 0, std::move(raw));
  }

  [[nodiscard]] value_kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is_null() const noexcept { return kind_ == value_kind::null; }
  [[nodiscard]] bool is_absent() const noexcept { return kind_ == value_kind::absent; }
  /// The number of an `integer`, 1 or 0 of a `boolean`.
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }
  /// The characters of a `decimal`, `text`, `bytes` or `json`.
  [[nodiscard]] const std::string& characters() const noexcept { return characters_; }
  /// As text: digits, `true`/`false`, or the characters. Empty for null and absent.
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(const value&, const value&) = default;

 private:
  value(value_kind kind, std::int64_t number, std::string characters)
      : kind_(kind), number_(number), characters_(std::move(characters)) {}

  value_kind kind_ = value_kind::null;
  std::int64_t number_ = 0;
  std::string characters_;
};

}  // namespace pawl
