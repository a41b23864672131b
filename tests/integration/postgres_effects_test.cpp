#include "tests/check.hpp"
#include "tests/support/postgres_committer.hpp"

#include <limits>

namespace {

using namespace pawl;
using namespace pawl::test;

const std::string inventory_sql =
    "CREATE TABLE inventory (sku text PRIMARY KEY, reserved bigint NOT NULL DEFAULT 0, price "
    "numeric(10,2) NOT NULL DEFAULT 0, note varchar(5), CHECK (reserved >= 0))";

effect_statement statement_of(const effect_shape* shape, std::vector<std::vector<value>> rows) {
  effect_statement statement;
  statement.shape = shape;
  std::uint32_t item = 0;
  for (auto& values : rows) {
    statement.rows.push_back({item++, std::move(values)});
  }
  return statement;
}

}  // namespace

TEST_CASE("PostgreSQL: an add creates missing rows from their defaults and adds to the others") {
  postgres_node node(inventory_sql + "; INSERT INTO inventory (sku, reserved) VALUES ('b', 40)",
                     {"inventory"});
  auto session = node.committer();
  const auto* shape = node.shape({effect_kind::add, "inventory", {"sku"}, {"reserved"}});
  const auto verdicts = apply_alone(*session, node.grants,
                                    statement_of(shape, {{value::text("a"), value::integer(3)},
                                                         {value::text("b"), value::integer(2)},
                                                         {value::text("c"), value::integer(7)}}));
  REQUIRE(verdicts.ok());
  CHECK(*verdicts == std::vector<row_verdict>(3, row_verdict::written));
  CHECK(node.database.ask("SELECT string_agg(sku || reserved, ',' ORDER BY sku) FROM inventory") ==
        "a3,b42,c7");
}

TEST_CASE("PostgreSQL: an add that would break a lower bound is legal if the sum keeps it") {
  postgres_node node(inventory_sql + "; INSERT INTO inventory (sku, reserved) VALUES ('a', 40)",
                     {"inventory"});
  auto session = node.committer();
  const auto* shape = node.shape({effect_kind::add, "inventory", {"sku"}, {"reserved"}});
  CHECK(apply_alone(*session, node.grants,
                    statement_of(shape, {{value::text("a"), value::integer(-10)}}))
            .ok());
  const auto refused = apply_alone(*session, node.grants,
                                   statement_of(shape, {{value::text("a"), value::integer(-31)}}));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::poison);
  CHECK(refused.error().code == "23514");
  CHECK(node.database.ask("SELECT reserved FROM inventory") == "30");
}

TEST_CASE("PostgreSQL: an add that must find its row fails if it is missing") {
  postgres_node node(inventory_sql, {"inventory"});
  auto session = node.committer();
  const auto* shape =
      node.shape({effect_kind::add, "inventory", {"sku"}, {"reserved"}, missing_row::fail});
  const auto refused = apply_alone(*session, node.grants,
                                   statement_of(shape, {{value::text("a"), value::integer(1)}}));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::poison);
  CHECK(refused.error().code == "PW001");
  CHECK(refused.error().text.find("inventory") != std::string::npos);
}

TEST_CASE("PostgreSQL: an upsert updates rows that exist and inserts the rest") {
  postgres_node node(inventory_sql + "; INSERT INTO inventory (sku, reserved) VALUES ('a', 40)",
                     {"inventory"});
  auto session = node.committer();
  const auto* shape = node.shape({effect_kind::upsert, "inventory", {"sku"}, {"reserved", "note"}});
  REQUIRE(
      apply_alone(*session, node.grants,
                  statement_of(shape, {{value::text("a"), value::integer(1), value::null()},
                                       {value::text("b"), value::integer(2), value::text("new")}}))
          .ok());
  CHECK(node.database.ask("SELECT string_agg(sku || reserved || coalesce(note, '-'), ',' ORDER BY "
                          "sku) FROM inventory") == "a1-,b2new");
  const auto* key_only = node.shape({effect_kind::upsert, "inventory", {"sku"}, {}});
  REQUIRE(apply_alone(*session, node.grants,
                      statement_of(key_only, {{value::text("a")}, {value::text("c")}}))
              .ok());
  CHECK(node.database.ask("SELECT count(*) FROM inventory") == "3");
}

TEST_CASE("PostgreSQL: a set that misses a row fails and a remove passes") {
  postgres_node node(inventory_sql + "; INSERT INTO inventory (sku) VALUES ('a')", {"inventory"});
  auto session = node.committer();
  const auto* set = node.shape({effect_kind::set, "inventory", {"sku"}, {"reserved"}});
  const auto missed = apply_alone(*session, node.grants,
                                  statement_of(set, {{value::text("a"), value::integer(1)},
                                                     {value::text("z"), value::integer(1)}}));
  REQUIRE_FALSE(missed.ok());
  CHECK(missed.error().kind == fault::poison);
  const auto* remove = node.shape({effect_kind::remove, "inventory", {"sku"}, {}});
  CHECK(apply_alone(*session, node.grants,
                    statement_of(remove, {{value::text("a")}, {value::text("z")}}))
            .ok());
  CHECK(node.database.ask("SELECT count(*) FROM inventory") == "0");
}

TEST_CASE("PostgreSQL: rows that a trigger keeps back fail their message instead of vanishing") {
  postgres_node node(inventory_sql +
                         "; INSERT INTO inventory (sku) VALUES ('a'); CREATE FUNCTION keep() "
                         "RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE "
                         "TRIGGER keep BEFORE UPDATE ON inventory FOR EACH ROW EXECUTE FUNCTION "
                         "keep()",
                     {"inventory"});
  auto session = node.committer();
  const auto* shape = node.shape({effect_kind::add, "inventory", {"sku"}, {"reserved"}});
  const auto kept = apply_alone(*session, node.grants,
                                statement_of(shape, {{value::text("a"), value::integer(1)}}));
  REQUIRE_FALSE(kept.ok());
  CHECK(kept.error().kind == fault::poison);
}

TEST_CASE("PostgreSQL: a text that is too long fails and is never cut") {
  postgres_node node(inventory_sql + "; INSERT INTO inventory (sku) VALUES ('a')", {"inventory"});
  auto session = node.committer();
  const auto* shape = node.shape({effect_kind::set, "inventory", {"sku"}, {"note"}});
  const auto refused =
      apply_alone(*session, node.grants,
                  statement_of(shape, {{value::text("a"), value::text("longer than five")}}));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == "22001");
}

TEST_CASE("PostgreSQL: a delta is rounded with the sum, not before it") {
  postgres_node node(inventory_sql + "; INSERT INTO inventory (sku, price) VALUES ('a', -1.00)",
                     {"inventory"});
  auto session = node.committer();
  const auto* shape = node.shape({effect_kind::add, "inventory", {"sku"}, {"price"}});
  REQUIRE(apply_alone(*session, node.grants,
                      statement_of(shape, {{value::text("a"), value::decimal("0.005")}}))
              .ok());
  node.database.execute("UPDATE inventory SET note = (-1.00 + 0.005)::numeric(10,2)");
  CHECK(node.database.ask("SELECT price = note::numeric FROM inventory") == "t");
}

TEST_CASE("PostgreSQL: values of every kind arrive as they were sent") {
  postgres_node node(
      "CREATE TYPE mood AS ENUM ('sad', 'it''s \"fine\"'); CREATE DOMAIN small AS int CHECK (VALUE "
      "< 10); CREATE TABLE \"odd \"\"name\"\"\" (id int PRIMARY KEY, \"a \"\"text\" text, raw "
      "bytea, "
      "flag boolean, doc jsonb, plain json, at timestamptz, moods mood, tags text[], tiny small, "
      "real8 float8, whole uuid, fixed char(4), bits bit(3), address inet)",
      {"odd \"name\""});
  auto session = node.committer();
  REQUIRE(node.tables.find("odd \"name\"") != nullptr);
  const std::string hard = "a,b {x} \"q\" \\ 'NULL' \t\n gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xbe ";
  const std::string bytes("\x00\xff\\\"'", 5);
  const auto* shape = node.shape({effect_kind::upsert,
                                  "odd \"name\"",
                                  {"id"},
                                  {"a \"text", "raw", "flag", "doc", "plain", "at", "moods", "tags",
                                   "tiny", "real8", "whole", "fixed", "bits", "address"}});
  REQUIRE(apply_alone(
              *session, node.grants,
              statement_of(
                  shape,
                  {{value::integer(1), value::text(hard), value::bytes(bytes), value::boolean(true),
                    value::json(R"({"a":"\"\\ "})"), value::json("[1, 2]"),
                    value::text("2026-01-02 03:04:05+00"), value::text("it's \"fine\""),
                    value::text("{\"x,y\",NULL}"), value::integer(9), value::decimal("1e300"),
                    value::text("00000000-0000-4000-8000-000000000001"), value::text("ab"),
                    value::text("101"), value::text("10.0.0.1")},
                   {value::integer(2), value::text(""), value::null(), value::null(), value::null(),
                    value::null(), value::null(), value::null(), value::null(), value::null(),
                    value::null(), value::null(), value::null(), value::null(), value::null()},
                   {value::integer(3), value::text("NULL"), value::bytes(""), value::boolean(false),
                    value::null(), value::null(), value::null(), value::null(), value::null(),
                    value::null(), value::null(), value::null(), value::null(), value::null(),
                    value::null()}}))
              .ok());
  const std::string from = " FROM \"odd \"\"name\"\"\" WHERE id = ";
  CHECK(node.database.ask("SELECT \"a \"\"text\"" + from + "1") == hard);
  CHECK(node.database.ask("SELECT encode(raw, 'hex')" + from + "1") == "00ff5c2227");
  CHECK(node.database.ask("SELECT doc ->> 'a'" + from + "1") == "\"\\ ");
  CHECK(node.database.ask("SELECT plain::text" + from + "1") == "[1, 2]");
  CHECK(node.database.ask("SELECT extract(epoch FROM at)::bigint" + from + "1") == "1767323045");
  CHECK(node.database.ask("SELECT moods" + from + "1") == "it's \"fine\"");
  CHECK(node.database.ask("SELECT tags[1] || coalesce(tags[2], '-')" + from + "1") == "x,y-");
  CHECK(node.database.ask("SELECT tiny" + from + "1") == "9");
  CHECK(node.database.ask("SELECT bits::text || octet_length(fixed)" + from + "1") == "1014");
  CHECK(node.database.ask("SELECT \"a \"\"text\"" + from + "2").empty());
  CHECK(node.database.ask("SELECT raw" + from + "2") == "NULL");
  CHECK(node.database.ask("SELECT \"a \"\"text\" = 'NULL'" + from + "3") == "t");
  CHECK(node.database.ask("SELECT length(raw)" + from + "3") == "0");
}

TEST_CASE("PostgreSQL: a NUL in a text is refused before the driver can cut it off") {
  postgres_node node(inventory_sql, {"inventory"});
  auto session = node.committer();
  const auto* shape = node.shape({effect_kind::upsert, "inventory", {"sku"}, {"reserved"}});
  const auto refused =
      apply_alone(*session, node.grants,
                  statement_of(shape, {{value::text(std::string("a\0b", 3)), value::integer(1)}}));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::poison);
  CHECK(node.database.ask("SELECT count(*) FROM inventory") == "0");
}

TEST_CASE("PostgreSQL: a unique guard merges twins as the column compares, and tells conflicts") {
  postgres_node node(
      "CREATE TABLE payments (order_id numeric NOT NULL, kind text NOT NULL, amount numeric(10,2), "
      "seen timestamptz DEFAULT now(), UNIQUE (order_id, kind)); INSERT INTO payments VALUES (7, "
      "'card', 5), (8, 'card', NULL)",
      {"payments"});
  auto session = node.committer();
  const auto* shape = node.shape(
      {effect_kind::insert, "payments", {"order_id", "kind"}, {"order_id", "kind", "amount"}});
  auto statement =
      statement_of(shape, {{value::decimal("1.0"), value::text("card"), value::decimal("3.005")},
                           {value::decimal("1.00"), value::text("card"), value::decimal("3.005")},
                           {value::decimal("1"), value::text("card"), value::integer(4)},
                           {value::integer(7), value::text("card"), value::decimal("5.00")},
                           {value::integer(8), value::text("card"), value::integer(1)},
                           {value::integer(8), value::text("cash"), value::null()},
                           {value::integer(7), value::text("card"), value::null()}});
  statement.guard = true;
  statement.compared = {"amount"};
  const auto verdicts = apply_alone(*session, node.grants, statement);
  REQUIRE(verdicts.ok());
  CHECK(*verdicts == std::vector<row_verdict>{row_verdict::written, row_verdict::duplicate,
                                              row_verdict::conflict, row_verdict::duplicate,
                                              row_verdict::conflict, row_verdict::written,
                                              row_verdict::conflict});
  CHECK(node.database.ask("SELECT count(*) FROM payments") == "4");
}

TEST_CASE("PostgreSQL: a unique guard compares text under the column's own collation") {
  postgres_node node(
      "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false); "
      "CREATE TABLE names (name text COLLATE blind NOT NULL UNIQUE, n int)",
      {"names"});
  auto session = node.committer();
  const auto* shape = node.shape({effect_kind::insert, "names", {"name"}, {"name", "n"}});
  auto statement = statement_of(shape, {{value::text("Ada"), value::integer(1)},
                                        {value::text("ADA"), value::integer(1)},
                                        {value::text("Bob"), value::integer(1)}});
  statement.guard = true;
  statement.compared = {"n"};
  const auto verdicts = apply_alone(*session, node.grants, statement);
  REQUIRE(verdicts.ok());
  CHECK(*verdicts == std::vector<row_verdict>{row_verdict::written, row_verdict::duplicate,
                                              row_verdict::written});
  CHECK_FALSE(node.tables.find("names")->find("name")->canonical);
}

TEST_CASE("PostgreSQL: an insert that is no guard and conflicts is poison") {
  postgres_node node(inventory_sql + "; INSERT INTO inventory (sku) VALUES ('a')", {"inventory"});
  auto session = node.committer();
  const auto* shape = node.shape({effect_kind::insert, "inventory", {}, {"sku"}});
  const auto refused =
      apply_alone(*session, node.grants, statement_of(shape, {{value::text("a")}}));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == fault::poison);
  CHECK(refused.error().code == "23505");
}
