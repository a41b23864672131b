#include "protocol/value.hpp"

namespace pawl {

std::string value::to_text() const {
  switch (kind_) {
    case value_kind::absent:
    case value_kind::null:
      return {};
    case value_kind::boolean:
      return number_ != 0 ? "true" : "false";
    case value_kind::integer:
      return std::to_string(number_);
    case value_kind::decimal:
    case value_kind::text:
    case value_kind::bytes:
    case value_kind::json:
      return characters_;
  }
  return {};
}

}  // namespace pawl
