#include "runtime/config/bind.hpp"

#include "runtime/config/check_effects.hpp"
#include "runtime/config/declared_handler.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace pawl {
namespace {

bool same_place(const path& left, const path& right) {
  return left.root == right.root && left.steps == right.steps && left.negated == right.negated;
}

/// The steps up to and including `[*]`.
std::vector<path_step> each_steps(const path& where) {
  const auto count = static_cast<std::ptrdiff_t>(where.each_prefix());
  return {where.steps.begin(), where.steps.begin() + count};
}

/// Binds one declared message. Lives as long as that takes.
class message_binder {
 public:
  message_binder(const declared_message& message, const bind_input& input,
                 config_problems& problems)
      : message_(message),
        input_(input),
        problems_(problems),
        contract_(std::make_unique<message_contract>(message.contract)) {
    for (const path& key : contract_->key) {
      if (key.each_prefix() > 0) {
        each_ = each_steps(key);
      }
    }
    rules_.pair = contract_->pair;
    rules_.tables = input.tables;
    rules_.known_tables = input.known_tables;
    rules_.integer_adds_only = input.store_kind == "sqlite";
    rules_.several_entities = !each_.empty();
  }

  handler_registration bind() {
    handler_registration registration;
    std::vector<bound_effect> effects;
    for (std::size_t i = 0; i < message_.effects.size(); ++i) {
      const declared_effect& declared = message_.effects[i];
      const bool is_guard = i == 0 && contract_->pair.dedupe == dedupe_policy::unique;
      if (!check(declared, is_guard)) {
        continue;
      }
      result<checked_shape> checked =
          check_shape(contract_->pair, *input_.tables, *input_.shapes, shape_of(declared));
      if (!checked) {
        continue;  // reported by check()
      }
      registration.shapes.push_back(checked->shape);
      if (is_keyed_by_entity(declared, *checked)) {
        registration.keyed_by_entity.push_back(checked->shape);
      }
      effects.push_back(bind_effect(declared, std::move(*checked), is_guard));
    }
    bind_fingerprint();
    registration.contract = std::move(contract_);
    registration.run = std::make_shared<declared_handler>(std::move(effects));
    return registration;
  }

 private:
  static std::vector<std::string> names(const std::vector<column_expression>& columns) {
    std::vector<std::string> out;
    for (const column_expression& each : columns) {
      out.push_back(each.column);
    }
    return out;
  }

  static std::vector<file_position> places(const std::vector<column_expression>& columns) {
    std::vector<file_position> out;
    for (const column_expression& each : columns) {
      out.push_back(each.where);
    }
    return out;
  }

  static effect_shape shape_of(const declared_effect& effect) {
    const bool inserts = effect.kind == effect_kind::insert;
    return {effect.kind, effect.table, inserts ? effect.unique : names(effect.key),
            names(effect.values), effect.missing};
  }

  [[nodiscard]] bool is_entity_key(const value_expression& from) const {
    const path* where = std::get_if<path>(&from);
    return where != nullptr &&
           (where->root == path_root::key ||
            (contract_->key.size() == 1 && same_place(*where, contract_->key.front())));
  }

  bool check(const declared_effect& declared, bool is_guard) {
    effect_to_check effect{shape_of(declared),
                           is_guard,
                           {},
                           declared.where,
                           declared.table_where,
                           places(declared.key),
                           places(declared.values)};
    for (const auto* columns : {&declared.key, &declared.values}) {
      for (const column_expression& each : *columns) {
        check_path(each);
        if (is_entity_key(each.from)) {
          effect.entity_columns.push_back(each.column);
        }
      }
    }
    if (!check_effect(rules_, effect, problems_)) {
      return false;
    }
    const catalog_table& table = *input_.tables->find(declared.table);
    bool fit = true;
    for (const auto* columns : {&declared.key, &declared.values}) {
      for (const column_expression& each : *columns) {
        fit = check_value(each, *table.find(each.column)) && fit;
      }
    }
    return fit;
  }

  void check_path(const column_expression& column) {
    const path* where = std::get_if<path>(&column.from);
    if (where == nullptr) {
      return;
    }
    if (where->each_prefix() > 0 && each_steps(*where) != each_) {
      problems_.add(column.value_where,
                    "`" + where->source + "` repeats over a list that `key` does not repeat over",
                    "take the key from the same list, or name one element: [0]");
    }
    if (where->root == path_root::version && !contract_->version) {
      problems_.add(column.value_where, "`" + where->source + "` is read, and no version declared",
                    "add `version:` with its path");
    }
  }

  /// A constant that the column can't take, or text where only numbers are added.
  bool check_value(const column_expression& expression, const catalog_column& column) {
    const value* constant = std::get_if<value>(&expression.from);
    if (constant == nullptr) {
      return true;
    }
    const result<value> fitted = coerce(*constant, column);
    if (!fitted) {
      problems_.add(expression.value_where, fitted.error().text, "");
    }
    return fitted.ok();
  }

  /// True if two entities never meet in a row: the whole key is `$key`, and what the column calls
  /// equal is equal as text too (UUIDs are written in two ways).
  [[nodiscard]] bool is_keyed_by_entity(const declared_effect& declared,
                                        const checked_shape& checked) const {
    return declared.key.size() == 1 && is_entity_key(declared.key.front().from) &&
           checked.columns.front()->canonical && checked.columns.front()->type != column_type::uuid;
  }

  bound_effect bind_effect(const declared_effect& declared, checked_shape checked, bool is_guard) {
    bound_effect effect;
    effect.is_guard = is_guard;
    for (const auto* columns : {&declared.key, &declared.values}) {
      for (const column_expression& each : *columns) {
        const catalog_column& column = *checked.columns[effect.slots.size()];
        effect.slots.push_back(bind_value(each, column));
        const path* where = std::get_if<path>(&each.from);
        effect.repeats = effect.repeats || (where != nullptr && where->each_prefix() > 0);
      }
    }
    effect.checked = std::move(checked);
    return effect;
  }

  value_slot bind_value(const column_expression& expression, const catalog_column& column) {
    value_slot slot;
    if (const value* constant = std::get_if<value>(&expression.from)) {
      slot.constant = coerce(*constant, column).value();
      return slot;
    }
    const path& where = std::get<path>(expression.from);
    slot.as_number = column.type == column_type::integer;
    slot.negated = where.negated;
    // The key has been read already: as text, or as the number that the column holds.
    const bool takes_key = column.type == column_type::text || slot.as_number;
    if (where.root == path_root::key || (takes_key && is_entity_key(expression.from))) {
      slot.from = value_slot::origin::key;
    } else if (where.root == path_root::id) {
      slot.from = value_slot::origin::id;
    } else if (where.root == path_root::version) {
      slot.from = value_slot::origin::version;
    } else {
      slot.from = value_slot::origin::field;
      slot.field = field_of(where, expression.optional);
    }
    return slot;
  }

  /// The field that reads `where`. It is optional only if all that read it say so.
  std::size_t field_of(const path& where, bool optional) {
    std::vector<field_path>& fields = contract_->fields;
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const field_path& each) {
      return same_place(each.where, where);
    });
    if (found != fields.end()) {
      found->optional = found->optional && optional;
      return static_cast<std::size_t>(found - fields.begin());
    }
    fields.push_back({where, optional});
    return fields.size() - 1;
  }

  void bind_fingerprint() {
    if (!contract_->fields.empty() && !contract_->fingerprint_ignore.empty()) {
      problems_.add(
          message_.where,
          "`fingerprint.ignore` is of no use here: only what the effects read is compared",
          "leave it out");
    }
    if (contract_->fields.empty() && contract_->fingerprint_ignore.empty()) {
      // The effects read the key alone. Compared as a whole, a payload that was serialized anew
      // would contradict itself.
      for (const path& key : contract_->key) {
        contract_->fields.push_back({key, false});
      }
    }
  }

  const declared_message& message_;
  const bind_input& input_;
  config_problems& problems_;
  std::unique_ptr<message_contract> contract_;
  effect_rules rules_;
  std::vector<path_step> each_;  // of the key; empty if it names one entity
};

}  // namespace

std::vector<std::string> tables_of(const node_config& config) {
  std::vector<std::string> tables;
  for (const declared_message& message : config.messages) {
    for (const declared_effect& effect : message.effects) {
      if (std::find(tables.begin(), tables.end(), effect.table) == tables.end()) {
        tables.push_back(effect.table);
      }
    }
  }
  return tables;
}

bound_handlers bind_handlers(const node_config& config, const bind_input& input) {
  bound_handlers bound;
  config_problems problems;
  for (const declared_message& message : config.messages) {
    bound.handlers.push_back(message_binder(message, input, problems).bind());
  }
  if (!problems.empty()) {
    bound.handlers.clear();
  }
  bound.problems = problems.take_sorted();
  return bound;
}

}  // namespace pawl
