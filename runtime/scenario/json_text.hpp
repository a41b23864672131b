#pragma once

#include "protocol/path.hpp"
#include "protocol/value.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl {

/// `text` as a JSON string, quotes included. Bytes past ASCII are taken as UTF-8.
[[nodiscard]] std::string json_quote(std::string_view text);
/// A scalar as JSON; bytes as a string.
[[nodiscard]] std::string json_scalar(const value& scalar);

/// A JSON document that is written place by place. Fields keep the order of their first mention.
class json_tree {
 public:
  /// Puts `scalar` at the place of `steps`; `element` stands for `[*]`. What was there is replaced.
  void set(std::span<const path_step> steps, std::size_t element, const value& scalar);
  [[nodiscard]] std::string text() const;

 private:
  enum class what { object, array, scalar };
  what kind_ = what::object;
  std::string scalar_;
  std::vector<std::pair<std::string, json_tree>> fields_;
  std::vector<json_tree> items_;

  json_tree& field(const std::string& name);
  json_tree& item(std::size_t index);
};

}  // namespace pawl
