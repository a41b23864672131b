#include "storage/postgres_catalog.hpp"

#include "storage/postgres_array.hpp"
#include "storage/postgres_names.hpp"

#include <functional>
#include <string_view>

namespace pawl {

namespace {

// In all of these $1 is the tables' oids and the first column answered says which table.

constexpr std::string_view columns_sql = R"sql(
SELECT a.attrelid, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), t.typname,
       a.atttypmod, a.attnotnull, a.atthasdef OR a.attidentity <> '',
       a.attgenerated <> '' OR a.attidentity = 'a', coalesce(c.collisdeterministic, true),
       t.typtype = 'b' AND t.typnamespace = 'pg_catalog'::regnamespace
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_collation c ON c.oid = a.attcollation
WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attrelid, a.attnum)sql";

constexpr std::string_view uniques_sql = R"sql(
SELECT i.indrelid, x.relname, i.indisprimary,
       i.indpred IS NOT NULL OR 0 = ANY (i.indkey::int2[]), NOT i.indimmediate,
       NOT coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::boolean, false), a.attname
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, place)
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
WHERE i.indrelid = ANY ($1::oid[]) AND i.indisunique AND i.indisvalid AND NOT i.indisexclusion
  AND k.place <= i.indnkeyatts
ORDER BY i.indrelid, x.relname, k.place)sql";

constexpr std::string_view checks_sql = R"sql(
SELECT c.conrelid, c.conname, pg_catalog.pg_get_expr(c.conbin, c.conrelid), a.attname
FROM pg_catalog.pg_constraint c
CROSS JOIN LATERAL unnest(c.conkey) WITH ORDINALITY AS k(attnum, place)
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum
WHERE c.conrelid = ANY ($1::oid[]) AND c.contype = 'c'
ORDER BY c.conrelid, c.conname, k.place)sql";

constexpr std::string_view foreign_keys_sql = R"sql(
SELECT c.conrelid, c.conname, c.confrelid,
       CASE WHEN pg_catalog.pg_table_is_visible(p.oid) THEN p.relname
            ELSE n.nspname || '.' || p.relname END,
       c.confdeltype NOT IN ('a', 'r') OR c.confupdtype NOT IN ('a', 'r'), c.condeferrable,
       a.attname, b.attname
FROM pg_catalog.pg_constraint c
JOIN pg_catalog.pg_class p ON p.oid = c.confrelid
JOIN pg_catalog.pg_namespace n ON n.oid = p.relnamespace
CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k(child, parent, place)
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.child
JOIN pg_catalog.pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.parent
WHERE c.conrelid = ANY ($1::oid[]) AND c.contype = 'f'
ORDER BY c.conrelid, c.conname, k.place)sql";

// Triggers of partitions and inheriting tables fire for rows that come through the parent. A view
// is rewritten, so its rows are somebody else's.
constexpr std::string_view behaviour_sql = R"sql(
WITH RECURSIVE family(root, member) AS (
  SELECT o, o FROM unnest($1::oid[]) AS o
  UNION
  SELECT f.root, i.inhrelid FROM family f
  JOIN pg_catalog.pg_inherits i ON i.inhparent = f.member)
SELECT f.root,
       bool_or(c.relkind IN ('v', 'm')
         OR EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = f.member
                    AND NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgtype & 1 = 1)
         OR EXISTS (SELECT 1 FROM pg_catalog.pg_rewrite r WHERE r.ev_class = f.member)),
       bool_or(EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = f.member
                       AND NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgtype & 1 = 1
                       AND t.tgtype & 2 = 2 AND t.tgtype & 4 = 4)),
       bool_or(EXISTS (SELECT 1 FROM pg_catalog.pg_constraint x
                       WHERE x.conrelid = f.member AND x.contype = 'x'))
FROM family f JOIN pg_catalog.pg_class c ON c.oid = f.member
GROUP BY f.root)sql";

constexpr std::string_view names_sql = R"sql(
SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname
            ELSE n.nspname || '.' || c.relname END AS name
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT IN ('pawl', 'information_schema')
  AND n.nspname !~ '^pg_'
ORDER BY 1)sql";

column_type type_of(std::string_view name) {
  if (name == "int2" || name == "int4" || name == "int8") {
    return column_type::integer;
  }
  if (name == "numeric") {
    return column_type::decimal;
  }
  if (name == "float4" || name == "float8") {
    return column_type::real;
  }
  if (name == "text" || name == "varchar" || name == "bpchar") {
    return column_type::text;
  }
  if (name == "json" || name == "jsonb") {
    return column_type::json;
  }
  if (name == "bytea") {
    return column_type::bytes;
  }
  if (name == "bool") {
    return column_type::boolean;
  }
  return name == "uuid" ? column_type::uuid : column_type::other;
}

/// The scale in a numeric's type modifier: 11 bits with a sign, four above the real start.
std::optional<int> scale_of(std::int64_t modifier) {
  if (modifier < 0) {
    return std::nullopt;
  }
  const auto bits = static_cast<int>((modifier - 4) & 0x7ff);
  return bits < 1024 ? bits : bits - 2048;
}

catalog_column read_column(const pqxx::result& rows, std::size_t row) {
  catalog_column column;
  column.name = pg::cell(rows, row, 1).text();
  column.sql_type = pg::cell(rows, row, 2).text();
  const std::string type = pg::cell(rows, row, 3).text();
  const bool built_in = pg::cell(rows, row, 9).truth();
  column.type = built_in ? type_of(type) : column_type::other;
  if (column.type == column_type::integer) {
    column.integer_bits = type == "int2" ? 16 : type == "int4" ? 32 : 64;
  }
  if (column.type == column_type::decimal) {
    column.scale = scale_of(pg::cell(rows, row, 4).number());
  }
  column.not_null = pg::cell(rows, row, 5).truth();
  column.has_default = pg::cell(rows, row, 6).truth();
  column.generated = pg::cell(rows, row, 7).truth();
  const bool plain_text =
      column.type == column_type::text && type != "bpchar" && pg::cell(rows, row, 8).truth();
  column.canonical = plain_text || column.type == column_type::bytes ||
                     column.type == column_type::integer || column.type == column_type::uuid;
  return column;
}

using tables_by_oid = std::map<std::string, catalog_table*, std::less<>>;

/// Runs `sql` over the tables and hands each row to `take` with its table.
status each_row(postgres_connection& connection, std::string_view sql, const std::string& oids,
                const tables_by_oid& tables,
                const std::function<void(catalog_table&, const pqxx::result&, std::size_t)>& take) {
  auto rows = connection.run(std::string(sql), {oids});
  if (!rows) {
    return rows.error();
  }
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    take(*tables.find(pg::cell(*rows, row, 0).view())->second, *rows, row);
  }
  return {};
}

/// The element that the rows of one constraint add columns to.
template <class Named>
Named& named(std::vector<Named>& all, const std::string& name) {
  if (all.empty() || all.back().name != name) {
    all.emplace_back().name = name;
  }
  return all.back();
}

void add_unique(catalog_table& table, const pqxx::result& rows, std::size_t row) {
  catalog_unique& unique = named(table.uniques, pg::cell(rows, row, 1).text());
  unique.primary = pg::cell(rows, row, 2).truth();
  unique.partial = pg::cell(rows, row, 3).truth();
  unique.deferrable = pg::cell(rows, row, 4).truth();
  unique.nulls_distinct = pg::cell(rows, row, 5).truth();
  if (const pg::cell column(rows, row, 6); !column.is_null()) {
    unique.columns.push_back(column.text());
  }
}

void add_check(catalog_table& table, const pqxx::result& rows, std::size_t row) {
  catalog_check& check = named(table.checks, pg::cell(rows, row, 1).text());
  check.columns.push_back(pg::cell(rows, row, 3).text());
  check.lower_bound = check.columns.size() == 1 &&
                      is_lower_bound(pg::cell(rows, row, 2).view(), check.columns.front());
}

status read_parts(postgres_connection& connection, const std::string& oids,
                  const tables_by_oid& tables) {
  if (auto read = each_row(connection, columns_sql, oids, tables,
                           [](catalog_table& table, const pqxx::result& rows, std::size_t row) {
                             table.columns.push_back(read_column(rows, row));
                           });
      !read) {
    return read;
  }
  if (auto read = each_row(connection, uniques_sql, oids, tables, add_unique); !read) {
    return read;
  }
  if (auto read = each_row(connection, checks_sql, oids, tables, add_check); !read) {
    return read;
  }
  const auto add_foreign_key = [&tables](catalog_table& table, const pqxx::result& rows,
                                         std::size_t row) {
    catalog_foreign_key& key = named(table.foreign_keys, pg::cell(rows, row, 1).text());
    const auto parent = tables.find(pg::cell(rows, row, 2).view());
    key.parent = parent != tables.end() ? parent->second->name : pg::cell(rows, row, 3).text();
    key.cascades = pg::cell(rows, row, 4).truth();
    key.deferrable = pg::cell(rows, row, 5).truth();
    key.columns.push_back(pg::cell(rows, row, 6).text());
    key.parent_columns.push_back(pg::cell(rows, row, 7).text());
  };
  if (auto read = each_row(connection, foreign_keys_sql, oids, tables, add_foreign_key); !read) {
    return read;
  }
  return each_row(connection, behaviour_sql, oids, tables,
                  [](catalog_table& table, const pqxx::result& rows, std::size_t row) {
                    table.row_triggers = pg::cell(rows, row, 1).truth();
                    table.before_insert_triggers = pg::cell(rows, row, 2).truth();
                    table.exclusion = pg::cell(rows, row, 3).truth();
                  });
}

}  // namespace

result<catalog> read_postgres_catalog(postgres_connection& connection,
                                      std::span<const std::string> tables) {
  array_literal names(tables.size());
  for (const std::string& table : tables) {
    names.add(quote_table(table));
  }
  auto found = connection.run(
      "SELECT place, to_regclass(name)::oid FROM unnest($1::text[]) WITH ORDINALITY AS t(name, "
      "place) WHERE to_regclass(name) IS NOT NULL",
      {names.take()});
  if (!found) {
    return found.error();
  }
  catalog known;
  tables_by_oid by_oid;
  std::vector<std::pair<catalog_table*, catalog_table*>> twins;
  array_literal oids;
  for (std::size_t row = 0; row < pg::row_count(*found); ++row) {
    const auto place = static_cast<std::size_t>(pg::cell(*found, row, 0).number());
    catalog_table& table = known.tables[tables[place - 1]];
    table.name = tables[place - 1];
    const pg::cell oid(*found, row, 1);
    const auto [first, fresh] = by_oid.try_emplace(oid.text(), &table);
    if (fresh) {
      oids.add(oid.number());
    } else {
      twins.emplace_back(&table, first->second);
    }
  }
  if (auto read = read_parts(connection, oids.take(), by_oid); !read) {
    return read.error();
  }
  for (auto [twin, original] : twins) {  // one table under two names
    std::string name = std::move(twin->name);
    *twin = *original;
    twin->name = std::move(name);
  }
  return known;
}

result<std::vector<std::string>> postgres_table_names(postgres_connection& connection) {
  auto rows = connection.run(std::string(names_sql), {});
  if (!rows) {
    return rows.error();
  }
  std::vector<std::string> names;
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    names.push_back(pg::cell(*rows, row, 0).text());
  }
  return names;
}

}  // namespace pawl
