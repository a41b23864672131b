#pragma once

#include "protocol/json_plan.hpp"
#include "protocol/result.hpp"
#include "protocol/value.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace pawl {

/// A value where it stands in the payload: `text` is a string's characters, a decimal's digits, or
/// the raw text of an object or array, and lives until the next `read`. `absent`: nothing stands
/// there.
struct json_token {
  value_kind kind = value_kind::absent;
  std::int64_t number = 0;
  std::string_view text;

  [[nodiscard]] value to_value() const;
};

/// What stands where a `[*]` repeats.
enum class json_list : std::uint8_t { missing, no_list, list };

/// Reads a JSON object once, validates all of it, and keeps what its plan asks for. Strict: one
/// object and nothing after it; numbers by the grammar of RFC 8259; valid UTF-8, no lone
/// surrogates; a field name once per object, however it is escaped; nesting up to
/// `limits::json_depth_max`. Belongs to one thread; reuses its buffers.
class json_reader {
 public:
  explicit json_reader(json_plan plan);
  json_reader(json_reader&&) noexcept;
  json_reader& operator=(json_reader&&) noexcept;
  ~json_reader();

  /// `poison` if the payload is not such an object; the text says why and at which byte.
  [[nodiscard]] status read(std::string_view payload);

  /// What the last successful `read` found in a slot without `[*]`.
  [[nodiscard]] const json_token& token(std::size_t slot) const;
  /// The same for one element of the list of a slot with `[*]`.
  [[nodiscard]] const json_token& token(std::size_t slot, std::size_t element) const;
  [[nodiscard]] json_list list(std::size_t group) const;
  [[nodiscard]] std::size_t element_count(std::size_t group) const;
  [[nodiscard]] const json_plan& plan() const;

  /// A hash of the payload without what stands in this plan's slots. White space, the order of
  /// fields and the escaping of strings don't change it; `1` and `1.0` differ.
  [[nodiscard]] result<std::uint64_t> hash_without_slots(std::string_view payload);

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace pawl
