#include "tests/support/postgres_database.hpp"

#include <pqxx/pqxx>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#ifdef __SANITIZE_ADDRESS__
// libpqxx 6.4 drops the result of a statement whose connection was lost, and tests lose many.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libpq.so"; }
#endif

namespace pawl::test {

namespace {

std::string server() {
  const char* given = std::getenv("PAWL_TEST_POSTGRES");
  if (given == nullptr) {
    throw std::runtime_error(
        "PAWL_TEST_POSTGRES is not set: run the tests through tools/pg.sh run");
  }
  return given;
}

void run(const std::string& url, std::string_view sql) {
  pqxx::connection connection(url);
  pqxx::nontransaction direct(connection);
  direct.exec("SET client_min_messages = error");
  direct.exec(std::string(sql));
}

}  // namespace

postgres_database::postgres_database() {
  static std::atomic<int> count{0};
  name_ = "pawl_test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
  run(server(), "CREATE DATABASE " + name_);
  url_ = server() + " dbname=" + name_;  // of two settings of one name, the later counts
}

postgres_database::~postgres_database() {
  try {
    run(server(), "DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
  } catch (const std::exception&) {
    // The server may be gone: that is for the test to say, not for its tidying up.
  }
}

void postgres_database::execute(std::string_view sql) const { run(url_, sql); }

std::string postgres_database::ask(std::string_view sql) const {
  pqxx::connection connection(url_);
  pqxx::nontransaction direct(connection);
  const pqxx::result rows = direct.exec(std::string(sql));
  if (rows.empty()) {
    return {};
  }
  return rows[0][0].is_null() ? "NULL" : rows[0][0].c_str();
}

}  // namespace pawl::test
