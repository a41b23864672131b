#include "protocol/catalog.hpp"
#include "tests/check.hpp"

using namespace pawl;

namespace {

catalog_column column(column_type type, int bits = 64) {
  catalog_column one;
  one.name = "c";
  one.type = type;
  one.sql_type = "sql";
  one.integer_bits = bits;
  return one;
}

bool takes(column_type type, const value& given) { return coerce(given, column(type)).ok(); }

const std::vector<value>& one_of_each() {
  static const std::vector<value> values{value::boolean(true),  value::integer(1),
                                         value::decimal("1.5"), value::text("x"),
                                         value::bytes("x"),     value::json("{\"a\":1}")};
  return values;
}

std::vector<value_kind> kinds_taken(column_type type) {
  std::vector<value_kind> kinds;
  for (const value& one : one_of_each()) {
    if (takes(type, one)) {
      kinds.push_back(one.kind());
    }
  }
  return kinds;
}

using kinds = std::vector<value_kind>;
constexpr auto boolean = value_kind::boolean;
constexpr auto integer = value_kind::integer;
constexpr auto decimal = value_kind::decimal;
constexpr auto text = value_kind::text;
constexpr auto bytes = value_kind::bytes;
constexpr auto json = value_kind::json;

}  // namespace

TEST_CASE("each column type takes its kinds of values and no others") {
  CHECK(kinds_taken(column_type::integer) == kinds{integer});
  CHECK(kinds_taken(column_type::decimal) == kinds{integer, decimal});
  CHECK(kinds_taken(column_type::real) == kinds{integer, decimal});
  CHECK(kinds_taken(column_type::text) == kinds{boolean, integer, decimal, text});
  CHECK(kinds_taken(column_type::bytes) == kinds{bytes});
  CHECK(kinds_taken(column_type::boolean) == kinds{boolean});
  CHECK(kinds_taken(column_type::uuid).empty());
  CHECK(kinds_taken(column_type::json) == kinds{boolean, integer, decimal, text, json});
  CHECK(kinds_taken(column_type::other) == kinds{integer, decimal, text});
}

TEST_CASE("a value that does not fit is poison, and the text names column, type and value") {
  const auto wrong = coerce(value::text("x"), column(column_type::integer));
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().kind == fault::poison);
  CHECK(wrong.error().text == "column \"c\" (sql) can't take text");
}

TEST_CASE("an integer column takes exactly the integers of its width") {
  CHECK(coerce(value::integer(32767), column(column_type::integer, 16)).ok());
  CHECK(coerce(value::integer(-32768), column(column_type::integer, 16)).ok());
  CHECK_FALSE(coerce(value::integer(32768), column(column_type::integer, 16)).ok());
  CHECK_FALSE(coerce(value::integer(-32769), column(column_type::integer, 16)).ok());
  CHECK(coerce(value::integer(-2147483648LL), column(column_type::integer, 32)).ok());
  CHECK_FALSE(coerce(value::integer(2147483648LL), column(column_type::integer, 32)).ok());
  CHECK(coerce(value::integer(INT64_MIN), column(column_type::integer, 64)).ok());
}

TEST_CASE("numbers and booleans become text in a text column") {
  CHECK(*coerce(value::integer(-5), column(column_type::text)) == value::text("-5"));
  CHECK(*coerce(value::decimal("1.50"), column(column_type::text)) == value::text("1.50"));
  CHECK(*coerce(value::boolean(false), column(column_type::text)) == value::text("false"));
}

TEST_CASE("NUL and malformed UTF-8 are refused wherever text goes") {
  for (const auto type : {column_type::text, column_type::json, column_type::other}) {
    CHECK_FALSE(takes(type, value::text(std::string("a\0b", 3))));
    CHECK_FALSE(takes(type, value::text("\xff")));
  }
  CHECK(takes(column_type::bytes, value::bytes(std::string("a\0\xff", 3))));
}

TEST_CASE("a UUID becomes lower case, and what is none is refused") {
  CHECK(*coerce(value::text("0190F3A2-7C1E-7B44-9D55-0123456789AB"), column(column_type::uuid)) ==
        value::text("0190f3a2-7c1e-7b44-9d55-0123456789ab"));
  for (const char* bad :
       {"", "0190f3a2", "0190f3a2-7c1e-7b44-9d55-0123456789ag",
        "0190f3a27c1e-7b44-9d55-0123456789ab-", "{0190f3a2-7c1e-7b44-9d55-012345}"}) {
    CAPTURE(bad);
    CHECK_FALSE(takes(column_type::uuid, value::text(bad)));
  }
}

TEST_CASE("a json column takes scalars as JSON") {
  CHECK(*coerce(value::text("a\"\\\n\x01"), column(column_type::json)) ==
        value::json("\"a\\\"\\\\\\u000a\\u0001\""));
  CHECK(*coerce(value::integer(5), column(column_type::json)) == value::json("5"));
  CHECK(*coerce(value::json("[1]"), column(column_type::json)) == value::json("[1]"));
}

TEST_CASE("a real column refuses what a double can't hold") {
  CHECK(takes(column_type::real, value::decimal("1e300")));
  CHECK_FALSE(takes(column_type::real, value::decimal("1e400")));
  CHECK(takes(column_type::decimal, value::decimal("1e400")));
}

TEST_CASE("null goes everywhere but into a NOT NULL column, and an absent value nowhere") {
  auto strict = column(column_type::text);
  strict.not_null = true;
  CHECK_FALSE(coerce(value::null(), strict).ok());
  for (const auto type : {column_type::integer, column_type::text, column_type::json,
                          column_type::uuid, column_type::other}) {
    CHECK(coerce(value::null(), column(type))->is_null());
    CHECK_FALSE(takes(type, value::absent()));
  }
}

TEST_CASE("coercing twice changes nothing more") {
  property("for text and integers into every column type",
           [](const std::string& given, std::int64_t n) {
             for (int type = 0; type <= static_cast<int>(column_type::other); ++type) {
               const auto target = column(static_cast<column_type>(type));
               for (const value& one : {value::text(given), value::integer(n)}) {
                 const auto once = coerce(one, target);
                 if (once.ok()) {
                   const auto twice = coerce(*once, target);
                   RC_ASSERT(twice.ok());
                   RC_ASSERT(*twice == *once);
                 }
               }
             }
           });
}

TEST_CASE("the nearest name is suggested for a slip, and nothing for another word") {
  const std::vector<std::string> known{"inventory", "shipments", "sku", "on_hand"};
  CHECK(nearest_name("inventroy", known) == "inventory");
  CHECK(nearest_name("Inventory", known) == "inventory");
  CHECK(nearest_name("shipment", known) == "shipments");
  CHECK(nearest_name("skv", known) == "sku");
  CHECK(nearest_name("onhand", known) == "on_hand");
  CHECK(nearest_name("customers", known).empty());
  CHECK(nearest_name("", known).empty());
  CHECK(nearest_name("x", {}).empty());
}

TEST_CASE("tables and columns are found by their exact name") {
  catalog tables;
  catalog_table table;
  table.name = "inventory";
  table.columns = {column(column_type::text)};
  tables.tables.emplace("inventory", table);
  REQUIRE(tables.find("inventory") != nullptr);
  CHECK(tables.find("Inventory") == nullptr);
  CHECK(tables.find("inventory")->find("c") != nullptr);
  CHECK(tables.find("inventory")->find("d") == nullptr);
}
