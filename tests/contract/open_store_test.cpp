#include "storage/store.hpp"
#include "tests/check.hpp"
#include "tests/support/sqlite_file.hpp"

using namespace pawl;

TEST_CASE("a store is opened by the kind that its URL names") {
  CHECK(pawl_test::must(open_store("memory:"))->kind() == "memory");
  const pawl_test::sqlite_file file;
  CHECK(pawl_test::must(open_store("sqlite:" + file.path()))->kind() == "sqlite");
}

TEST_CASE("a URL of no known kind is refused with those that there are, and without its password") {
  for (const auto* url :
       {"mysql://me:secret@host/db", "stock.db", "postgresq://me:secret@host/db", ""}) {
    const auto opened = open_store(url);
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().kind == fault::refused);
    CHECK(opened.error().text.find("sqlite:FILE") != std::string::npos);
    CHECK(opened.error().text.find("secret") == std::string::npos);
  }
}

TEST_CASE("a PostgreSQL address in either form goes to PostgreSQL") {
  for (const auto* url : {"postgresql://127.0.0.1:1/none?connect_timeout=2",
                          "host=127.0.0.1 port=1 dbname=none connect_timeout=2"}) {
    const auto opened = open_store(url);
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().kind == fault::retry);
  }
}
