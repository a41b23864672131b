#include "protocol/message.hpp"
#include "protocol/utf8.hpp"
#include "protocol/value.hpp"
#include "tests/check.hpp"

using namespace pawl;

TEST_CASE("a value as text keeps every digit and character") {
  CHECK(value::integer(INT64_MIN).to_text() == "-9223372036854775808");
  CHECK(value::decimal("1234567890123456789.10").to_text() == "1234567890123456789.10");
  CHECK(value::boolean(true).to_text() == "true");
  CHECK(value::boolean(false).to_text() == "false");
  CHECK(value::text("J\xc3\xb6rg").to_text() == "J\xc3\xb6rg");
  CHECK(value::json("[1, 2]").to_text() == "[1, 2]");
  CHECK(value::null().to_text().empty());
  CHECK(value::absent().to_text().empty());
}

TEST_CASE("values of different kinds differ even where their text is the same") {
  CHECK_FALSE(value::text("5") == value::integer(5));
  CHECK_FALSE(value::text("5") == value::decimal("5"));
  CHECK_FALSE(value::null() == value::absent());
}

TEST_CASE("of two headers with one name the last counts") {
  message one;
  one.headers = {{"type", "first"}, {"other", "x"}, {"type", "last"}};
  CHECK(one.header_value("type") == "last");
  CHECK(one.header_value("other") == "x");
  CHECK_FALSE(one.header_value("Type").has_value());
}

TEST_CASE("UTF-8 is accepted only if it is well-formed") {
  for (const char* good : {"", "ascii", "\xc3\xb6", "\xe2\x82\xac", "\xed\x9f\xbf",
                           "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    CAPTURE(good);
    CHECK(valid_utf8(good));
  }
  for (const char* bad :
       {"\x80", "\xc0\xaf", "\xc1\xbf", "\xc3", "\xe0\x80\xaf", "\xe2\x82", "\xed\xa0\x80",
        "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3("}) {
    CAPTURE(bad);
    CHECK_FALSE(valid_utf8(bad));
  }
}

TEST_CASE("cut text never ends inside a character") {
  CHECK(cut_utf8("a\xe2\x82\xac", 3) == "a");
  CHECK(cut_utf8("a\xe2\x82\xac", 4) == "a\xe2\x82\xac");
  CHECK(cut_utf8("abc", 2) == "ab");
  CHECK(cut_utf8("abc", 9) == "abc");
}
