#include "storage/table_rules.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace pawl {
namespace {

using column_set = std::set<std::string, std::less<>>;

column_set as_set(const std::vector<std::string>& columns) {
  return {columns.begin(), columns.end()};
}

bool all_canonical(const catalog_table& table, const std::vector<std::string>& columns) {
  return std::all_of(columns.begin(), columns.end(), [&](const std::string& name) {
    const auto* column = table.find(name);
    return column != nullptr && column->canonical;
  });
}

/// The different lists of key columns that the shapes use.
std::set<std::vector<std::string>> keys_of(const std::vector<const effect_shape*>& shapes) {
  std::set<std::vector<std::string>> keys;
  for (const auto* shape : shapes) {
    if (!shape->key.empty()) {
      keys.insert(shape->key);
    }
  }
  return keys;
}

bool exact_keys(const catalog_table& table, const std::set<std::vector<std::string>>& keys) {
  if (!keys.empty()) {
    return std::all_of(keys.begin(), keys.end(),
                       [&](const auto& key) { return all_canonical(table, key); });
  }
  return std::all_of(table.uniques.begin(), table.uniques.end(), [&](const auto& unique) {
    return !unique.partial && all_canonical(table, unique.columns);
  });
}

bool keyed_by_one_entity_type(const rules_input& input,
                              const std::vector<const effect_shape*>& shapes) {
  std::optional<std::string> type;
  for (const auto* shape : shapes) {
    const auto keyed = input.keyed_by_entity.find(shape);
    if (keyed == input.keyed_by_entity.end() || keyed->second != type.value_or(keyed->second)) {
      return false;
    }
    type = keyed->second;
  }
  return type.has_value();
}

column_set guarded_columns(const catalog_table& table,
                           const std::set<std::vector<std::string>>& keys) {
  column_set guarded;
  for (const auto& unique : table.uniques) {
    if (unique.partial) {
      // Its condition or expression may read any column.
      for (const auto& column : table.columns) {
        guarded.insert(column.name);
      }
    } else if (keys.size() != 1 || as_set(unique.columns) != as_set(*keys.begin())) {
      guarded.insert(unique.columns.begin(), unique.columns.end());
    }
  }
  return guarded;
}

/// Columns that a constraint other than a check reads: a value in between could be refused.
column_set constrained_columns(const catalog& tables, const catalog_table& table) {
  column_set columns;
  for (const auto& unique : table.uniques) {
    columns.insert(unique.columns.begin(), unique.columns.end());
  }
  for (const auto& foreign : table.foreign_keys) {
    columns.insert(foreign.columns.begin(), foreign.columns.end());
  }
  for (const auto& [name, other] : tables.tables) {
    for (const auto& foreign : other.foreign_keys) {
      if (foreign.parent == table.name) {
        columns.insert(foreign.parent_columns.begin(), foreign.parent_columns.end());
      }
    }
  }
  return columns;
}

/// True where one write can't be told from several in the whole table.
bool table_folds(const catalog_table& table) {
  const auto hides = [](const catalog_unique& unique) { return unique.partial; };
  const auto unreadable = [](const catalog_check& check) { return check.columns.empty(); };
  const auto computed = [](const catalog_column& column) { return column.generated; };
  return !table.row_triggers && !table.before_insert_triggers && !table.exclusion &&
         std::none_of(table.uniques.begin(), table.uniques.end(), hides) &&
         std::none_of(table.checks.begin(), table.checks.end(), unreadable) &&
         std::none_of(table.columns.begin(), table.columns.end(), computed);
}

/// Every value that `coerce` lets through is one that the column takes, so that a value which never
/// reaches the database would have been taken too.
bool takes_all(const catalog_column& column) {
  switch (column.type) {
    case column_type::integer:
    case column_type::boolean:
    case column_type::bytes:
    case column_type::uuid:
      return true;
    case column_type::text:
      return column.sql_type == "text";
    case column_type::decimal:
    case column_type::real:
    case column_type::json:
    case column_type::other:
      return false;
  }
  return false;
}

void derive_folds(const catalog& tables, const catalog_table& table, table_rules& rules) {
  if (!table_folds(table)) {
    return;
  }
  auto constrained = constrained_columns(tables, table);
  column_set checked;
  for (const auto& check : table.checks) {
    checked.insert(check.columns.begin(), check.columns.end());
    if (!check.lower_bound) {
      constrained.insert(check.columns.begin(), check.columns.end());
    }
  }
  for (const auto& column : table.columns) {
    if (constrained.contains(column.name)) {
      continue;
    }
    const bool exact_sum = column.type == column_type::integer ||
                           (column.type == column_type::decimal && column.scale.has_value());
    if (exact_sum && column.not_null) {
      rules.add_folds.insert(column.name);
    }
    if (takes_all(column) && !checked.contains(column.name)) {
      rules.upsert_folds.insert(column.name);
    }
  }
}

/// Length of the longest chain of parents; a cycle counts once.
int depth_of(const catalog& tables, const catalog_table& table, column_set& path) {
  int depth = 0;
  if (!path.insert(table.name).second) {
    return depth;
  }
  for (const auto& foreign : table.foreign_keys) {
    const auto* parent = tables.find(foreign.parent);
    if (parent != nullptr && !path.contains(foreign.parent)) {
      depth = std::max(depth, depth_of(tables, *parent, path) + 1);
    }
  }
  path.erase(table.name);
  return depth;
}

bool cascades_from(const catalog& tables, const std::string& name) {
  return std::any_of(tables.tables.begin(), tables.tables.end(), [&](const auto& entry) {
    const auto& keys = entry.second.foreign_keys;
    return std::any_of(keys.begin(), keys.end(), [&](const auto& foreign) {
      return foreign.cascades && foreign.parent == name;
    });
  });
}

}  // namespace

std::map<std::string, table_rules, std::less<>> derive_rules(const rules_input& input) {
  std::map<std::string, table_rules, std::less<>> all;
  for (const auto& [name, table] : input.tables->tables) {
    table_rules rules;
    std::copy_if(input.shapes.begin(), input.shapes.end(), std::back_inserter(rules.shapes),
                 [&](const auto* shape) { return shape->table == name; });
    const auto keys = keys_of(rules.shapes);
    rules.exact_keys = exact_keys(table, keys);
    rules.is_private =
        rules.exact_keys && keys.size() == 1 && keyed_by_one_entity_type(input, rules.shapes);
    rules.one_by_one = table.row_triggers || table.before_insert_triggers || table.exclusion;
    rules.cascades = cascades_from(*input.tables, name);
    rules.guarded = guarded_columns(table, keys);
    derive_folds(*input.tables, table, rules);
    column_set path;
    rules.depth = depth_of(*input.tables, table, path);
    all.emplace(name, std::move(rules));
  }
  return all;
}

}  // namespace pawl
