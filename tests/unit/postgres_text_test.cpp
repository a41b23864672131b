#include "storage/postgres_array.hpp"
#include "storage/postgres_errors.hpp"
#include "storage/postgres_names.hpp"
#include "tests/check.hpp"

using namespace pawl;

TEST_CASE("a PostgreSQL array quotes every text and writes NULL bare") {
  array_literal array;
  array.add(std::string_view("a\"b\\c"));
  array.add_null();
  array.add(std::string_view("NULL"));
  array.add(value::integer(-7));
  array.add(value::boolean(true));
  array.add(value::bytes(std::string("\x00\xff", 2)));
  array.add(value::text(""));
  CHECK(array.take() == R"({"a\"b\\c",NULL,"NULL",-7,t,"\\x00ff",""})");
  CHECK(array.take() == "{}");
}

TEST_CASE("a ledger key survives its way through a uuid, and bytes theirs through hex") {
  property("keys", [](const std::vector<std::uint8_t>& bytes) {
    ledger_key key;
    for (std::size_t i = 0; i < bytes.size() && i < key.bytes.size(); ++i) {
      key.bytes[i] = bytes[i];
    }
    RC_ASSERT(ledger_key_from_uuid(uuid_text(key)) == key);
    const std::string text(bytes.begin(), bytes.end());
    RC_ASSERT(bytes_from_hex(bytea_literal(text)) == text);
  });
}

TEST_CASE("a SQLSTATE says what the caller may do") {
  for (const char* code :
       {"08006", "28P01", "3D000", "40001", "53100", "57P01", "58030", "25006"}) {
    INFO(code);
    CHECK(fault_of_sqlstate(code) == fault::retry);
  }
  for (const char* code : {"40P01", "55P03", "57014"}) {
    INFO(code);
    CHECK(fault_of_sqlstate(code) == fault::contended);
  }
  for (const char* code : {"42P01", "42501", "0A000", "XX000"}) {
    INFO(code);
    CHECK(fault_of_sqlstate(code) == fault::deployment);
  }
  for (const char* code : {"21000", "22P02", "23505", "44000", "54000", "P0001"}) {
    INFO(code);
    CHECK(fault_of_sqlstate(code) == fault::poison);
  }
  CHECK(fault_of_sqlstate("55006") == fault::unknown);
  CHECK(fault_of_sqlstate("") == fault::unknown);
}

TEST_CASE("PostgreSQL names are quoted, and a dot parts schema and table") {
  CHECK(quote_name("a\"b") == "\"a\"\"b\"");
  CHECK(quote_table("shop.orders") == "\"shop\".\"orders\"");
}

TEST_CASE("parameters travel in types that neither cut nor round") {
  const auto column = [](column_type type, const char* sql_type) {
    catalog_column made;
    made.type = type;
    made.sql_type = sql_type;
    return made;
  };
  CHECK(parameter_type(column(column_type::text, "character varying(5)")) == "character varying");
  CHECK(parameter_type(column(column_type::text, "character(5)")) == "bpchar");
  CHECK(parameter_type(column(column_type::decimal, "numeric(10,2)")) == "numeric");
  CHECK(parameter_type(column(column_type::other, "text[]")) == "text");
  CHECK(typed("d.c0", column(column_type::other, "timestamp(3) with time zone")) ==
        "CAST(d.c0 AS timestamp with time zone)");
  CHECK(typed("d.c0", column(column_type::other, "bit(3)")) == "CAST(d.c0 AS \"bit\")");
  CHECK(as_stored("d.c0", column(column_type::decimal, "numeric(10,2)")) ==
        "CAST(d.c0 AS numeric(10,2))");
}
