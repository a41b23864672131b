#include "storage/sqlite_effects.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pawl {

namespace {

/// `"a" = ?1 AND "b" = ?2`
std::string key_condition(const std::vector<std::string>& key) {
  std::string text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    text += fmt::format("{}{} = ?{}", i == 0 ? "" : " AND ", quoted(key[i]), i + 1);
  }
  return text;
}

std::string name_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + quoted(name);
  }
  return text;
}

std::string insert_into(const std::string& table, const std::vector<std::string>& columns) {
  std::string places;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    places += fmt::format("{}?{}", i == 0 ? "" : ", ", i + 1);
  }
  return fmt::format("INSERT OR ABORT INTO {}({}) VALUES({})", table, name_list(columns), places);
}

std::string update_of(const effect_shape& shape, const std::string& table) {
  const bool adds = shape.kind == effect_kind::add;
  std::string assignments;
  std::string condition = key_condition(shape.key);
  for (std::size_t i = 0; i < shape.columns.size(); ++i) {
    const std::string column = quoted(shape.columns[i]);
    const std::size_t place = shape.key.size() + i + 1;
    assignments +=
        fmt::format("{}{} = {}?{}", i == 0 ? "" : ", ", column, adds ? column + " + " : "", place);
    if (adds) {
      // Outside STRICT tables a sum past 64 bits becomes a REAL, and NULL stays NULL.
      condition += fmt::format(" AND typeof({} + ?{}) = 'integer'", column, place);
    }
  }
  if (assignments.empty()) {
    assignments = fmt::format("{0} = {0}", quoted(shape.key.front()));
  }
  return fmt::format("UPDATE OR ABORT {} SET {} WHERE {}", table, assignments, condition);
}

[[noreturn]] void fail(const effect_shape& shape, std::string code, std::string_view why) {
  throw sqlite_failure(fault::poison, std::move(code),
                       fmt::format("{} {}: {}", name_of(shape.kind), shape.table, why));
}

}  // namespace

sqlite_effects::compiled sqlite_effects::compile(sqlite_db& db,
                                                 const effect_statement& statement) const {
  const effect_shape& shape = *statement.shape;
  compiled made;
  made.shape = shape;
  made.guard = statement.guard;
  made.compared = statement.compared;
  const catalog_table* table = tables_ == nullptr ? nullptr : tables_->find(shape.table);
  const std::string name = quoted_table(shape.table);

  if (shape.key.empty() && (shape.kind != effect_kind::insert || statement.guard)) {
    throw sqlite_failure(fault::deployment, "no_key",
                         fmt::format("{} {} names no key", name_of(shape.kind), shape.table));
  }
  std::vector<std::string> columns;
  if (shape.kind != effect_kind::insert) {
    columns = shape.key;
    made.key_size = shape.key.size();
  }
  columns.insert(columns.end(), shape.columns.begin(), shape.columns.end());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const catalog_column* column = table == nullptr ? nullptr : table->find(columns[i]);
    if (column == nullptr) {
      throw sqlite_failure(fault::deployment, "no_column",
                           fmt::format("{} has no column {}", shape.table, columns[i]));
    }
    if (shape.kind == effect_kind::add && i >= made.key_size &&
        column->type != column_type::integer) {
      throw sqlite_failure(
          fault::deployment, "add_needs_integer",
          fmt::format("add {}: column {} is '{}', and on SQLite only an integer column adds "
                      "exactly: keep the smallest unit in an INTEGER column",
                      shape.table, columns[i], column->sql_type));
    }
    made.as_blob.push_back(column->type == column_type::bytes);
  }

  switch (shape.kind) {
    case effect_kind::upsert:
    case effect_kind::add:
      made.insert =
          &db.prepared(insert_into(name, shape.kind == effect_kind::add ? shape.key : columns));
      [[fallthrough]];
    case effect_kind::set:
      made.update = &db.prepared(update_of(shape, name));
      made.exists =
          &db.prepared(fmt::format("SELECT 1 FROM {} WHERE {}", name, key_condition(shape.key)));
      break;
    case effect_kind::remove:
      made.update =
          &db.prepared(fmt::format("DELETE FROM {} WHERE {}", name, key_condition(shape.key)));
      break;
    case effect_kind::insert:
      made.insert = &db.prepared(
          insert_into(name, columns) +
          (made.guard ? fmt::format(" ON CONFLICT({}) DO NOTHING", name_list(shape.key)) : ""));
      break;
  }
  if (made.guard) {
    const auto place_of = [&shape](const std::string& column) {
      return std::ranges::find(shape.columns, column) - shape.columns.begin() + 1;
    };
    std::string same = "1";
    for (const std::string& column : statement.compared) {
      same += fmt::format(" AND {} IS ?{}", quoted(column), place_of(column));
    }
    std::string condition;
    for (const std::string& column : shape.key) {
      condition += fmt::format("{}{} = ?{}", condition.empty() ? "" : " AND ", quoted(column),
                               place_of(column));
    }
    made.compare = &db.prepared(fmt::format("SELECT {} FROM {} WHERE {}", same, name, condition));
  }
  return made;
}

const sqlite_effects::compiled& sqlite_effects::plan_of(sqlite_db& db,
                                                        const effect_statement& statement) {
  const auto [first, last] = plans_.equal_range(statement.shape);
  const auto found = std::find_if(first, last, [&](const auto& entry) {
    return entry.second.guard == statement.guard && entry.second.shape == *statement.shape &&
           entry.second.compared == statement.compared;
  });
  if (found != last) {
    return found->second;
  }
  return plans_.emplace(statement.shape, compile(db, statement))->second;
}

void sqlite_effects::bind(sqlite_statement& statement, const compiled& plan,
                          const std::vector<value>& values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const int place = static_cast<int>(i) + 1;
    const value& given = values[i];
    switch (given.kind()) {
      case value_kind::absent:
      case value_kind::null:
        statement.bind(place, nullptr);
        break;
      case value_kind::boolean:
      case value_kind::integer:
        statement.bind(place, given.number());
        break;
      case value_kind::bytes:
        statement.bind(place, sqlite_blob{given.characters()});
        break;
      case value_kind::decimal:
      case value_kind::text:
      case value_kind::json:
        if (plan.as_blob[i]) {
          statement.bind(place, sqlite_blob{given.characters()});
        } else {
          statement.bind(place, given.characters());
        }
        break;
    }
  }
}

std::int64_t sqlite_effects::run(sqlite_statement& statement, const compiled& plan,
                                 const std::vector<value>& values, std::size_t count) {
  bind(statement, plan, values, count);
  return statement.finish();
}

row_verdict sqlite_effects::decide(const compiled& plan, const std::vector<value>& values) {
  std::optional<row_verdict> verdict;
  bind(*plan.compare, plan, values, static_cast<std::size_t>(plan.compare->parameters()));
  if (plan.compare->step()) {
    verdict = plan.compare->number(0) != 0 ? row_verdict::duplicate : row_verdict::conflict;
  }
  plan.compare->reset();
  if (!verdict) {
    fail(plan.shape, "not_written", "a trigger left the row out");
  }
  return *verdict;
}

void sqlite_effects::write_or_create(const compiled& plan, const std::vector<value>& values) {
  const effect_shape& shape = plan.shape;
  if (run(*plan.update, plan, values, values.size()) > 0) {
    return;
  }
  bind(*plan.exists, plan, values, plan.key_size);
  const bool exists = plan.exists->step();
  plan.exists->reset();
  if (exists) {
    fail(shape, "not_written",
         shape.kind == effect_kind::add
             ? "the sum is no 64-bit integer (a column is NULL, holds something else, or overflows)"
             : "a trigger left the row as it was");
  }
  if (shape.kind == effect_kind::set || shape.missing == missing_row::fail) {
    fail(shape, "no_row", "there is no row with this key");
  }
  const bool adds = shape.kind == effect_kind::add;
  const std::size_t count = adds ? plan.key_size : values.size();
  if (run(*plan.insert, plan, values, count) == 0) {
    fail(shape, "not_written", "a trigger left the row out");
  }
  if (adds && run(*plan.update, plan, values, values.size()) == 0) {
    fail(shape, "not_written",
         "the row's default is no 64-bit integer: give the column NOT NULL DEFAULT 0");
  }
}

row_verdict sqlite_effects::apply_row(const compiled& plan, const std::vector<value>& values) {
  if (values.size() != plan.as_blob.size()) {
    throw sqlite_failure(fault::deployment, "values",
                         fmt::format("{} values for the {} columns of an effect on {}",
                                     values.size(), plan.as_blob.size(), plan.shape.table));
  }
  switch (plan.shape.kind) {
    case effect_kind::insert:
      if (run(*plan.insert, plan, values, values.size()) > 0) {
        return row_verdict::written;
      }
      if (plan.guard) {
        return decide(plan, values);
      }
      fail(plan.shape, "not_written", "a trigger left the row out");
    case effect_kind::remove:
      run(*plan.update, plan, values, values.size());
      return row_verdict::written;
    case effect_kind::upsert:
    case effect_kind::set:
    case effect_kind::add:
      break;
  }
  write_or_create(plan, values);
  return row_verdict::written;
}

std::vector<row_verdict> sqlite_effects::apply(sqlite_db& db, const effect_statement& statement) {
  const compiled& plan = plan_of(db, statement);
  std::vector<row_verdict> verdicts;
  verdicts.reserve(statement.rows.size());
  try {
    for (const effect_row& row : statement.rows) {
      verdicts.push_back(apply_row(plan, row.values));
    }
  } catch (const sqlite_failure& failure) {
    // SQLite's own words name the constraint, but not what was being done.
    error what = failure.what_happened();
    if (what.kind == fault::poison && what.text.find(plan.shape.table) == std::string::npos) {
      what.text = fmt::format("{} {}: {}", name_of(plan.shape.kind), plan.shape.table, what.text);
    }
    throw sqlite_failure(std::move(what));
  }
  return verdicts;
}

}  // namespace pawl
