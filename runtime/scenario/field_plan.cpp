#include "runtime/scenario/field_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace pawl {
namespace {

/// Collects the places that a declared message reads, each once.
class field_collector {
 public:
  field_collector(const declared_message& declared, const catalog& tables)
      : declared_(declared), tables_(tables) {}

  std::vector<planned_field> collect() {
    const message_contract& contract = declared_.contract;
    for (const when_clause& clause : contract.when) {
      field(clause.where, field_role::constant).constant = clause.equals;
    }
    for (const path& part : contract.key) {
      field(part, field_role::key).prefix = prefix_of(part, contract.entity_type);
    }
    if (contract.version) {
      field(*contract.version, field_role::version).type = column_type::integer;
    }
    for (const path& part : contract.id) {
      field(part, field_role::unique).prefix = contract.type;
    }
    for (const declared_effect& effect : declared_.effects) {
      collect_effect(effect);
    }
    for (const path& read : contract.fingerprint_ignore) {
      field(read, field_role::plain);
    }
    return std::move(fields_);
  }

 private:
  planned_field& field(const path& where, field_role role) {
    const auto known = std::find_if(fields_.begin(), fields_.end(), [&](const planned_field& one) {
      return one.where.root == where.root && one.where.steps == where.steps;
    });
    if (known != fields_.end()) {
      known->role = std::min(known->role, role);
      return *known;
    }
    planned_field fresh;
    fresh.where = where;
    fresh.where.negated = false;
    fresh.role = role;
    return fields_.emplace_back(std::move(fresh));
  }

  void collect_effect(const declared_effect& effect) {
    const catalog_table* table = tables_.find(effect.table);
    for (const auto* columns : {&effect.key, &effect.values}) {
      for (const column_expression& column : *columns) {
        if (const path* read = std::get_if<path>(&column.from)) {
          set_type(*read, table != nullptr ? table->find(column.column) : nullptr);
        }
      }
    }
    make_unique(effect);
  }

  void set_type(const path& read, const catalog_column* column) {
    if (read.root == path_root::meta) {
      return;
    }
    for (planned_field* one : named_by(read)) {
      if (column != nullptr && one->role != field_role::version) {
        one->type = column->type;
        one->sql_type = column->sql_type;
        one->scale = std::clamp(column->scale.value_or(2), 0, 6);
      }
    }
  }

  /// The places behind a path: `$key` and `$id` stand for those of the contract.
  std::vector<planned_field*> named_by(const path& read) {
    const message_contract& contract = declared_.contract;
    const bool is_key = read.root == path_root::key;
    if (is_key || read.root == path_root::id) {
      const std::vector<path>& parts = is_key ? contract.key : contract.id;
      if (parts.size() != 1) {
        return {};
      }
      return {&field(parts.front(), is_key ? field_role::key : field_role::unique)};
    }
    if (read.root == path_root::version) {
      return {};
    }
    return {&field(read, field_role::plain)};
  }

  /// A guard's unique key must differ in every message, or distinct messages would be duplicates.
  void make_unique(const declared_effect& effect) {
    if (declared_.contract.pair != policies::unique || effect.unique.empty() || guarded_) {
      return;
    }
    guarded_ = true;
    for (const bool only_ids : {true, false}) {
      for (const column_expression& column : effect.values) {
        const path* read = std::get_if<path>(&column.from);
        const bool named = std::find(effect.unique.begin(), effect.unique.end(), column.column) !=
                           effect.unique.end();
        if (!named || read == nullptr || (only_ids && !ends_in_id(column.column))) {
          continue;
        }
        for (planned_field* one : named_by(*read)) {
          if (one->role == field_role::unique) {
            return;
          }
          if (one->role == field_role::plain && can_be_unique(one->type)) {
            one->role = field_role::unique;
            one->prefix = prefix_of(one->where, column.column);
            return;
          }
        }
      }
    }
  }

  static bool ends_in_id(const std::string& column) {
    return column == "id" || column.ends_with("_id") || column.ends_with("Id");
  }

  static bool can_be_unique(column_type type) {
    return type == column_type::text || type == column_type::integer || type == column_type::uuid ||
           type == column_type::decimal;
  }

  /// `$.lines[*].sku` gives `SKU`.
  static std::string prefix_of(const path& where, const std::string& otherwise) {
    std::string name = otherwise;
    for (const path_step& step : where.steps) {
      if (step.kind == path_step::what::name) {
        name = step.name;
      }
    }
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return name;
  }

  const declared_message& declared_;
  const catalog& tables_;
  std::vector<planned_field> fields_;
  bool guarded_ = false;
};

}  // namespace

result<std::vector<planned_field>> plan_fields(const declared_message& declared,
                                               const catalog& tables,
                                               const workload_config& workload) {
  std::vector<planned_field> fields = field_collector(declared, tables).collect();
  for (const auto& [text, hint] : workload.fields) {
    const result<path> parsed = parse_path(text);
    if (!parsed || (parsed->root != path_root::payload && parsed->root != path_root::header)) {
      return error{fault::refused, "fields",
                   fmt::format("{}: `{}` can't be generated: fields are named by a path into the "
                               "payload (`$.a.b`) or a header (`$header.x`)",
                               to_text(workload.where), text)};
    }
    auto known = std::find_if(fields.begin(), fields.end(), [&](const planned_field& one) {
      return one.where.root == parsed->root && one.where.steps == parsed->steps;
    });
    if (known == fields.end()) {
      planned_field extra;
      extra.where = *parsed;
      extra.type = hint.choices.empty() ? column_type::integer : column_type::text;
      known = fields.insert(fields.end(), std::move(extra));
    }
    planned_field& target = *known;
    if (target.role != field_role::plain) {
      return error{fault::refused, "fields",
                   fmt::format("{}: `{}` is a key, id, version or condition of {}: its values are "
                               "made so that they fit; leave it out of `fields`",
                               to_text(workload.where), text, declared.contract.type)};
    }
    target.hint = hint;
  }
  return fields;
}

}  // namespace pawl
