#include "runtime/config/option.hpp"

#include "runtime/config/scalar.hpp"

#include <algorithm>

namespace pawl {
namespace {

std::string_view section_of(const config_option& option) {
  const std::size_t dot = option.path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : option.path.substr(0, dot);
}

std::string_view type_text(option_type type) {
  switch (type) {
    case option_type::text:
      return "text";
    case option_type::integer:
      return "integer";
    case option_type::boolean:
      return "`true`, `false`";
    case option_type::duration:
      return "duration";
    case option_type::bytes:
      return "bytes";
    case option_type::percent:
      return "percent";
    case option_type::path:
      return "path";
    case option_type::list:
      return "list";
    case option_type::map:
      return "map";
    case option_type::choice:
      break;
  }
  return "choice";
}

std::string value_text(const config_option& option) {
  if (option.type == option_type::choice) {
    std::string text;
    for (const std::string& each : choices_of(option)) {
      text += (text.empty() ? "`" : ", `") + each + '`';
    }
    return text;
  }
  std::string text(type_text(option.type));
  if (option.maximum > option.minimum) {
    text += ", " + format_number(option.type, option.minimum) + " to " +
            format_number(option.type, option.maximum);
  }
  return text;
}

std::string default_text(const config_option& option) {
  if (option.required) {
    return "required";
  }
  return option.fallback.empty() ? "" : '`' + std::string(option.fallback) + '`';
}

std::string meaning(const config_option& option) {
  const std::string text(option.text);
  return option.not_yet ? "Not yet: " + text + '.' : text;
}

}  // namespace

std::string_view name_of(const config_option& option) {
  return option.path.substr(option.path.rfind('.') + 1);  // npos + 1 is 0
}

const config_option* find_option(option_table table, std::string_view prefix,
                                 std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const config_option& option) {
    return section_of(option) == prefix && name_of(option) == name;
  });
  return found == table.end() ? nullptr : &*found;
}

std::vector<std::string> option_names(option_table table, std::string_view prefix) {
  std::vector<std::string> names;
  for (const config_option& option : table) {
    if (section_of(option) == prefix) {
      names.emplace_back(name_of(option));
    }
  }
  return names;
}

std::vector<std::string> choices_of(const config_option& option) {
  std::vector<std::string> choices;
  for (std::string_view rest = option.choices; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    choices.emplace_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return choices;
}

std::string format_number(option_type type, std::int64_t number) {
  switch (type) {
    case option_type::duration:
      return format_duration(number);
    case option_type::bytes:
      return format_bytes(number);
    case option_type::percent:
      return format_percent(number);
    default:
      return std::to_string(number);
  }
}

std::string option_reference(option_table table) {
  std::vector<std::string_view> sections;
  for (const config_option& option : table) {
    const std::string_view section = section_of(option);
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) {
      sections.push_back(section);
    }
  }
  std::string text;
  for (const std::string_view section : sections) {
    text += section.empty() ? "\n## At the top\n" : "\n## `" + std::string(section) + "`\n";
    text += "| option | value | default | what it does |\n|---|---|---|---|\n";
    for (const config_option& option : table) {
      if (section_of(option) == section) {
        text += "| `" + std::string(name_of(option)) + "` | " + value_text(option) + " | " +
                default_text(option) + " | " + meaning(option) + " |\n";
      }
    }
  }
  return text;
}

}  // namespace pawl
