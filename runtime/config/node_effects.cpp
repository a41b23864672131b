#include "runtime/config/expression.hpp"
#include "runtime/config/node_messages.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace pawl {
namespace {

constexpr std::string_view effect_section = "entities.*.messages.*.effects[]";

/// Reads one effect. Lives as long as that takes.
class effect_reader {
 public:
  effect_reader(const yaml_node& node, const config_section& message)
      : node_(&node),
        section_(&node, message.table(), std::string(effect_section), node.where,
                 message.problems()) {
    effect_.where = node.where;
  }

  std::optional<declared_effect> read(policy pair, bool policy_known) {
    if (!read_kind()) {
      return std::nullopt;
    }
    if (const auto refused = refuse(pair, effect_.kind); refused && policy_known) {
      section_.problem(effect_.where, std::string(refused->reason), std::string(refused->fix));
    }
    effect_.key = columns("key");
    effect_.values = columns("values");
    effect_.unique = section_.texts("unique");
    effect_.missing = section_.text("missing") == "fail" ? missing_row::fail : missing_row::create;
    check_parts();
    read_optional();
    check_unique();
    return std::move(effect_);
  }

 private:
  bool read_kind() {
    if (node_->kind != yaml_kind::map) {
      return false;
    }
    int kinds = 0;
    for (const effect_kind kind : all_effect_kinds) {
      const std::string name(name_of(kind));
      if (node_->find(name) == nullptr) {
        continue;
      }
      ++kinds;
      effect_.kind = kind;
      effect_.table = section_.text(name);
      effect_.table_where = section_.where(name);
    }
    const bool later = section_.has("sql") || section_.has("call") || section_.has("state");
    if (kinds != 1 && !later) {
      section_.problem(node_->where,
                       kinds == 0 ? "an effect that names no table" : "an effect of several kinds",
                       "write one of `upsert`, `insert`, `set`, `add` and `remove` with its table");
    }
    return kinds == 1;
  }

  std::vector<column_expression> columns(std::string_view name) {
    std::vector<column_expression> read;
    for (const yaml_entry& entry : section_.entries(name)) {
      if (auto from = read_expression(entry.value, section_.problems())) {
        read.push_back({entry.key, std::move(*from), false, entry.where, entry.value.where});
      }
    }
    return read;
  }

  void need(std::string_view name) {
    const yaml_node* found = section_.node(name);
    const bool there = node_->find(name) != nullptr;
    const bool empty = found != nullptr && found->kind == yaml_kind::map && found->entries.empty();
    if (!there || empty) {
      section_.problem(
          there ? found->where : effect_.where,
          "`" + std::string(name_of(effect_.kind)) + "` needs `" + std::string(name) + "`",
          "add `" + std::string(name) + ":` with columns and what goes into them");
    }
  }

  void refuse_part(std::string_view name, std::string fix) {
    if (section_.has(name)) {
      section_.problem(section_.where(name),
                       "`" + std::string(name) + "` does not belong to `" +
                           std::string(name_of(effect_.kind)) + "`",
                       std::move(fix));
    }
  }

  void check_parts() {
    const bool inserts = effect_.kind == effect_kind::insert;
    const bool removes = effect_.kind == effect_kind::remove;
    if (inserts) {
      refuse_part("key", "write its columns into `values`");
    } else {
      need("key");
      refuse_part("unique", "leave it out: the row is found by `key`");
    }
    if (removes) {
      refuse_part("values", "leave it out: the row is removed");
    } else if (effect_.kind != effect_kind::upsert) {
      need("values");
    }
    if (effect_.kind != effect_kind::add) {
      refuse_part("missing", "leave it out: only `add` has the choice");
    }
    for (const column_expression& column : effect_.key) {
      const value* constant = std::get_if<value>(&column.from);
      if (constant != nullptr && constant->is_null()) {
        section_.problem(column.value_where, "a key that is null finds no row",
                         "write a path or a constant");
      }
    }
  }

  void read_optional() {
    const std::vector<std::string> names = section_.texts("optional");
    for (const std::string& name : names) {
      const auto found =
          std::find_if(effect_.values.begin(), effect_.values.end(),
                       [&name](const column_expression& each) { return each.column == name; });
      if (found == effect_.values.end()) {
        section_.problem(section_.where("optional"),
                         "`optional` names `" + name + "`, which is not in `values`",
                         suggest(name, value_names()));
      } else if (!std::holds_alternative<path>(found->from)) {
        section_.problem(section_.where("optional"),
                         "`optional` names `" + name + "`, which is a constant",
                         "leave it out: a constant is never missing");
      } else {
        found->optional = true;
      }
    }
  }

  void check_unique() {
    for (const std::string& name : effect_.unique) {
      const auto found =
          std::find_if(effect_.values.begin(), effect_.values.end(),
                       [&name](const column_expression& each) { return each.column == name; });
      if (found == effect_.values.end()) {
        section_.problem(section_.where("unique"),
                         "`unique` names `" + name + "`, which is not in `values`",
                         suggest(name, value_names()));
      } else if (found->optional) {
        section_.problem(section_.where("optional"),
                         "`" + name + "` is part of the unique key and can't be optional",
                         "leave it out of `optional`");
      }
    }
  }

  [[nodiscard]] std::vector<std::string> value_names() const {
    std::vector<std::string> names;
    for (const column_expression& each : effect_.values) {
      names.push_back(each.column);
    }
    return names;
  }

  const yaml_node* node_;
  config_section section_;
  declared_effect effect_;
};

}  // namespace

std::vector<declared_effect> read_effects(const config_section& message, policy pair) {
  std::vector<declared_effect> effects;
  const bool policy_known = !message.text("dedupe").empty() && !refuse(pair).has_value();
  for (const yaml_node& item : message.items("effects")) {
    if (item.broken) {
      continue;
    }
    if (auto effect = effect_reader(item, message).read(pair, policy_known)) {
      effects.push_back(std::move(*effect));
    }
  }
  return effects;
}

}  // namespace pawl
