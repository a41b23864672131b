#pragma once

#include "runtime/config/position.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

enum class yaml_kind : std::uint8_t { null, scalar, list, map };

struct yaml_entry;

/// A node of a configuration file: plain data with the place it was written at. Owns what is below.
struct yaml_node {
  yaml_kind kind = yaml_kind::null;
  file_position where;
  std::string text;     ///< of a scalar, `${NAME}` replaced
  std::string written;  ///< of a scalar, as in the file: messages show this, it holds no secrets
  bool quoted = false;
  bool broken = false;  ///< a problem with it has been reported: readers pass over it in silence
  std::vector<yaml_node> items;     ///< of a list
  std::vector<yaml_entry> entries;  ///< of a map, in the file's order, without duplicates

  /// The value under `key`, or null.
  [[nodiscard]] const yaml_node* find(std::string_view key) const;
};

struct yaml_entry {
  std::string key;
  file_position where;  ///< of the key
  yaml_node value;
};

/// `a list`, `a map`, `nothing`, or the scalar in backquotes: for messages.
[[nodiscard]] std::string describe(const yaml_node& node);

}  // namespace pawl
