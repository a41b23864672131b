#include "runtime/config/declared_handler.hpp"

#include "runtime/config/scalar.hpp"

#include <utility>

namespace pawl {
namespace {

/// Keys and ids are kept as text; a column of integers takes the number that the text is.
value from_text(const std::string& text, bool as_number) {
  if (as_number) {
    if (const auto number = parse_integer(text)) {
      return value::integer(*number);
    }
  }
  return value::text(text);
}

value read_slot(const value_slot& slot, const addressed_message& message,
                const field_values* fields) {
  switch (slot.from) {
    case value_slot::origin::field:
      return (*fields)[slot.field];
    case value_slot::origin::key:
      return from_text(message.entity.key, slot.as_number);
    case value_slot::origin::id:
      return from_text(message.id, slot.as_number);
    case value_slot::origin::version:
      if (!message.version) {
        return value::null();
      }
      return value::integer(slot.negated ? -message.version->value : message.version->value);
    case value_slot::origin::constant:
      break;
  }
  return slot.constant;
}

std::vector<value> read_values(const bound_effect& effect, const addressed_message& message,
                               const field_values* fields) {
  std::vector<value> values;
  values.reserve(effect.slots.size());
  for (const value_slot& slot : effect.slots) {
    values.push_back(read_slot(slot, message, fields));
  }
  return values;
}

}  // namespace

void declared_handler::handle(const addressed_message& message,
                              const std::optional<std::string>& /*state*/, effect_list& out) const {
  for (const bound_effect& effect : effects_) {
    const field_values* first = message.elements.empty() ? nullptr : &message.elements.front();
    std::vector<value> values = read_values(effect, message, first);
    const std::size_t repeats = effect.repeats ? message.elements.size() : 1;
    if (repeats <= 1) {
      out.add(effect.checked, std::move(values));
      continue;
    }
    out.add(effect.checked, values);
    for (std::size_t i = 1; i < repeats; ++i) {
      std::vector<value> more = read_values(effect, message, &message.elements[i]);
      if (!effect.is_guard || more != values) {
        out.add(effect.checked, std::move(more));
      }
    }
  }
}

}  // namespace pawl
