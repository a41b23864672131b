#pragma once

#include "protocol/ids.hpp"
#include "protocol/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl {

/// Writes a PostgreSQL array literal, one element after the other: a set of rows travels as one
/// array per column. Owned by whoever builds a statement's parameters; used once.
class array_literal {
 public:
  explicit array_literal(std::size_t elements = 0) { text_.reserve(2 + elements * 12); }

  void add_null();
  void add(std::int64_t number);
  void add_truth(bool truth);
  /// Quoted, so that no character of it is special.
  void add(std::string_view text);
  void add(const ledger_key& key);
  void add(fingerprint content) { add(static_cast<std::int64_t>(content.value)); }
  void add_bytes(std::string_view bytes);
  void add(const value& given);
  void add(const std::string& text) { add(std::string_view(text)); }

  template <class Tag, class Rep>
  void add(strong<Tag, Rep> number) {
    add(static_cast<std::int64_t>(number.value));
  }
  template <class T>
  void add_optional(const std::optional<T>& given) {
    if (given) {
      add(*given);
    } else {
      add_null();
    }
  }

  /// The finished literal; the writer is empty afterwards.
  [[nodiscard]] std::string take();

 private:
  void separate();

  std::string text_ = "{";
};

/// `\x` and two digits a byte, as PostgreSQL reads bytea.
[[nodiscard]] std::string bytea_literal(std::string_view bytes);
/// Back from what PostgreSQL answers for a bytea (under `bytea_output = hex`).
[[nodiscard]] std::string bytes_from_hex(std::string_view literal);

/// The canonical text of a key as a uuid, and back from it.
[[nodiscard]] std::string uuid_text(const ledger_key& key);
[[nodiscard]] ledger_key ledger_key_from_uuid(std::string_view text);

}  // namespace pawl
