#include "protocol/message.hpp"

#include <algorithm>

namespace pawl {

std::optional<std::string_view> message::header_value(std::string_view name) const {
  const auto found = std::find_if(headers.rbegin(), headers.rend(),
                                  [name](const header& one) { return one.name == name; });
  if (found == headers.rend()) {
    return std::nullopt;
  }
  return found->value;
}

}  // namespace pawl
