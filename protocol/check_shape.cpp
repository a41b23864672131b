#include "protocol/effect_list.hpp"

#include <algorithm>

namespace pawl {
namespace {

error disagree(std::string text) { return {fault::deployment, "catalog", std::move(text)}; }

std::string suggest(std::string_view given, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(given, known);
  return nearest.empty() ? std::string() : "; did you mean \"" + nearest + "\"?";
}

error unknown_table(const catalog& tables, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& entry : tables.tables) {
    known.push_back(entry.first);
  }
  return disagree("there is no table \"" + name + "\"" + suggest(name, known));
}

error unknown_column(const catalog_table& table, const std::string& name) {
  std::vector<std::string> known;
  for (const catalog_column& column : table.columns) {
    known.push_back(column.name);
  }
  return disagree("table \"" + table.name + "\" has no column \"" + name + "\"" +
                  suggest(name, known));
}

std::string join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    out.append(out.empty() ? "" : ", ").append(name);
  }
  return out;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A unique constraint that always decides and whose columns are all in `key`.
bool finds_one_row(const catalog_table& table, const std::vector<std::string>& key) {
  return std::any_of(table.uniques.begin(), table.uniques.end(), [&key](const auto& unique) {
    return !unique.partial && !unique.columns.empty() &&
           std::all_of(unique.columns.begin(), unique.columns.end(),
                       [&key](const std::string& column) { return contains(key, column); });
  });
}

std::optional<error> refuse_repeats(const effect_shape& shape) {
  std::vector<std::string> seen;
  const auto repeats = [&](const std::vector<std::string>& names) -> std::optional<error> {
    for (const std::string& name : names) {
      if (contains(seen, name)) {
        return disagree("column \"" + name + "\" of table \"" + shape.table + "\" is named twice");
      }
      seen.push_back(name);
    }
    return std::nullopt;
  };
  if (shape.kind != effect_kind::insert) {
    if (auto wrong = repeats(shape.key)) {
      return wrong;
    }
  }
  return repeats(shape.columns);
}

std::optional<error> check_key(const catalog_table& table, const effect_shape& shape) {
  const std::string kind(name_of(shape.kind));
  if (shape.key.empty()) {
    return disagree("`" + kind + "` of table \"" + table.name + "\" needs a key to find its row");
  }
  if (shape.columns.empty() && (shape.kind == effect_kind::set || shape.kind == effect_kind::add)) {
    return disagree("`" + kind + "` of table \"" + table.name + "\" writes no column");
  }
  const bool creates = shape.kind == effect_kind::upsert ||
                       (shape.kind == effect_kind::add && shape.missing == missing_row::create);
  if (creates && !finds_one_row(table, shape.key)) {
    return disagree("`" + kind + "` of table \"" + table.name + "\" by (" + join(shape.key) +
                    ") could create a row twice: no primary key or unique constraint is on these "
                    "columns; add one, or use `set`");
  }
  return std::nullopt;
}

std::optional<error> check_add(const catalog_table& table, const effect_shape& shape) {
  for (const std::string& name : shape.columns) {
    const catalog_column& column = *table.find(name);
    const bool number = column.type == column_type::integer ||
                        column.type == column_type::decimal || column.type == column_type::real;
    if (!number || !column.not_null) {
      return disagree("`add` needs a number that is NOT NULL (null plus 5 is null), but \"" + name +
                      "\" of table \"" + table.name + "\" is " + column.sql_type +
                      (column.not_null ? "" : " and may be null"));
    }
  }
  return std::nullopt;
}

std::optional<error> check_insert_columns(const catalog_table& table, const effect_shape& shape) {
  if (shape.columns.empty()) {
    return disagree("`insert` into table \"" + table.name + "\" writes no column");
  }
  if (table.before_insert_triggers) {
    return std::nullopt;  // a trigger may fill what is missing
  }
  for (const catalog_column& column : table.columns) {
    const bool needed = column.not_null && !column.has_default && !column.generated;
    if (needed && !contains(shape.columns, column.name)) {
      return disagree("`insert` into table \"" + table.name + "\" lacks column \"" + column.name +
                      "\", which is NOT NULL and has no default");
    }
  }
  return std::nullopt;
}

/// The named key of an `insert` must be one that the database decides by; as a guard, always.
std::optional<error> check_insert_key(policy pair, const catalog_table& table,
                                      const effect_shape& shape) {
  for (const std::string& name : shape.key) {
    if (!contains(shape.columns, name)) {
      return disagree("the unique key of `insert` into table \"" + table.name +
                      "\" names column \"" + name + "\", which the insert does not write");
    }
  }
  const auto named = std::find_if(
      table.uniques.begin(), table.uniques.end(), [&shape](const catalog_unique& unique) {
        return !unique.partial && std::is_permutation(unique.columns.begin(), unique.columns.end(),
                                                      shape.key.begin(), shape.key.end());
      });
  if (named == table.uniques.end()) {
    return disagree("table \"" + table.name + "\" has no unique constraint on exactly (" +
                    join(shape.key) + ") that covers all rows");
  }
  if (pair.dedupe != dedupe_policy::unique) {
    return std::nullopt;
  }
  if (named->deferrable) {
    return disagree("constraint \"" + named->name + "\" of table \"" + table.name +
                    "\" is deferrable, so it can't guard; make it NOT DEFERRABLE");
  }
  if (table.before_insert_triggers) {
    return disagree("table \"" + table.name +
                    "\" has a BEFORE INSERT trigger, which could change the guarding row");
  }
  for (const std::string& name : shape.key) {
    if (!table.find(name)->not_null) {
      return disagree("column \"" + name + "\" of the guarding key of table \"" + table.name +
                      "\" may be null, and null never conflicts; make it NOT NULL");
    }
  }
  return std::nullopt;
}

std::optional<error> check_rules(policy pair, const catalog_table& table,
                                 const effect_shape& shape) {
  if (auto wrong = refuse_repeats(shape)) {
    return wrong;
  }
  if (shape.kind == effect_kind::insert) {
    if (auto wrong = check_insert_columns(table, shape)) {
      return wrong;
    }
    return shape.key.empty() ? std::nullopt : check_insert_key(pair, table, shape);
  }
  if (auto wrong = check_key(table, shape)) {
    return wrong;
  }
  return shape.kind == effect_kind::add ? check_add(table, shape) : std::nullopt;
}

}  // namespace

result<checked_shape> check_shape(policy pair, const catalog& tables, shape_registry& shapes,
                                  effect_shape shape) {
  std::optional<refusal> refused = refuse(pair);
  if (!refused) {
    refused = refuse(pair, shape.kind);
  }
  if (refused) {
    return error{fault::refused, "policy",
                 std::string(refused->reason) + "; " + std::string(refused->fix)};
  }
  const catalog_table* table = tables.find(shape.table);
  if (table == nullptr) {
    return unknown_table(tables, shape.table);
  }
  checked_shape checked;
  const auto resolve = [&](const std::vector<std::string>& names,
                           bool written) -> std::optional<error> {
    for (const std::string& name : names) {
      const catalog_column* column = table->find(name);
      if (column == nullptr) {
        return unknown_column(*table, name);
      }
      if (written && column->generated) {
        return disagree("column \"" + name + "\" of table \"" + table->name +
                        "\" is computed by the database and can't be written");
      }
      checked.columns.push_back(column);
    }
    return std::nullopt;
  };
  if (shape.kind != effect_kind::insert) {
    if (auto wrong = resolve(shape.key, false)) {
      return *wrong;
    }
  }
  if (auto wrong = resolve(shape.columns, true)) {
    return *wrong;
  }
  if (auto wrong = check_rules(pair, *table, shape)) {
    return *wrong;
  }
  checked.shape = shapes.intern(std::move(shape));
  return checked;
}

}  // namespace pawl
