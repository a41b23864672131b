#include "runtime/config/yaml_node.hpp"

namespace pawl {

const yaml_node* yaml_node::find(std::string_view key) const {
  for (const yaml_entry& entry : entries) {
    if (entry.key == key) {
      return &entry.value;
    }
  }
  return nullptr;
}

std::string describe(const yaml_node& node) {
  switch (node.kind) {
    case yaml_kind::null:
      return "nothing";
    case yaml_kind::list:
      return "a list";
    case yaml_kind::map:
      return "a map";
    case yaml_kind::scalar:
      break;
  }
  return '`' + node.written + '`';
}

}  // namespace pawl
