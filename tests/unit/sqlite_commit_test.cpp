#include "tests/check.hpp"
#include "tests/support/sqlite_file.hpp"

#include <limits>

using namespace pawl;
using namespace pawl_test;

namespace {

constexpr const char* stock =
    "CREATE TABLE stock(sku TEXT PRIMARY KEY, n INT NOT NULL DEFAULT 0, note TEXT, loose INT,"
    " price NUMERIC)";

/// A statement over `shape`, with one row for each list of values.
effect_statement statement_of(const effect_shape& shape, std::vector<std::vector<value>> rows) {
  effect_statement made;
  made.shape = &shape;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    made.rows.push_back({static_cast<std::uint32_t>(i), std::move(rows[i])});
  }
  return made;
}

effect_shape shape_of(effect_kind kind, std::vector<std::string> columns,
                      missing_row missing = missing_row::create) {
  return {kind, "stock", {"sku"}, std::move(columns), missing};
}

ledger_key key_of(std::uint8_t n) {
  ledger_key key;
  key.bytes.fill(n);
  return key;
}

/// The error of a step that must fail.
template <class T>
error failure_of(const result<T>& answer) {
  REQUIRE_FALSE(answer.ok());
  return answer.error();
}

}  // namespace

TEST_CASE("an add on SQLite that leaves 64 bits is poison, in STRICT tables and outside") {
  for (const std::string suffix : {"", " STRICT"}) {
    sqlite_node node("CREATE TABLE stock(sku TEXT PRIMARY KEY, n INT NOT NULL)" + suffix +
                         "; INSERT INTO stock VALUES('a', 9223372036854775807)",
                     {"stock"});
    const auto session = node.open_commit();
    const auto add = shape_of(effect_kind::add, {"n"});
    node.begin(*session);
    const auto why =
        failure_of(session->apply(statement_of(add, {{value::text("a"), value::integer(1)}})));
    CHECK(why.kind == fault::poison);
    session->rollback();
    CHECK(node.ask("SELECT n FROM stock") == "9223372036854775807");
  }
}

TEST_CASE(
    "an add on SQLite creates the missing row from its defaults, unless it was told to fail") {
  sqlite_node node(stock, {"stock"});
  const auto session = node.open_commit();
  const auto add = shape_of(effect_kind::add, {"n"});
  const auto strict = shape_of(effect_kind::add, {"n"}, missing_row::fail);
  node.begin(*session);
  must(session->apply(statement_of(
      add, {{value::text("a"), value::integer(-3)}, {value::text("a"), value::integer(5)}})));
  CHECK(failure_of(session->apply(statement_of(strict, {{value::text("b"), value::integer(1)}})))
            .kind == fault::poison);
  must(session->commit());
  CHECK(node.ask("SELECT n FROM stock") == "2");
}

TEST_CASE("an add to a NULL on SQLite is poison, since it would be lost") {
  sqlite_node node(std::string(stock) + "; INSERT INTO stock(sku) VALUES('a')", {"stock"});
  const auto session = node.open_commit();
  const auto add = shape_of(effect_kind::add, {"loose"});
  for (const char* sku : {"a", "b"}) {
    node.begin(*session);
    CHECK(failure_of(session->apply(statement_of(add, {{value::text(sku), value::integer(1)}})))
              .kind == fault::poison);
    session->rollback();
  }
}

TEST_CASE("an add to a column that is no integer is a wrong deployment on SQLite") {
  sqlite_node node(stock, {"stock"});
  const auto session = node.open_commit();
  const auto add = shape_of(effect_kind::add, {"price"});
  node.begin(*session);
  CHECK(
      failure_of(session->apply(statement_of(add, {{value::text("a"), value::integer(1)}}))).kind ==
      fault::deployment);
}

TEST_CASE("a set of a missing row on SQLite is poison, a remove of one passes") {
  sqlite_node node(stock, {"stock"});
  const auto session = node.open_commit();
  const auto set = shape_of(effect_kind::set, {"note"});
  const auto remove = shape_of(effect_kind::remove, {});
  node.begin(*session);
  must(session->apply(statement_of(remove, {{value::text("a")}})));
  CHECK(
      failure_of(session->apply(statement_of(set, {{value::text("a"), value::text("x")}}))).kind ==
      fault::poison);
}

TEST_CASE("an upsert on SQLite updates under a CHECK that the new row alone would break") {
  sqlite_node node(
      "CREATE TABLE stock(sku TEXT PRIMARY KEY, n INT, note TEXT, CHECK (n > 0 OR note IS NOT "
      "NULL));"
      "INSERT INTO stock VALUES('a', 1, 'old')",
      {"stock"});
  const auto session = node.open_commit();
  const auto upsert = shape_of(effect_kind::upsert, {"n"});
  node.begin(*session);
  must(session->apply(statement_of(upsert, {{value::text("a"), value::integer(-1)}})));
  must(session->commit());
  CHECK(node.ask("SELECT n FROM stock") == "-1");
}

TEST_CASE("decimals and bytes reach SQLite's columns unchanged") {
  sqlite_node node(
      "CREATE TABLE stock(sku TEXT PRIMARY KEY, digits TEXT, raw BLOB, maybe INT) STRICT",
      {"stock"});
  const auto session = node.open_commit();
  const auto upsert = shape_of(effect_kind::upsert, {"digits", "raw", "maybe"});
  node.begin(*session);
  must(session->apply(
      statement_of(upsert, {{value::text("a'\"?"), value::decimal("12345678901234567890.10"),
                             value::bytes(std::string("\0x", 2)), value::null()}})));
  must(session->commit());
  CHECK(node.ask("SELECT digits FROM stock WHERE sku = 'a''\"?'") == "12345678901234567890.10");
  CHECK(node.ask("SELECT hex(raw) FROM stock") == "0078");
  CHECK(node.ask("SELECT maybe FROM stock") == "NULL");
}

TEST_CASE("a unique guard on SQLite tells duplicates from conflicts by the compared columns") {
  sqlite_node node("CREATE TABLE stock(sku TEXT, kind TEXT, n INT, note TEXT, UNIQUE(sku, kind))",
                   {"stock"});
  const auto session = node.open_commit();
  const effect_shape insert{
      effect_kind::insert, "stock", {"kind", "sku"}, {"sku", "kind", "n", "note"}, {}};
  const auto row = [](const char* sku, value n, const char* note) {
    return std::vector<value>{value::text(sku), value::text("k"), std::move(n), value::text(note)};
  };
  auto guard =
      statement_of(insert, {row("a", value::integer(1), "x"), row("a", value::integer(1), "other"),
                            row("a", value::integer(2), "x"), row("b", value::null(), "x"),
                            row("b", value::null(), "x"), row("b", value::integer(0), "x")});
  guard.guard = true;
  guard.compared = {"n"};
  node.begin(*session);
  CHECK(must(session->apply(guard)) == std::vector{row_verdict::written, row_verdict::duplicate,
                                                   row_verdict::conflict, row_verdict::written,
                                                   row_verdict::duplicate, row_verdict::conflict});
  CHECK(failure_of(session->apply(statement_of(insert, {row("a", value::integer(1), "x")}))).kind ==
        fault::poison);
}

TEST_CASE("no write is lost in silence to the conflict clauses or triggers of a SQLite table") {
  sqlite_node node(
      "CREATE TABLE stock(sku TEXT PRIMARY KEY, n INT UNIQUE ON CONFLICT REPLACE,"
      " m INT UNIQUE ON CONFLICT IGNORE, r INT UNIQUE ON CONFLICT ROLLBACK, note TEXT);"
      "INSERT INTO stock VALUES('a', 1, 1, 1, '');"
      "CREATE TRIGGER veto BEFORE INSERT ON stock WHEN new.note = 'veto'"
      " BEGIN SELECT RAISE(IGNORE); END",
      {"stock"});
  const auto session = node.open_commit();
  const auto insert = [](const char* column) {
    return effect_shape{effect_kind::insert, "stock", {}, {"sku", column}, {}};
  };
  node.begin(*session);
  for (const char* column : {"n", "m", "r"}) {
    INFO(column);
    must(session->savepoint());
    const auto shape = insert(column);
    CHECK(failure_of(session->apply(statement_of(shape, {{value::text("b"), value::integer(1)}})))
              .kind == fault::poison);
    must(session->rollback_to());
  }
  const auto vetoed = insert("note");
  CHECK(failure_of(session->apply(statement_of(vetoed, {{value::text("b"), value::text("veto")}})))
            .kind == fault::poison);
  must(session->commit());
  CHECK(node.ask("SELECT count(*) || sku FROM stock") == "1a");
}

TEST_CASE(
    "a transaction that SQLite rolled back by itself is started again, and nothing slips out") {
  sqlite_node node(std::string(stock) +
                       ";CREATE TRIGGER gone BEFORE INSERT ON stock WHEN new.sku = 'bad'"
                       " BEGIN SELECT RAISE(ROLLBACK, 'gone'); END",
                   {"stock"});
  const auto session = node.open_commit();
  const auto insert = effect_shape{effect_kind::insert, "stock", {}, {"sku"}, {}};
  node.begin(*session);
  must(session->apply(statement_of(insert, {{value::text("first")}})));
  must(session->savepoint());
  CHECK(failure_of(session->apply(statement_of(insert, {{value::text("bad")}}))).kind ==
        fault::poison);
  CHECK(failure_of(session->apply(statement_of(insert, {{value::text("later")}}))).kind ==
        fault::retry);
  CHECK(failure_of(session->rollback_to()).kind == fault::retry);
  CHECK(failure_of(session->commit()).kind == fault::retry);
  session->rollback();
  CHECK(node.ask("SELECT count(*) FROM stock") == "0");
  node.begin(*session);
  must(session->apply(statement_of(insert, {{value::text("first")}})));
  must(session->commit());
  CHECK(node.ask("SELECT count(*) FROM stock") == "1");
}

TEST_CASE("a deferred foreign key speaks before COMMIT on SQLite, and inside its savepoint") {
  sqlite_node node(
      "CREATE TABLE p(id INT PRIMARY KEY); CREATE TABLE stock(sku TEXT PRIMARY KEY, p INT"
      " REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED)",
      {"p", "stock"});
  const auto session = node.open_commit();
  const auto child = effect_shape{effect_kind::insert, "stock", {}, {"sku", "p"}, {}};
  const auto parent = effect_shape{effect_kind::insert, "p", {}, {"id"}, {}};
  node.begin(*session);
  must(session->savepoint());
  must(session->apply(statement_of(child, {{value::text("a"), value::integer(1)}})));
  CHECK(failure_of(session->check_constraints()).kind == fault::poison);
  must(session->apply(statement_of(parent, {{value::integer(1)}})));
  must(session->check_constraints());
  must(session->release());
  must(session->savepoint());
  must(session->apply(statement_of(child, {{value::text("b"), value::integer(2)}})));
  CHECK(failure_of(session->check_constraints()).kind == fault::poison);
  must(session->rollback_to());
  must(session->check_constraints());
  must(session->commit());
  CHECK(node.ask("SELECT group_concat(sku) FROM stock") == "a");
}

TEST_CASE("a COMMIT that a deferred foreign key refuses on SQLite is poison and can be undone") {
  sqlite_node node(
      "CREATE TABLE p(id INT PRIMARY KEY); CREATE TABLE stock(sku TEXT PRIMARY KEY, p INT"
      " REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED)",
      {"stock"});
  const auto session = node.open_commit();
  const auto child = effect_shape{effect_kind::insert, "stock", {}, {"sku", "p"}, {}};
  node.begin(*session);
  must(session->apply(statement_of(child, {{value::text("a"), value::integer(1)}})));
  CHECK(failure_of(session->commit()).kind == fault::poison);
  session->rollback();
  CHECK_FALSE(must(session->was_committed()));
  CHECK(node.ask("SELECT count(*) FROM stock") == "0");
}

TEST_CASE("savepoints on SQLite nest") {
  sqlite_node node(stock, {"stock"});
  const auto session = node.open_commit();
  const auto insert = effect_shape{effect_kind::insert, "stock", {}, {"sku"}, {}};
  const auto put = [&](const char* sku) {
    must(session->apply(statement_of(insert, {{value::text(sku)}})));
  };
  node.begin(*session);
  must(session->savepoint());
  put("a");
  must(session->savepoint());
  put("b");
  must(session->rollback_to());
  put("c");
  must(session->release());
  must(session->savepoint());
  put("d");
  must(session->rollback_to());
  must(session->commit());
  CHECK(node.ask("SELECT group_concat(sku) FROM (SELECT sku FROM stock ORDER BY sku)") == "a,c");
}

TEST_CASE("a SQLite table that is dropped under a session is a wrong deployment, not poison") {
  sqlite_node node(stock, {"stock"});
  const auto session = node.open_commit();
  const auto insert = effect_shape{effect_kind::insert, "stock", {}, {"sku"}, {}};
  node.begin(*session);
  must(session->apply(statement_of(insert, {{value::text("a")}})));
  must(session->commit());
  must(node.store->execute_script("DROP TABLE stock"));
  node.begin(*session);
  CHECK(failure_of(session->apply(statement_of(insert, {{value::text("b")}}))).kind ==
        fault::deployment);
}

TEST_CASE("an expression that can't be computed from a row's values is not a wrong deployment") {
  sqlite_node node(
      "CREATE TABLE stock(sku TEXT PRIMARY KEY, body TEXT,"
      " size INT GENERATED ALWAYS AS (json_array_length(body)) STORED)",
      {"stock"});
  const auto session = node.open_commit();
  const auto insert = effect_shape{effect_kind::insert, "stock", {}, {"sku", "body"}, {}};
  node.begin(*session);
  CHECK(failure_of(
            session->apply(statement_of(insert, {{value::text("a"), value::text("{no json")}})))
            .kind == fault::unknown);
}

TEST_CASE("the commit token tells on SQLite whether the last commit happened") {
  sqlite_node node(stock, {"stock"});
  const auto session = node.open_commit();
  CHECK_FALSE(must(session->was_committed()));
  node.begin(*session);
  session->rollback();
  CHECK_FALSE(must(session->was_committed()));
  node.begin(*session);
  must(session->commit());
  CHECK(must(session->was_committed()));
  node.begin(*session);
  session->rollback();
  CHECK_FALSE(must(session->was_committed()));
}

TEST_CASE("a SQLite ledger row is found after a rotation and gone after retirement") {
  sqlite_node node;
  const auto session = node.open_commit();
  const auto janitor = must(node.store->open_janitor("c"));
  const std::vector<ledger_row> rows{{key_of(1), {std::numeric_limits<std::uint64_t>::max()}}};
  const auto insert = [&] {
    node.begin(*session);
    auto traces = must(session->insert_ledger(rows));
    must(session->commit());
    return traces.at(0);
  };
  CHECK_FALSE(insert().has_value());
  must(janitor->rotate());
  const auto frozen = insert();
  REQUIRE(frozen.has_value());
  CHECK(frozen->content == rows[0].content);
  const auto ring = must(janitor->ledger()).ring;
  CHECK(ring.at(0).rows == 1);
  CHECK(ring.at(0).state == generation_state::frozen);
  CHECK_FALSE(janitor->truncate(1).ok());
  must(janitor->retire(1));
  CHECK_FALSE(insert().has_value());
  must(janitor->truncate(1));
  CHECK(node.ask("SELECT count(*) FROM pawl_ledger_1_0") == "0");
}
