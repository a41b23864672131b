#pragma once

#include "protocol/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// Where a path starts reading.
enum class path_root : std::uint8_t { payload, header, meta, key, id, version };

/// One step into the payload: a field name, an array index, or `[*]`, which repeats per element.
struct path_step {
  enum class what : std::uint8_t { name, index, each };
  what kind = what::name;
  std::string name;
  std::uint32_t index = 0;
  friend bool operator==(const path_step&, const path_step&) = default;
};

/// A place in a message: `$.a.b`, `$.lines[*].sku`, `$.tags[0]`, `$header.x`, `$meta.offset`,
/// `$key`,
/// `$id`, `$version`; a minus sign in front negates the number read (`-$.quantity`).
/// `$meta` knows `source`, `partition`, `offset`. Field names may be quoted: `$['odd name']`.
/// At most one `[*]` a path.
struct path {
  path_root root = path_root::payload;
  std::vector<path_step> steps;  ///< payload steps; one name step for `header` and `meta`
  bool negated = false;
  std::string source;  ///< as written, for messages to a person

  /// Number of the steps up to and including `[*]`; 0 if there is none.
  [[nodiscard]] std::size_t each_prefix() const noexcept;
  friend bool operator==(const path&, const path&) = default;
};

/// Parses a path. Errors are `refused` with a text that says what is wrong and what a path looks
/// like; `code` holds the offset of the wrong character as digits.
[[nodiscard]] result<path> parse_path(std::string_view text);

}  // namespace pawl
