#include "runtime/config/scalar.hpp"
#include "tests/check.hpp"

using namespace pawl;

TEST_CASE("a configured integer has one way to be written") {
  CHECK(parse_integer("0") == 0);
  CHECK(parse_integer("-7") == -7);
  CHECK(parse_integer("9223372036854775807") == 9223372036854775807);
  for (const char* wrong : {"", "-", "010", "-0", "00", "+1", "0x10", "1e3", "1_000", " 1", "1 ",
                            "1.0", "9223372036854775808"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_integer(wrong).has_value());
  }
}

TEST_CASE("a configured boolean is true or false, not yes or on") {
  CHECK(parse_boolean("true") == true);
  CHECK(parse_boolean("false") == false);
  for (const char* wrong : {"yes", "no", "on", "off", "True", "1", "0", ""}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_boolean(wrong).has_value());
  }
}

TEST_CASE("a duration names its unit") {
  CHECK(parse_duration("500ms") == 500);
  CHECK(parse_duration("10s") == 10'000);
  CHECK(parse_duration("5m") == 300'000);
  CHECK(parse_duration("2h") == 7'200'000);
  CHECK(parse_duration("7d") == 604'800'000);
  for (const char* wrong :
       {"10", "s", "-1s", "1.5s", "10 s", "1w", "010s", "10S", "1h30m", "9223372036854775807d"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_duration(wrong).has_value());
  }
}

TEST_CASE("bytes are counted in powers of 1024") {
  CHECK(parse_bytes("65536") == 65'536);
  CHECK(parse_bytes("64KiB") == 65'536);
  CHECK(parse_bytes("16MiB") == 16'777'216);
  CHECK(parse_bytes("2GiB") == 2'147'483'648);
  for (const char* wrong : {"64KB", "64k", "64 KiB", "-1", "1.5MiB", "9223372036854775807GiB"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_bytes(wrong).has_value());
  }
}

TEST_CASE("a percentage is exact to four decimals") {
  CHECK(parse_percent("2%") == 20'000);
  CHECK(parse_percent("0.1%") == 1'000);
  CHECK(parse_percent("0.0001%") == 1);
  CHECK(parse_percent("100%") == 1'000'000);
  for (const char* wrong : {"2", "%", "2.%", ".5%", "0.00001%", "-1%", "2 %", "02%"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_percent(wrong).has_value());
  }
}

TEST_CASE("a number is written so that its own parser reads it back") {
  property("durations, bytes and percentages", [] {
    const auto number = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
    RC_ASSERT(parse_duration(format_duration(number)) == number);
    RC_ASSERT(parse_bytes(format_bytes(number)) == number);
    const std::int64_t parts = number % 1'000'000;
    RC_ASSERT(parse_percent(format_percent(parts)) == parts);
  });
}
