#include "storage/sqlite_catalog.hpp"

#include "storage/sqlite_schema_text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace pawl {

namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// What a column of that declared type holds, by SQLite's rules of affinity (its documentation's
/// section 3.1, in that order). Types with NUMERIC affinity that hold text in practice are `other`.
column_type type_of(const std::string& declared, bool strict) {
  const std::string type = upper(declared);
  const auto contains = [&type](std::string_view part) {
    return type.find(part) != std::string::npos;
  };
  if (contains("INT")) {
    return column_type::integer;
  }
  if (contains("CHAR") || contains("CLOB") || contains("TEXT")) {
    return column_type::text;
  }
  if (contains("BLOB")) {
    return column_type::bytes;
  }
  if (contains("REAL") || contains("FLOA") || contains("DOUB")) {
    return column_type::real;
  }
  if (strict || type.empty()) {
    return column_type::other;
  }
  if (contains("BOOL")) {
    return column_type::boolean;
  }
  if (contains("JSON")) {
    return column_type::json;
  }
  return contains("NUM") || contains("DEC") ? column_type::decimal : column_type::other;
}

struct table_facts {
  std::string name;  ///< as SQLite spells it
  std::string kind;  ///< `table`, `view` or `virtual`
  std::string sql;
  bool strict = false;
};

std::optional<table_facts> find_table(sqlite_db& db, std::string_view wanted) {
  constexpr std::string_view schema = "main.";
  if (wanted.starts_with(schema)) {
    wanted.remove_prefix(schema.size());
  }
  std::optional<table_facts> found;
  db.one(
      "SELECT l.name, l.type, l.strict, coalesce(s.sql, '') FROM pragma_table_list AS l"
      " JOIN main.sqlite_schema AS s ON s.name = l.name AND s.type IN ('table', 'view')"
      " WHERE l.schema = 'main' AND l.name = ?1 COLLATE NOCASE",
      [&](const sqlite_statement& row) {
        found = table_facts{row.text(0), row.text(1), row.text(3), row.number(2) != 0};
      },
      wanted);
  return found;
}

/// True unless every comparison of the column, its own and its indexes', is of exact bytes.
bool has_collation(sqlite_db& db, const table_facts& table, const std::string& column) {
  const char* collation = nullptr;
  const int code =
      sqlite3_table_column_metadata(db.handle(), "main", table.name.c_str(), column.c_str(),
                                    nullptr, &collation, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK || collation == nullptr || upper(collation) != "BINARY") {
    return true;
  }
  return db
      .number(
          "SELECT 1 FROM pragma_index_list(?1) AS i, pragma_index_xinfo(i.name) AS c"
          " WHERE i.\"unique\" AND c.key AND c.name = ?2 AND c.coll <> 'BINARY' COLLATE NOCASE",
          table.name, column)
      .has_value();
}

std::vector<catalog_column> columns_of(sqlite_db& db, const table_facts& table) {
  std::vector<catalog_column> columns;
  db.each(
      "SELECT name, type, \"notnull\", dflt_value, hidden FROM pragma_table_xinfo(?1)"
      " WHERE hidden <> 1 ORDER BY cid",
      [&](const sqlite_statement& row) {
        catalog_column column;
        column.name = row.text(0);
        column.sql_type = row.text(1);
        column.type = type_of(column.sql_type, table.strict);
        column.not_null = row.number(2) != 0;
        column.has_default = !row.is_null(3);
        column.generated = row.number(4) != 0;
        columns.push_back(std::move(column));
      },
      table.name);
  for (catalog_column& column : columns) {
    const bool compares_bytes = column.type == column_type::integer ||
                                column.type == column_type::text ||
                                column.type == column_type::bytes;
    column.canonical =
        table.kind == "table" && compares_bytes && !has_collation(db, table, column.name);
  }
  return columns;
}

std::vector<catalog_unique> uniques_of(sqlite_db& db, const table_facts& table) {
  std::vector<catalog_unique> uniques;
  db.each(
      "SELECT name, origin, partial FROM pragma_index_list(?1) WHERE \"unique\" ORDER BY seq DESC",
      [&](const sqlite_statement& row) {
        catalog_unique& unique = uniques.emplace_back();
        unique.name = row.text(0);
        unique.primary = row.text(1) == "pk";
        unique.partial = row.number(2) != 0;
      },
      table.name);
  for (catalog_unique& unique : uniques) {
    db.each(
        "SELECT name FROM pragma_index_info(?1) ORDER BY seqno",
        [&](const sqlite_statement& row) {
          unique.partial = unique.partial || row.is_null(0);
          unique.columns.push_back(row.text(0));
        },
        unique.name);
    std::erase(unique.columns, "");
  }
  return uniques;
}

/// A rowid alias (INTEGER PRIMARY KEY) has no index of its own, is never NULL, and numbers itself.
void add_rowid_alias(sqlite_db& db, catalog_table& table, const table_facts& facts) {
  const auto primary = std::ranges::find_if(table.uniques, &catalog_unique::primary);
  if (primary != table.uniques.end()) {
    return;
  }
  std::vector<std::string> key;
  db.each(
      "SELECT name FROM pragma_table_xinfo(?1) WHERE pk > 0",
      [&](const sqlite_statement& row) { key.push_back(row.text(0)); }, facts.name);
  if (key.size() != 1) {
    return;
  }
  for (catalog_column& column : table.columns) {
    if (column.name == key.front()) {
      column.not_null = true;
      column.has_default = true;
    }
  }
  catalog_unique alias;
  alias.name = "rowid";
  alias.columns = key;
  alias.primary = true;
  table.uniques.insert(table.uniques.begin(), std::move(alias));
}

std::vector<catalog_foreign_key> foreign_keys_of(sqlite_db& db, const table_facts& table) {
  std::vector<catalog_foreign_key> keys;
  std::int64_t last = -1;
  const bool deferred = has_deferred_key(table.sql);
  db.each(
      "SELECT id, \"table\", \"from\", \"to\", on_update, on_delete"
      " FROM pragma_foreign_key_list(?1) ORDER BY id, seq",
      [&](const sqlite_statement& row) {
        if (row.number(0) != last) {
          last = row.number(0);
          const auto acts = [](const std::string& action) {
            return action != "NO ACTION" && action != "RESTRICT";
          };
          catalog_foreign_key& key = keys.emplace_back();
          key.name = "foreign key " + std::to_string(last);
          key.parent = row.text(1);
          key.cascades = acts(row.text(4)) || acts(row.text(5));
          key.deferrable = deferred;
        }
        keys.back().columns.push_back(row.text(2));
        if (!row.is_null(3)) {
          keys.back().parent_columns.push_back(row.text(3));
        }
      },
      table.name);
  for (catalog_foreign_key& key : keys) {
    if (key.parent_columns.empty()) {
      db.each(
          "SELECT name FROM pragma_table_xinfo(?1) WHERE pk > 0 ORDER BY pk",
          [&](const sqlite_statement& row) { key.parent_columns.push_back(row.text(0)); },
          key.parent);
    }
  }
  return keys;
}

void add_triggers(sqlite_db& db, catalog_table& table, const table_facts& facts) {
  // A write to a view or a virtual table is somebody else's code.
  table.row_triggers = facts.kind != "table";
  table.before_insert_triggers = facts.kind != "table";
  db.each(
      "SELECT sql FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE",
      [&](const sqlite_statement& row) {
        table.row_triggers = true;
        table.before_insert_triggers =
            table.before_insert_triggers || runs_before_insert(row.text(0));
      },
      facts.name);
  // A parent whose changes run into its children acts as if it had a trigger.
  const auto cascades = db.number(
      "SELECT 1 FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name) AS f"
      " WHERE s.type = 'table' AND f.\"table\" = ?1 COLLATE NOCASE"
      " AND (f.on_update NOT IN ('NO ACTION', 'RESTRICT')"
      " OR f.on_delete NOT IN ('NO ACTION', 'RESTRICT'))",
      facts.name);
  table.row_triggers = table.row_triggers || cascades.has_value();
}

}  // namespace

catalog read_sqlite_catalog(sqlite_db& db, std::span<const std::string> tables) {
  catalog read;
  for (const std::string& wanted : tables) {
    const auto facts = find_table(db, wanted);
    if (!facts) {
      continue;
    }
    catalog_table table;
    table.name = wanted;
    table.columns = columns_of(db, *facts);
    table.uniques = uniques_of(db, *facts);
    add_rowid_alias(db, table, *facts);
    table.checks = checks_in(facts->sql, table.columns);
    table.foreign_keys = foreign_keys_of(db, *facts);
    add_triggers(db, table, *facts);
    read.tables.emplace(wanted, std::move(table));
  }
  return read;
}

std::vector<std::string> sqlite_table_names(sqlite_db& db) {
  std::vector<std::string> names;
  db.each(
      "SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view')"
      " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'pawl\\_%' ESCAPE '\\'"
      " ORDER BY name",
      [&](const sqlite_statement& row) { names.push_back(row.text(0)); });
  return names;
}

}  // namespace pawl
