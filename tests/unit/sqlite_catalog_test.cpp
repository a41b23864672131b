#include "storage/sqlite_schema_text.hpp"
#include "tests/check.hpp"
#include "tests/support/sqlite_file.hpp"

using namespace pawl;
using namespace pawl_test;

namespace {

catalog_table read_table(const std::string& script, const std::string& name) {
  const sqlite_file file;
  const auto store = file.open();
  must(store->execute_script(script));
  const std::vector<std::string> names{name};
  const catalog read = must(store->read_catalog(names));
  const catalog_table* table = read.find(name);
  REQUIRE(table != nullptr);
  return *table;
}

}  // namespace

TEST_CASE("SQLite's declared types become column types by affinity") {
  const auto table = read_table(
      "CREATE TABLE t(a INT, b BIGINT, c VARCHAR(9), d BLOB, e DOUBLE, f NUMERIC(10,2), g BOOLEAN,"
      " h JSON, i TIMESTAMP, j)",
      "t");
  const auto type = [&](const char* column) { return table.find(column)->type; };
  CHECK(type("a") == column_type::integer);
  CHECK(type("b") == column_type::integer);
  CHECK(type("c") == column_type::text);
  CHECK(type("d") == column_type::bytes);
  CHECK(type("e") == column_type::real);
  CHECK(type("f") == column_type::decimal);
  CHECK(type("g") == column_type::boolean);
  CHECK(type("h") == column_type::json);
  CHECK(type("i") == column_type::other);
  CHECK(type("j") == column_type::other);
}

TEST_CASE("a SQLite column says whether it may be NULL, has a default, or is computed") {
  const auto table = read_table(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INT NOT NULL DEFAULT 0,"
      " c INT GENERATED ALWAYS AS (b + 1) STORED)",
      "t");
  CHECK(table.find("id")->not_null);
  CHECK(table.find("id")->has_default);
  CHECK(table.find("a")->not_null);
  CHECK_FALSE(table.find("a")->has_default);
  CHECK(table.find("b")->has_default);
  CHECK(table.find("c")->generated);
  REQUIRE(table.uniques.size() == 1);
  CHECK(table.uniques[0].primary);
  CHECK(table.uniques[0].columns == std::vector<std::string>{"id"});
}

TEST_CASE("the key of a STRICT or WITHOUT ROWID SQLite table is NOT NULL, another one's is not") {
  CHECK(read_table("CREATE TABLE t(a TEXT PRIMARY KEY) STRICT", "t").find("a")->not_null);
  CHECK(read_table("CREATE TABLE t(a TEXT PRIMARY KEY) WITHOUT ROWID", "t").find("a")->not_null);
  CHECK_FALSE(read_table("CREATE TABLE t(a TEXT PRIMARY KEY)", "t").find("a")->not_null);
}

TEST_CASE("a SQLite column with a collation of its own or in an index is not canonical") {
  const auto table = read_table(
      "CREATE TABLE t(a TEXT, b TEXT COLLATE NOCASE, c TEXT, d NUMERIC, e INT, f BLOB,"
      " UNIQUE(c COLLATE NOCASE))",
      "t");
  CHECK(table.find("a")->canonical);
  CHECK_FALSE(table.find("b")->canonical);
  CHECK_FALSE(table.find("c")->canonical);
  CHECK_FALSE(table.find("d")->canonical);
  CHECK(table.find("e")->canonical);
  CHECK(table.find("f")->canonical);
}

TEST_CASE("SQLite's unique keys are read, and partial or computed ones are known as such") {
  const auto table = read_table(
      "CREATE TABLE t(a TEXT, b TEXT, PRIMARY KEY(a, b), UNIQUE(b));"
      "CREATE UNIQUE INDEX some ON t(a) WHERE b > 'x'; CREATE UNIQUE INDEX low ON t(lower(a));"
      "CREATE INDEX plain ON t(b, a)",
      "t");
  REQUIRE(table.uniques.size() == 4);
  int partial = 0;
  for (const catalog_unique& unique : table.uniques) {
    partial += unique.partial ? 1 : 0;
    CHECK(unique.partial == (unique.name == "some" || unique.name == "low"));
    CHECK(unique.primary == (unique.columns.size() == 2));
  }
  CHECK(partial == 2);
}

TEST_CASE("lower bounds are recognised among SQLite's CHECK constraints") {
  const auto table = read_table(
      "CREATE TABLE t(a INT CHECK (a >= 0), \"b c\" INT, d INT, e INT DEFAULT 0,"
      " CONSTRAINT \"not too low\" CHECK (\"b c\" > -5), -- CHECK (e > 1)\n"
      " CHECK (d <= 9), CHECK (a + d > 0), CHECK (e >= 0 OR e = -1))",
      "t");
  REQUIRE(table.checks.size() == 5);
  CHECK(table.checks[0].columns == std::vector<std::string>{"a"});
  CHECK(table.checks[0].lower_bound);
  CHECK(table.checks[1].name == "not too low");
  CHECK(table.checks[1].columns == std::vector<std::string>{"b c"});
  CHECK(table.checks[1].lower_bound);
  CHECK_FALSE(table.checks[2].lower_bound);
  CHECK(table.checks[3].columns == std::vector<std::string>{"a", "d"});
  CHECK_FALSE(table.checks[3].lower_bound);
  CHECK_FALSE(table.checks[4].lower_bound);
}

TEST_CASE("SQLite's foreign keys name their parents, and a cascading one acts like a trigger") {
  const std::string script =
      "CREATE TABLE p(a INT, b INT, PRIMARY KEY(a, b)); CREATE TABLE q(x INTEGER PRIMARY KEY);"
      "CREATE TABLE c(a INT, b INT, x INT REFERENCES q(x) ON DELETE CASCADE,"
      " FOREIGN KEY(a, b) REFERENCES p DEFERRABLE INITIALLY DEFERRED)";
  const auto child = read_table(script, "c");
  REQUIRE(child.foreign_keys.size() == 2);
  for (const catalog_foreign_key& key : child.foreign_keys) {
    CHECK(key.cascades == (key.parent == "q"));
    CHECK(key.columns.size() == key.parent_columns.size());
    CHECK(key.deferrable);
  }
  CHECK_FALSE(child.row_triggers);
  CHECK_FALSE(read_table(script, "p").row_triggers);
  CHECK(read_table(script, "q").row_triggers);
}

TEST_CASE("SQLite's triggers are seen, and which of them come before an insert") {
  const std::string table = "CREATE TABLE t(a INT);";
  const std::string body = " ON t BEGIN SELECT 1; END";
  CHECK_FALSE(read_table(table, "t").row_triggers);
  const auto after = read_table(table + "CREATE TRIGGER insert_log AFTER INSERT" + body, "t");
  CHECK(after.row_triggers);
  CHECK_FALSE(after.before_insert_triggers);
  CHECK(read_table(table + "CREATE TRIGGER x INSERT" + body, "t").before_insert_triggers);
  CHECK(read_table(table + "CREATE TRIGGER x BEFORE INSERT" + body, "t").before_insert_triggers);
  CHECK_FALSE(
      read_table(table + "CREATE TRIGGER x BEFORE UPDATE" + body, "t").before_insert_triggers);
}

TEST_CASE(
    "a SQLite table may be named with its schema and in other letters, and a missing one is left "
    "out") {
  const sqlite_file file;
  const auto store = file.open();
  must(store->execute_script("CREATE TABLE Stock(a INT); CREATE VIEW v AS SELECT 1 AS one"));
  const std::vector<std::string> names{"main.Stock", "stock", "nowhere", "v"};
  const catalog read = must(store->read_catalog(names));
  CHECK(read.tables.size() == 3);
  CHECK(read.find("main.Stock") != nullptr);
  CHECK(read.find("stock") != nullptr);
  CHECK(read.find("v")->row_triggers);
  must(store->migrate());
  CHECK(must(store->table_names()) == std::vector<std::string>{"Stock", "v"});
}
