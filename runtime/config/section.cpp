#include "runtime/config/section.hpp"

#include "protocol/catalog.hpp"
#include "protocol/invariant.hpp"
#include "runtime/config/scalar.hpp"

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

std::optional<std::int64_t> parse_number(option_type type, std::string_view text) {
  switch (type) {
    case option_type::integer:
      return parse_integer(text);
    case option_type::duration:
      return parse_duration(text);
    case option_type::bytes:
      return parse_bytes(text);
    case option_type::percent:
      return parse_percent(text);
    default:
      invariant(false, "a number was asked of an option that is none");
      return std::nullopt;
  }
}

std::string_view number_form(option_type type) {
  switch (type) {
    case option_type::duration:
      return "a duration: 500ms, 10s, 5m, 2h or 7d";
    case option_type::bytes:
      return "a number of bytes: 65536, 64KiB, 16MiB or 2GiB";
    case option_type::percent:
      return "a percentage with at most four decimals: 2% or 0.1%";
    default:
      return "an integer without leading zeros";
  }
}

std::string quote(std::string_view name) { return '`' + std::string(name) + '`'; }

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + quote(name);
  }
  return text;
}

}  // namespace

std::string suggest(std::string_view given, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(given, known);
  if (!nearest.empty()) {
    return "did you mean `" + nearest + "`?";
  }
  return known.empty() ? "remove it" : "known here: " + list_of(known);
}

std::optional<std::string> read_text(const yaml_node& node, std::string_view what,
                                     config_problems& problems) {
  if (node.broken) {
    return std::nullopt;
  }
  if (node.kind != yaml_kind::scalar || node.text.empty()) {
    problems.add(node.where, quote(what) + " is " + describe(node), "write a text");
    return std::nullopt;
  }
  return node.text;
}

std::optional<std::int64_t> read_number(const yaml_node& node, const config_option& option,
                                        config_problems& problems) {
  if (node.broken) {
    return std::nullopt;
  }
  const auto number =
      node.kind == yaml_kind::scalar ? parse_number(option.type, node.text) : std::nullopt;
  if (!number) {
    problems.add(node.where, quote(name_of(option)) + " is " + describe(node),
                 "write " + std::string(number_form(option.type)));
    return std::nullopt;
  }
  if (*number < option.minimum || *number > option.maximum) {
    problems.add(node.where, quote(name_of(option)) + " is " + describe(node),
                 "write " + format_number(option.type, option.minimum) + " to " +
                     format_number(option.type, option.maximum));
    return std::nullopt;
  }
  return number;
}

config_section::config_section(const yaml_node* node, option_table table, std::string prefix,
                               const file_position& where, config_problems& problems)
    : node_(node), table_(table), prefix_(std::move(prefix)), where_(where), problems_(&problems) {
  if (node_ != nullptr && node_->kind != yaml_kind::map) {
    if (!node_->broken) {
      problem(node_->where,
              (prefix_.empty() ? "the file" : quote(prefix_)) + " holds " + describe(*node_),
              "write a map with " + list_of(option_names(table_, prefix_)));
    }
    node_ = nullptr;
    return;
  }
  check_keys();
}

void config_section::check_keys() const {
  const std::vector<std::string> known = option_names(table_, prefix_);
  if (node_ != nullptr) {
    for (const yaml_entry& entry : node_->entries) {
      const config_option* found = find_option(table_, prefix_, entry.key);
      if (found == nullptr) {
        problem(entry.where, "unknown key " + quote(entry.key), suggest(entry.key, known));
      } else if (found->not_yet) {
        problem(entry.where, quote(entry.key) + " is not supported yet", std::string(found->text));
      }
    }
  }
  for (const config_option& each : table_) {
    const bool ours = find_option(table_, prefix_, name_of(each)) == &each;
    if (ours && each.required && (node_ == nullptr || node_->find(name_of(each)) == nullptr)) {
      problem(where_, quote(name_of(each)) + " is missing",
              "add `" + std::string(name_of(each)) + ":`: " + std::string(each.text));
    }
  }
}

const config_option& config_section::option(std::string_view name) const {
  const config_option* found = find_option(table_, prefix_, name);
  invariant(found != nullptr, "an option was read that is not declared");
  return *found;
}

const yaml_node* config_section::node(std::string_view name) const {
  const config_option& declared = option(name);
  const yaml_node* found = node_ == nullptr ? nullptr : node_->find(name_of(declared));
  return found == nullptr || found->broken ? nullptr : found;
}

const file_position& config_section::where(std::string_view name) const {
  const yaml_node* found = node(name);
  return found == nullptr ? where_ : found->where;
}

bool config_section::is(std::string_view name, yaml_kind kind, std::string_view wanted) const {
  const yaml_node* found = node(name);
  if (found == nullptr || found->kind == kind) {
    return found != nullptr;
  }
  problem(found->where, quote(name) + " is " + describe(*found), "write " + std::string(wanted));
  return false;
}

std::string config_section::text(std::string_view name) const {
  const config_option& declared = option(name);
  const yaml_node* found = node(name);
  const std::optional<std::string> given =
      found == nullptr ? std::nullopt : read_text(*found, name, *problems_);
  if (!given) {
    return std::string(declared.fallback);
  }
  if (declared.type == option_type::choice) {
    const std::vector<std::string> known = choices_of(declared);
    if (std::find(known.begin(), known.end(), *given) == known.end()) {
      problem(found->where, quote(name) + " is " + describe(*found),
              "write one of " + list_of(known));
      return std::string(declared.fallback);
    }
  }
  return *given;
}

std::int64_t config_section::number(std::string_view name) const {
  const config_option& declared = option(name);
  const yaml_node* found = node(name);
  if (found != nullptr) {
    if (const auto given = read_number(*found, declared, *problems_)) {
      return *given;
    }
  }
  const auto fallback = parse_number(declared.type, declared.fallback);
  return fallback.value_or(declared.minimum);
}

bool config_section::boolean(std::string_view name) const {
  const yaml_node* found = node(name);
  if (found != nullptr) {
    const auto given = found->kind == yaml_kind::scalar ? parse_boolean(found->text) : std::nullopt;
    if (given) {
      return *given;
    }
    problem(found->where, quote(name) + " is " + describe(*found), "write `true` or `false`");
  }
  return parse_boolean(option(name).fallback).value_or(false);
}

std::vector<std::string> config_section::texts(std::string_view name) const {
  const yaml_node* found = node(name);
  std::vector<std::string> given;
  if (found == nullptr) {
    return given;
  }
  const bool many = found->kind == yaml_kind::list;
  for (std::size_t i = 0; i < (many ? found->items.size() : 1); ++i) {
    if (auto each = read_text(many ? found->items[i] : *found, name, *problems_)) {
      given.push_back(std::move(*each));
    }
  }
  return given;
}

config_section config_section::section(std::string_view name) const {
  const config_option& declared = option(name);
  return {node(name), table_, std::string(declared.path), where(name), *problems_};
}

const std::vector<yaml_entry>& config_section::entries(std::string_view name) const {
  static const std::vector<yaml_entry> none;
  return is(name, yaml_kind::map, "a map: `name:` and what belongs to it below")
             ? node(name)->entries
             : none;
}

const std::vector<yaml_node>& config_section::items(std::string_view name) const {
  static const std::vector<yaml_node> none;
  return is(name, yaml_kind::list, "a list: an element a line, each behind `- `")
             ? node(name)->items
             : none;
}

}  // namespace pawl
