#pragma once

#include "tests/support/postgres_database.hpp"
#include "tests/support/sqlite_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pawl_test {

using text_rows = std::vector<std::vector<std::string>>;

/// A fresh database that a test reads and writes with plain SQL, behind Pawl's back: each call is a
/// connection of its own. An error of the database's ends the test.
class plain_database {
 public:
  virtual ~plain_database() = default;

  /// As a node file names it.
  [[nodiscard]] virtual std::string url() const = 0;
  virtual void run_script(const std::string& sql) = 0;
  /// Runs one statement with one parameter, `$1`.
  virtual void run(const std::string& statement, const std::string& parameter) = 0;
  /// All rows as text, `NULL` for NULL.
  [[nodiscard]] virtual text_rows rows(const std::string& query) = 0;
  /// What to select from for the elements, named `value`, of the JSON array that `$1` is.
  [[nodiscard]] virtual std::string elements() const = 0;
};

class plain_sqlite final : public plain_database {
 public:
  static constexpr std::uint32_t committers = 1;  ///< of a node; the file has one writer

  [[nodiscard]] std::string url() const override { return "sqlite:" + file_.path(); }
  void run_script(const std::string& sql) override;
  void run(const std::string& statement, const std::string& parameter) override;
  [[nodiscard]] text_rows rows(const std::string& query) override;
  [[nodiscard]] std::string elements() const override { return "json_each($1)"; }

 private:
  sqlite_file file_;
};

class plain_postgres final : public plain_database {
 public:
  static constexpr std::uint32_t committers = 2;  ///< of a node

  [[nodiscard]] std::string url() const override { return database_.url(); }
  void run_script(const std::string& sql) override { database_.execute(sql); }
  void run(const std::string& statement, const std::string& parameter) override;
  [[nodiscard]] text_rows rows(const std::string& query) override;
  [[nodiscard]] std::string elements() const override {
    return "json_array_elements(CAST($1 AS json)) AS element(value)";
  }

 private:
  pawl::test::postgres_database database_;
};

}  // namespace pawl_test
