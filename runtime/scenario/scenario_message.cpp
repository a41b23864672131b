#include "runtime/scenario/scenario_message.hpp"

#include <charconv>

namespace pawl {

std::optional<std::uint64_t> scenario_number(const message& received) {
  const auto text = received.header_value(scenario_number_header);
  std::uint64_t number = 0;
  if (!text ||
      std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc{}) {
    return std::nullopt;
  }
  return number;
}

}  // namespace pawl
