#include "tests/support/plain_database.hpp"

#include <pqxx/pqxx>
#include <sqlite3.h>

#include <memory>
#include <stdexcept>

namespace pawl_test {
namespace {

struct close_sqlite {
  void operator()(sqlite3* connection) const { sqlite3_close(connection); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using sqlite_connection = std::unique_ptr<sqlite3, close_sqlite>;
using sqlite_statement = std::unique_ptr<sqlite3_stmt, close_sqlite>;

void expect(int code, int wanted, sqlite3* connection) {
  if (code != wanted) {
    throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(connection));
  }
}

sqlite_connection connect(const std::string& file) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(file.c_str(), &opened);
  sqlite_connection connection(opened);
  expect(code, SQLITE_OK, opened);
  return connection;
}

sqlite_statement prepare(sqlite3* connection, const std::string& sql) {
  sqlite3_stmt* made = nullptr;
  expect(sqlite3_prepare_v2(connection, sql.c_str(), -1, &made, nullptr), SQLITE_OK, connection);
  return sqlite_statement(made);
}

std::string text_of(sqlite3_stmt* statement, int column) {
  if (sqlite3_column_type(statement, column) == SQLITE_NULL) {
    return "NULL";
  }
  const void* text = sqlite3_column_text(statement, column);
  return {static_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

}  // namespace

void plain_sqlite::run_script(const std::string& sql) {
  const auto connection = connect(file_.path());
  expect(sqlite3_exec(connection.get(), sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK,
         connection.get());
}

void plain_sqlite::run(const std::string& statement, const std::string& parameter) {
  const auto connection = connect(file_.path());
  const auto prepared = prepare(connection.get(), statement);
  expect(sqlite3_bind_text(prepared.get(), 1, parameter.data(), static_cast<int>(parameter.size()),
                           nullptr),
         SQLITE_OK, connection.get());
  expect(sqlite3_step(prepared.get()), SQLITE_DONE, connection.get());
}

text_rows plain_sqlite::rows(const std::string& query) {
  const auto connection = connect(file_.path());
  const auto prepared = prepare(connection.get(), query);
  text_rows all;
  int code = sqlite3_step(prepared.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(prepared.get())) {
    auto& row = all.emplace_back();
    for (int i = 0; i < sqlite3_column_count(prepared.get()); ++i) {
      row.push_back(text_of(prepared.get(), i));
    }
  }
  expect(code, SQLITE_DONE, connection.get());
  return all;
}

void plain_postgres::run(const std::string& statement, const std::string& parameter) {
  pqxx::connection connection(database_.url());
  pqxx::nontransaction direct(connection);
  direct.exec_params(statement, parameter);
}

text_rows plain_postgres::rows(const std::string& query) {
  pqxx::connection connection(database_.url());
  pqxx::nontransaction direct(connection);
  text_rows all;
  for (const auto& found : direct.exec(query)) {
    auto& row = all.emplace_back();
    for (const auto& field : found) {
      row.emplace_back(field.is_null() ? "NULL" : field.c_str());
    }
  }
  return all;
}

}  // namespace pawl_test
