#include "storage/postgres_statements.hpp"

#include "storage/postgres_names.hpp"

#include <algorithm>
#include <functional>
#include <span>

namespace pawl {

namespace {

using columns_span = std::span<const catalog_column* const>;

/// `make(0), make(1), ...` with `separator` between.
std::string join(std::size_t count, std::string_view separator,
                 const std::function<std::string(std::size_t)>& make) {
  std::string joined;
  for (std::size_t at = 0; at < count; ++at) {
    if (at > 0) {
      joined += separator;
    }
    joined += make(at);
  }
  return joined;
}

std::string column_name(std::size_t at) { return "c" + std::to_string(at); }

std::string names_of(columns_span columns) {
  return join(columns.size(), ", ", [&](std::size_t at) { return quote_name(columns[at]->name); });
}

/// `unnest($1::text[], ...) [WITH ORDINALITY] AS NAME(c0, ..., [ord])`.
std::string unnested(columns_span columns, std::string_view name, bool ordinal) {
  const auto parameter = [&](std::size_t at) {
    return "$" + std::to_string(at + 1) + "::" + parameter_type(*columns[at]) + "[]";
  };
  return "unnest(" + join(columns.size(), ", ", parameter) + ")" +
         (ordinal ? " WITH ORDINALITY" : "") + " AS " + std::string(name) + "(" +
         join(columns.size(), ", ", column_name) + (ordinal ? ", ord)" : ")");
}

std::string from_parameter(std::string_view name, std::size_t at, const catalog_column& column) {
  return typed(std::string(name) + "." + column_name(at), column);
}

/// `t."key" = d.c0 AND ...` over the first `count` columns.
std::string same_key(std::string_view table, std::string_view rows, columns_span columns) {
  return join(columns.size(), " AND ", [&](std::size_t at) {
    return std::string(table) + "." + quote_name(columns[at]->name) + " = " +
           from_parameter(rows, at, *columns[at]);
  });
}

std::string values_of(std::string_view rows, columns_span columns) {
  return join(columns.size(), ", ",
              [&](std::size_t at) { return from_parameter(rows, at, *columns[at]); });
}

std::string assignments(columns_span columns, std::size_t keys, bool adds) {
  return join(columns.size() - keys, ", ", [&](std::size_t at) {
    const catalog_column& column = *columns[keys + at];
    const std::string name = quote_name(column.name);
    return name + " = " + (adds ? "t." + name + " + " : "") +
           from_parameter("d", keys + at, column);
  });
}

std::string update_sql(const std::string& table, columns_span columns, std::size_t keys,
                       bool adds) {
  return "UPDATE " + table + " AS t SET " + assignments(columns, keys, adds) + " FROM " +
         unnested(columns, "d", false) + " WHERE " + same_key("t", "d", columns.first(keys));
}

std::string upsert_sql(const std::string& table, columns_span columns, std::size_t keys) {
  const std::string found = same_key("t", "d", columns.first(keys));
  // A row of nothing but its key has nothing to update: it counts as written if it is there.
  const std::string updated = keys == columns.size()
                                  ? "SELECT d.ord FROM d JOIN " + table + " AS t ON " + found
                                  : "UPDATE " + table + " AS t SET " +
                                        assignments(columns, keys, false) + " FROM d WHERE " +
                                        found + " RETURNING d.ord";
  return "WITH d AS (SELECT * FROM " + unnested(columns, "d", true) + "), u AS (" + updated +
         "), i AS (INSERT INTO " + table + " (" + names_of(columns) + ") SELECT " +
         values_of("d", columns) + " FROM d WHERE d.ord NOT IN (SELECT u.ord FROM u) ORDER BY " +
         "d.ord RETURNING 1) SELECT (SELECT count(*) FROM u) + (SELECT count(*) FROM i)";
}

std::string insert_sql(const std::string& table, columns_span columns) {
  return "INSERT INTO " + table + " (" + names_of(columns) + ") SELECT " + values_of("d", columns) +
         " FROM " + unnested(columns, "d", true) + " ORDER BY d.ord";
}

std::string remove_sql(const std::string& table, columns_span keys) {
  return "DELETE FROM " + table + " AS t USING " + unnested(keys, "d", false) + " WHERE " +
         same_key("t", "d", keys);
}

std::string add_create_sql(const std::string& table, columns_span keys) {
  const std::string names = names_of(keys);
  const std::string made = join(keys.size(), " AND ", [&](std::size_t at) {
    return "i." + quote_name(keys[at]->name) + " = " + from_parameter("d", at, *keys[at]);
  });
  return "WITH d AS (SELECT * FROM " + unnested(keys, "d", true) + "), i AS (INSERT INTO " + table +
         " (" + names + ") SELECT " + values_of("d", keys) +
         " FROM d WHERE NOT EXISTS (SELECT 1 FROM " + table + " AS t WHERE " +
         same_key("t", "d", keys) + ") ORDER BY d.ord ON CONFLICT DO NOTHING RETURNING " + names +
         ") SELECT d.ord FROM d JOIN i ON " + made;
}

}  // namespace

result<std::vector<const catalog_column*>> columns_of(const effect_shape& shape,
                                                      const catalog& tables) {
  const catalog_table* table = tables.find(shape.table);
  if (table == nullptr) {
    return error{fault::deployment, "42P01",
                 "table " + shape.table + " is not in the catalog that was read at start"};
  }
  std::vector<const catalog_column*> columns;
  const auto add = [&](const std::string& name) {
    columns.push_back(table->find(name));
    return columns.back() != nullptr;
  };
  const bool keyed = shape.kind != effect_kind::insert;
  for (const auto* names : {&shape.key, &shape.columns}) {
    if (names == &shape.key && !keyed) {
      continue;
    }
    for (const std::string& name : *names) {
      if (!add(name)) {
        return error{fault::deployment, "42703",
                     "table " + shape.table + " has no column " + name +
                         " in the catalog that was read at start"};
      }
    }
  }
  return columns;
}

effect_sql make_effect_sql(const effect_shape& shape,
                           const std::vector<const catalog_column*>& columns) {
  const std::string table = quote_table(shape.table);
  const std::size_t keys = shape.key.size();
  const columns_span all(columns);
  switch (shape.kind) {
    case effect_kind::upsert:
      return {shape.missing == missing_row::create ? upsert_sql(table, all, keys)
                                                   : update_sql(table, all, keys, false),
              {}};
    case effect_kind::insert:
      return {insert_sql(table, all), {}};
    case effect_kind::set:
      return {update_sql(table, all, keys, false), {}};
    case effect_kind::add:
      return {update_sql(table, all, keys, true),
              shape.missing == missing_row::create ? add_create_sql(table, all.first(keys)) : ""};
    case effect_kind::remove:
      return {remove_sql(table, all.first(keys)), {}};
  }
  return {};
}

guard_sql make_guard_sql(const effect_shape& shape,
                         const std::vector<const catalog_column*>& columns,
                         const std::vector<std::string>& compared) {
  const std::string table = quote_table(shape.table);
  const std::size_t count = columns.size();
  std::vector<std::size_t> keys;
  std::vector<bool> is_key(count, false);
  for (const std::string& name : shape.key) {
    for (std::size_t at = 0; at < count; ++at) {
      if (columns[at]->name == name) {
        keys.push_back(at);
        is_key[at] = true;
      }
    }
  }
  const auto key_name = [&](std::size_t at) { return quote_name(columns[keys[at]]->name); };
  const auto key_alias = [&](std::size_t at) { return column_name(keys[at]); };
  const auto match = [&](std::string_view left, std::string_view right) {
    return join(keys.size(), " AND ", [&](std::size_t at) {
      return std::string(left) + "." + key_name(at) + " = " + std::string(right) + "." +
             key_alias(at);
    });
  };
  // The first half of the union has no rows: it lends its columns' collations, so that "equal"
  // means what it means to the unique index.
  const std::string rows =
      "WITH d AS (SELECT " +
      join(count, ", ",
           [&](std::size_t at) {
             return "t." + quote_name(columns[at]->name) + " AS " + column_name(at);
           }) +
      ", NULL::bigint AS ord FROM " + table + " AS t WHERE false UNION ALL SELECT " +
      join(count, ", ",
           [&](std::size_t at) {
             const std::string parameter = "a." + column_name(at);
             return is_key[at] ? as_stored(parameter, *columns[at])
                               : typed(parameter, *columns[at]);
           }) +
      ", a.ord FROM " + unnested(columns, "a", true) + ")";
  const std::string key_aliases =
      join(keys.size(), ", ", [&](std::size_t at) { return "d." + key_alias(at); });
  const std::string key_names = join(keys.size(), ", ", key_name);

  guard_sql sql;
  sql.write = rows + ", f AS (SELECT DISTINCT ON (" + key_aliases + ") d.* FROM d ORDER BY " +
              key_aliases + ", d.ord), i AS (INSERT INTO " + table + " (" + names_of(columns) +
              ") SELECT " +
              join(count, ", ", [](std::size_t at) { return "f." + column_name(at); }) +
              " FROM f ORDER BY " +
              join(keys.size(), ", ", [&](std::size_t at) { return "f." + key_alias(at); }) +
              " ON CONFLICT (" + key_names + ") DO NOTHING RETURNING " + key_names +
              ") SELECT f.ord FROM f JOIN i ON " + match("i", "f");

  std::string differs;
  for (const std::string& name : compared) {
    const auto at = static_cast<std::size_t>(
        std::find_if(columns.begin(), columns.end(),
                     [&](const catalog_column* column) { return column->name == name; }) -
        columns.begin());
    if (at == count) {
      continue;
    }
    std::string there = "t." + quote_name(name);
    std::string given = as_stored("d." + column_name(at), *columns[at]);
    if (columns[at]->type == column_type::json) {  // json itself has no equality
      there = "CAST(" + there + " AS jsonb)";
      given = "CAST(" + given + " AS jsonb)";
    } else if (columns[at]->type == column_type::other) {
      there = "CAST(" + there + " AS text)";
      given = "CAST(" + given + " AS text)";
    }
    differs += (differs.empty() ? "" : " OR ") + there + " IS DISTINCT FROM " + given;
  }
  sql.compare = rows + " SELECT d.ord, " + (differs.empty() ? "false" : differs) + " FROM d JOIN " +
                table + " AS t ON " + match("t", "d");
  return sql;
}

std::string make_lock_sql(const std::string& table, const std::vector<const catalog_column*>& key) {
  const columns_span keys(key);
  return "SELECT 1 FROM " + quote_table(table) + " AS t JOIN " + unnested(keys, "d", false) +
         " ON " + same_key("t", "d", keys) + " ORDER BY " +
         join(keys.size(), ", ",
              [&](std::size_t at) { return "t." + quote_name(keys[at]->name); }) +
         " FOR NO KEY UPDATE OF t";
}

std::string make_create_sql(const std::string& table, std::size_t key_columns,
                            const std::vector<const catalog_column*>& columns) {
  const columns_span all(columns);
  const std::string quoted = quote_table(table);
  return "INSERT INTO " + quoted + " (" + names_of(all) + ") SELECT " + values_of("d", all) +
         " FROM " + unnested(all, "d", false) + " WHERE NOT EXISTS (SELECT 1 FROM " + quoted +
         " AS t WHERE " + same_key("t", "d", all.first(key_columns)) + ") ORDER BY " +
         join(key_columns, ", ",
              [&](std::size_t at) { return from_parameter("d", at, *all[at]); }) +
         " ON CONFLICT DO NOTHING";
}

}  // namespace pawl
