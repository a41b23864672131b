#include "tests/support/store_fixture.hpp"

#include "storage/memory_store.hpp"
#include "storage/postgres_store.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/sqlite_file.hpp"

#include <algorithm>
#include <utility>

namespace pawl_test {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) {
    text += (text.empty() ? "\"" : ", \"") + name + "\"";
  }
  return text;
}

std::string column_text(const pawl::memory_table& table, const pawl::catalog_column& column) {
  const bool integer = column.type == pawl::column_type::integer;
  std::string text = "\"" + column.name + "\" " + (integer ? "bigint" : "text");
  if (column.not_null) {
    text += " NOT NULL";
  }
  if (const auto given = table.defaults.find(column.name); given != table.defaults.end()) {
    const auto plain = given->second.to_text();
    text += " DEFAULT " + (integer ? plain : "'" + plain + "'");
  }
  if (const auto bound = table.lower_bounds.find(column.name); bound != table.lower_bounds.end()) {
    text += " CHECK (\"" + column.name + "\" >= " + std::to_string(bound->second) + ")";
  }
  return text;
}

std::vector<std::string> names_of(const std::vector<pawl::memory_table>& tables) {
  std::vector<std::string> names;
  for (const auto& table : tables) {
    names.push_back(table.definition.name);
  }
  return names;
}

/// The tables as a script for a SQL store.
std::string script_of(const std::vector<pawl::memory_table>& tables) {
  std::string script;
  for (const auto& table : tables) {
    script += "CREATE TABLE \"" + table.definition.name + "\" (";
    for (const auto& column : table.definition.columns) {
      script += column_text(table, column) + ", ";
    }
    std::string keys;
    for (const auto& unique : table.definition.uniques) {
      keys += (keys.empty() ? "" : ", ") + std::string(unique.primary ? "PRIMARY KEY" : "UNIQUE") +
              " (" + joined(unique.columns) + ")";
    }
    script += keys + ");\n";
  }
  return script;
}

class memory_fixture final : public store_fixture {
 public:
  explicit memory_fixture(const std::vector<pawl::memory_table>& tables) {
    auto made = std::make_unique<pawl::memory_store>([] { return pawl::store_time_ms{1000}; });
    memory_ = made.get();
    for (const auto& table : tables) {
      must(made->create_table(table));
    }
    start(std::move(made), names_of(tables));
  }

  std::vector<std::vector<std::string>> rows(const std::string& table) override {
    std::vector<std::vector<std::string>> all;
    for (const auto& row : memory_->rows(table)) {
      auto& cells = all.emplace_back();
      for (const auto& cell : row) {
        cells.push_back(cell.is_null() ? "NULL" : cell.to_text());
      }
    }
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  pawl::memory_store* memory_ = nullptr;
};

// A private base outlives the store and its sessions.
struct own_file {
  sqlite_file file;
};

class sqlite_fixture final : private own_file, public store_fixture {
 public:
  sqlite_fixture(const std::string& script, const std::vector<std::string>& tables) {
    auto opened = file.open();
    must(opened->execute_script(script));
    start(std::move(opened), tables);
  }
};

struct own_database {
  pawl::test::postgres_database database;
};

class postgres_fixture final : private own_database, public store_fixture {
 public:
  postgres_fixture(const std::string& script, const std::vector<std::string>& tables) {
    auto opened = must(pawl::open_postgres_store(database.url()));
    must(opened->execute_script(script));
    start(std::move(opened), tables);
  }
};

}  // namespace

void store_fixture::start(std::unique_ptr<pawl::store> store,
                          const std::vector<std::string>& tables) {
  store_ = std::move(store);
  must(store_->migrate());
  catalog_ = must(store_->read_catalog(tables));
  keeper_ = must(store_->open_keeper());
  node_ = must(
      keeper_->register_node({.consumer = "c", .shards = shards, .node = "a", .lease_ms = 60'000}));
  grants_ = must(keeper_->take_leases(node_));
}

std::unique_ptr<pawl::commit_session> store_fixture::open_commit(std::uint32_t committer) {
  pawl::commit_identity identity;
  identity.node = node_;
  identity.consumer = "c";
  identity.committer = committer;
  return must(store_->open_commit(identity, &catalog_));
}

std::unique_ptr<pawl::admin_session> store_fixture::open_admin() {
  return must(store_->open_admin("c"));
}

std::unique_ptr<pawl::janitor_session> store_fixture::open_janitor() {
  return must(store_->open_janitor("c"));
}

void store_fixture::take_leases_again() { grants_ = must(keeper_->take_leases(node_)); }

std::vector<std::vector<std::string>> store_fixture::rows(const std::string& table) {
  std::vector<std::string> columns;
  for (const auto& column : catalog_.find(table)->columns) {
    columns.push_back(column.name);
  }
  const auto found = must(store_->query("SELECT " + joined(columns) + " FROM \"" + table + "\""));
  std::vector<std::vector<std::string>> all;
  for (const auto& row : found.rows) {
    auto& cells = all.emplace_back();
    for (const auto& cell : row) {
      cells.push_back(cell.value_or("NULL"));
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::unique_ptr<store_fixture> on_memory::open(const std::vector<pawl::memory_table>& tables) {
  return std::make_unique<memory_fixture>(tables);
}

std::unique_ptr<store_fixture> on_postgres::open(const std::vector<pawl::memory_table>& tables) {
  return open(script_of(tables), names_of(tables));
}

std::unique_ptr<store_fixture> on_postgres::open(const std::string& script,
                                                 const std::vector<std::string>& tables) {
  return std::make_unique<postgres_fixture>(script, tables);
}

std::unique_ptr<store_fixture> on_sqlite::open(const std::vector<pawl::memory_table>& tables) {
  return open(script_of(tables), names_of(tables));
}

std::unique_ptr<store_fixture> on_sqlite::open(const std::string& script,
                                               const std::vector<std::string>& tables) {
  return std::make_unique<sqlite_fixture>(script, tables);
}

}  // namespace pawl_test
