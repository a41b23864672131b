#include "storage/shape_facts.hpp"

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

bool contains(const std::vector<std::string>& columns, const std::string& name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

bool all_canonical(const catalog_table& table, const std::vector<std::string>& columns) {
  return std::all_of(columns.begin(), columns.end(), [&](const std::string& name) {
    const auto* column = table.find(name);
    return column != nullptr && column->canonical;
  });
}

/// Position of a column in an effect's values.
std::optional<std::size_t> position_in(const effect_shape& shape, const std::string& column) {
  std::size_t at = 0;
  if (shape.kind != effect_kind::insert) {
    for (const auto& name : shape.key) {
      if (name == column) {
        return at;
      }
      ++at;
    }
  }
  for (const auto& name : shape.columns) {
    if (name == column) {
      return at;
    }
    ++at;
  }
  return std::nullopt;
}

}  // namespace

shape_book::shape_book(const catalog* tables,
                       const std::map<std::string, table_rules, std::less<>>* rules, bool folds)
    : tables_(tables), rules_(rules), folds_(folds) {}

shape_facts& shape_book::of(const effect_shape* shape) {
  if (shape == last_shape_) {
    return *last_facts_;
  }
  auto found = shape_facts_.find(shape);
  if (found == shape_facts_.end()) {
    found = shape_facts_.emplace(shape, study(shape)).first;
  }
  last_shape_ = shape;
  last_facts_ = found->second.get();
  return *last_facts_;
}

table_facts& shape_book::table_of(const std::string& name) {
  auto& slot = table_facts_[name];
  if (slot != nullptr) {
    return *slot;
  }
  slot = std::make_unique<table_facts>();
  auto& facts = *slot;
  facts.table = tables_ != nullptr ? tables_->find(name) : nullptr;
  if (const auto rules = rules_->find(name); facts.table != nullptr && rules != rules_->end()) {
    facts.rules = &rules->second;
    for (const auto& [other, table] : tables_->tables) {
      bool refers = false;
      for (const auto& foreign : table.foreign_keys) {
        if (foreign.parent == name) {
          target_of(facts, foreign.parent_columns);
          refers = true;
        }
      }
      if (refers) {
        facts.children.push_back(&table_of(other));
      }
    }
  }
  return facts;
}

reference_target* shape_book::target_of(table_facts& parent,
                                        const std::vector<std::string>& columns) {
  for (const auto& known : parent.targets) {
    if (known->columns == columns) {
      return known.get();
    }
  }
  auto target = std::make_unique<reference_target>();
  target->parent = &parent;
  target->columns = columns;
  target->exact = parent.table != nullptr && all_canonical(*parent.table, columns);
  parent.targets.push_back(std::move(target));
  return parent.targets.back().get();
}

std::unique_ptr<shape_facts> shape_book::study(const effect_shape* shape) {
  auto facts = std::make_unique<shape_facts>();
  facts->shape = shape;
  facts->table = &table_of(shape->table);
  for (const auto& column : shape->key) {
    if (const auto at = position_in(*shape, column)) {
      facts->key_at.push_back(*at);
    }
  }
  facts->creates = shape->kind == effect_kind::insert ||
                   ((shape->kind == effect_kind::upsert || shape->kind == effect_kind::add) &&
                    shape->missing == missing_row::create);
  const auto* table = facts->table->table;
  const auto* rules = facts->table->rules;
  if (rules == nullptr) {
    facts->alone = true;
    return facts;
  }
  facts->exact_key = !shape->key.empty() && rules->exact_keys && all_canonical(*table, shape->key);
  facts->writes_guarded = std::any_of(shape->columns.begin(), shape->columns.end(),
                                      [&](const auto& c) { return rules->guarded.contains(c); });
  const bool known =
      std::find(rules->shapes.begin(), rules->shapes.end(), shape) != rules->shapes.end();
  facts->shared = shape->kind != effect_kind::insert && !(rules->is_private && known);
  facts->alone =
      rules->one_by_one ||
      (rules->cascades && (shape->kind == effect_kind::remove ||
                           (facts->writes_guarded && shape->kind != effect_kind::insert)));
  study_folds(*facts);
  study_references(*facts);
  study_targets(*facts);
  if (known && shape->kind == effect_kind::insert && !shape->key.empty()) {
    facts->compared = compared_columns(*facts);
  }
  return facts;
}

void shape_book::study_folds(shape_facts& facts) const {
  const auto& shape = *facts.shape;
  const auto& rules = *facts.table->rules;
  if (!folds_ || facts.alone || !facts.exact_key) {
    return;
  }
  const auto all_in = [&](const auto& foldable) {
    return std::all_of(shape.columns.begin(), shape.columns.end(),
                       [&](const std::string& column) { return foldable.contains(column); });
  };
  facts.folds_last = (shape.kind == effect_kind::upsert || shape.kind == effect_kind::set) &&
                     all_in(rules.upsert_folds);
  facts.folds_add = shape.kind == effect_kind::add && all_in(rules.add_folds);
  for (std::size_t i = 0; facts.folds_add && i < shape.columns.size(); ++i) {
    const auto* column = facts.table->table->find(shape.columns[i]);
    const bool whole = column->type == column_type::integer;
    facts.sums.push_back(
        {shape.key.size() + i, column->scale.value_or(0), whole ? column->integer_bits : 64});
  }
}

void shape_book::study_references(shape_facts& facts) {
  const auto& shape = *facts.shape;
  if (shape.kind == effect_kind::remove) {
    return;
  }
  for (const auto& foreign : facts.table->table->foreign_keys) {
    shape_reference reference{target_of(table_of(foreign.parent), foreign.parent_columns), {}};
    std::size_t by_default = 0;
    for (const auto& name : foreign.columns) {
      const auto at = position_in(shape, name);
      const auto* column = facts.table->table->find(name);
      if (at.has_value()) {
        reference.at.push_back(*at);
      } else if (facts.creates && column != nullptr && column->has_default) {
        ++by_default;
      }
    }
    if (reference.at.empty() && by_default == 0) {
      continue;
    }
    const bool exact = reference.target->exact && reference.at.size() == foreign.columns.size() &&
                       all_canonical(*facts.table->table, foreign.columns);
    if (!exact) {
      reference.at.clear();
    }
    facts.references.push_back(std::move(reference));
  }
}

void shape_book::study_targets(shape_facts& facts) {
  for (const auto& target : facts.table->targets) {
    std::vector<std::size_t> at;
    for (const auto& name : target->columns) {
      if (const auto position = position_in(*facts.shape, name)) {
        at.push_back(*position);
      }
    }
    if (!target->exact || at.size() != target->columns.size()) {
      at.clear();
    }
    facts.target_at.push_back(std::move(at));
  }
}

std::vector<std::string> shape_book::compared_columns(const shape_facts& facts) {
  std::vector<std::string> compared;
  for (const auto& name : facts.shape->columns) {
    const auto* column = facts.table->table->find(name);
    const bool has_equality = column != nullptr && column->type != column_type::json &&
                              column->type != column_type::other;
    const bool written_otherwise =
        std::any_of(facts.table->rules->shapes.begin(), facts.table->rules->shapes.end(),
                    [&](const effect_shape* other) {
                      return other != facts.shape && contains(other->columns, name);
                    });
    if (has_equality && !written_otherwise && !contains(facts.shape->key, name)) {
      compared.push_back(name);
    }
  }
  return compared;
}

}  // namespace pawl
