#include "runtime/scenario/json_text.hpp"

#include <fmt/format.h>

namespace pawl {

std::string json_quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

std::string json_scalar(const value& scalar) {
  switch (scalar.kind()) {
    case value_kind::absent:
    case value_kind::null:
      return "null";
    case value_kind::boolean:
      return scalar.number() != 0 ? "true" : "false";
    case value_kind::integer:
      return fmt::format("{}", scalar.number());
    case value_kind::decimal:
    case value_kind::json:
      return scalar.characters();
    case value_kind::text:
    case value_kind::bytes:
      break;
  }
  return json_quote(scalar.characters());
}

json_tree& json_tree::field(const std::string& name) {
  kind_ = what::object;
  for (auto& [known, tree] : fields_) {
    if (known == name) {
      return tree;
    }
  }
  return fields_.emplace_back(name, json_tree{}).second;
}

json_tree& json_tree::item(std::size_t index) {
  kind_ = what::array;
  if (items_.size() <= index) {
    items_.resize(index + 1);
  }
  return items_[index];
}

void json_tree::set(std::span<const path_step> steps, std::size_t element, const value& scalar) {
  json_tree* at = this;
  for (const path_step& step : steps) {
    switch (step.kind) {
      case path_step::what::name:
        at = &at->field(step.name);
        break;
      case path_step::what::index:
        at = &at->item(step.index);
        break;
      case path_step::what::each:
        at = &at->item(element);
        break;
    }
  }
  at->kind_ = what::scalar;
  at->scalar_ = json_scalar(scalar);
}

std::string json_tree::text() const {
  if (kind_ == what::scalar) {
    return scalar_;
  }
  std::string all = kind_ == what::array ? "[" : "{";
  bool first = true;
  for (const json_tree& one : items_) {
    all += first ? "" : ",";
    all += one.text();
    first = false;
  }
  for (const auto& [name, one] : fields_) {
    all += first ? "" : ",";
    all += json_quote(name) + ":" + one.text();
    first = false;
  }
  return all += kind_ == what::array ? "]" : "}";
}

}  // namespace pawl
