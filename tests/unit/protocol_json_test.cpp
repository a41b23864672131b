#include "protocol/json_number.hpp"
#include "protocol/json_reader.hpp"
#include "protocol/limits.hpp"
#include "tests/check.hpp"

using namespace pawl;

namespace {

/// A reader of the given paths with their slots.
struct fixture {
  explicit fixture(const std::vector<std::string>& paths = {"$.a"}) : reader(make(paths)) {}

  json_plan make(const std::vector<std::string>& paths) {
    json_plan plan;
    for (const std::string& one : paths) {
      slots.push_back(plan.add(parse_path(one)->steps));
    }
    return plan;
  }

  value at(std::size_t path) { return reader.token(slots[path]).to_value(); }
  value at(std::size_t path, std::size_t element) {
    return reader.token(slots[path], element).to_value();
  }

  std::vector<std::size_t> slots;
  json_reader reader;
};

/// What stands at `$.a`, or an absent value if the payload is refused.
value read_a(std::string_view payload) {
  fixture f;
  return f.reader.read(payload).ok() ? f.at(0) : value::absent();
}

bool refused(std::string_view payload) {
  fixture f;
  const auto read = f.reader.read(payload);
  if (!read.ok()) {
    CHECK(read.error().kind == fault::poison);
    CHECK(read.error().text.find("the payload is not JSON that can be read: ") == 0);
  }
  return !read.ok();
}

std::string nested(std::size_t levels) {
  return "{\"z\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + ",\"a\":1}";
}

std::uint64_t hash_of(std::string_view payload, const std::vector<std::string>& left_out = {}) {
  fixture f(left_out);
  const auto hashed = f.reader.hash_without_slots(payload);
  REQUIRE(hashed.ok());
  return *hashed;
}

/// JSON text of a random value, valid by construction.
std::string random_json(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0:
      return "null";
    case 1:
      return "true";
    case 2:
      return std::to_string(*rc::gen::arbitrary<std::int64_t>());
    case 3:
      return "-0.5e+3";
    case 4:
      return *rc::gen::elementOf(std::vector<std::string>{"\"\"", "\"x\\n\\u00e9\"", "\"\\\\\""});
    case 5: {
      std::string text = "[";
      const int count = *rc::gen::inRange(0, 4);
      for (int i = 0; i < count; ++i) {
        text += (i == 0 ? "" : " , ") + random_json(depth - 1);
      }
      return text + "]";
    }
    default: {
      std::string text = "{";
      const int count = *rc::gen::inRange(0, 4);
      for (int i = 0; i < count; ++i) {
        text += (i == 0 ? "\"" : ",\"") + std::string(1, static_cast<char>('a' + i)) +
                "\" : " + random_json(depth - 1);
      }
      return text + "}";
    }
  }
}

}  // namespace

TEST_CASE("numbers keep every digit") {
  CHECK(read_a(R"({"a":0})") == value::integer(0));
  CHECK(read_a(R"({"a":-0})") == value::integer(0));
  CHECK(read_a(R"({"a": 9223372036854775807 })") == value::integer(INT64_MAX));
  CHECK(read_a(R"({"a":-9223372036854775808})") == value::integer(INT64_MIN));
  CHECK(read_a(R"({"a":9223372036854775808})") == value::decimal("9223372036854775808"));
  CHECK(read_a(R"({"a":-9223372036854775809})") == value::decimal("-9223372036854775809"));
  CHECK(read_a(R"({"a":123456789012345678901234567890})") ==
        value::decimal("123456789012345678901234567890"));
  CHECK(read_a("{\"a\": 0.1000000000000000055511151231257827\t,\"b\":1}") ==
        value::decimal("0.1000000000000000055511151231257827"));
  CHECK(read_a(R"({"a":1e3})") == value::decimal("1e3"));
  CHECK(read_a(R"({"a":1.0})") == value::decimal("1.0"));
}

TEST_CASE("a number outside the grammar is malformed") {
  for (const char* bad : {"", "-", "01", "-01", "1.", ".5", "1e", "1e+", "+1", "12abc", "01.e",
                          "0x10", "1_000", "Infinity", "NaN", "1.2.3", "--1", "1 2"}) {
    CAPTURE(bad);
    CHECK(read_json_number(bad).kind == json_number_kind::malformed);
    CHECK(refused("{\"a\":" + std::string(bad) + "}"));
    CHECK(refused("{\"b\":[" + std::string(bad) + "]}") == !std::string(bad).empty());
  }
}

TEST_CASE("strings come unescaped, literals as what they are") {
  CHECK(read_a(R"({"a":""})") == value::text(""));
  CHECK(read_a(R"({"a":"J\u00f6rg \"X\" \\"})") == value::text("J\xc3\xb6rg \"X\" \\"));
  CHECK(read_a(R"({"a":"\ud83d\ude00"})") == value::text("\xf0\x9f\x98\x80"));
  CHECK(read_a(R"({"a":"x\u0000y"})") == value::text(std::string("x\0y", 3)));
  CHECK(read_a(R"({"a":null})") == value::null());
  CHECK(read_a(R"({"a":true})") == value::boolean(true));
  CHECK(read_a(R"({"a":false})") == value::boolean(false));
  CHECK(read_a(R"({"\u0061":"x"})") == value::text("x"));
}

TEST_CASE("an object or array read as a value keeps its raw text") {
  CHECK(read_a(R"({"a":{"b":[1, 2]} ,"c":1})") == value::json(R"({"b":[1, 2]})"));
  CHECK(read_a("{\"a\":[ ]\n}") == value::json("[ ]"));
  CHECK(read_a(R"({"x":[{"a":1}],"a":[[],{}]})") == value::json("[[],{}]"));
  fixture whole({"$", "$.a"});
  REQUIRE(whole.reader.read(" {\"a\": 1}\n").ok());
  CHECK(whole.at(0) == value::json("{\"a\": 1}"));
  CHECK(whole.at(1) == value::integer(1));
}

TEST_CASE("what is not one whole object is refused") {
  for (const char* bad : {"",
                          " ",
                          "1",
                          "null",
                          "\"a\"",
                          "[]",
                          "[{\"a\":1}]",
                          "{",
                          "}",
                          "{\"a\"",
                          "{\"a\":",
                          "{\"a\":}",
                          "{\"a\":1",
                          "{\"a\":1,",
                          "{\"a\":1,}",
                          "{,}",
                          "{\"a\" 1}",
                          "{\"a\":1 \"b\":2}",
                          "{a:1}",
                          "{\"a\":1}}",
                          "{\"a\":1} {\"a\":2}",
                          "{\"a\":1},",
                          "{\"a\":1}x",
                          "{\"a\":1} null",
                          "{1:2}",
                          "{\"a\":[1,]}",
                          "{\"a\":[,1]}",
                          "{\"a\":[1 2]}",
                          "{\"a\":[1}",
                          "{\"a\":{]}",
                          "{\"a\":\"x}",
                          "{\"a\":\"x\"y}",
                          "{\"a\":\"x\\n\"y}",
                          "{\"a\":\"x\" \"y\"}",
                          "{\"a\":nul}",
                          "{\"a\":nulls}",
                          "{\"a\":True}",
                          "{\"a\":truefalse}",
                          "{\"a\":'x'}",
                          "{\"a\":1 oops}",
                          "{\"a\"::1}",
                          "{oops, \"a\":1}",
                          "{\"z\":oops, \"a\":1}",
                          "{\"a\":1, oops}",
                          "{\"a\":1/**/}",
                          "{\"a\":[1]]}",
                          "\xEF\xBB\xBF{\"a\":1}",
                          "{\"a\":\"line\nbreak\"}",
                          "{\"a\":\"\x01\"}"}) {
    CAPTURE(bad);
    CHECK(refused(bad));
  }
  CHECK(refused(std::string("{\"a\":1}\0", 8)));
}

TEST_CASE("what is malformed is refused also where nothing is read") {
  for (const char* bad :
       {R"({"z":"\ud800","a":1})", R"({"z":["\udc00"],"a":1})", R"({"z":"\ud800\u0041","a":1})",
        R"({"z":"\x","a":1})", R"({"z":"\u12","a":1})", R"({"\ud800":1,"a":1})",
        R"({"z":{"\q":1}})", "{\"z\":\"\xff\xfe\",\"a\":1}", "{\"z\":\"\xc3\x28\",\"a\":1}",
        "{\"z\":\"\xed\xa0\x80\"}", R"({"z":{"y":[01]},"a":1})"}) {
    CAPTURE(bad);
    CHECK(refused(bad));
  }
}

TEST_CASE("a field name stands once in an object, however it is spelled") {
  CHECK(refused(R"({"a":1,"a":2})"));
  CHECK(refused(R"({"\u0061":1,"a":2})"));
  CHECK(refused(R"({"z":{"b":1,"c":2,"\u0062":3}})"));
  CHECK(refused(R"({"a_long_field_name":1,"a_long_field_name":2})"));
  CHECK_FALSE(refused(R"({"a":{"a":1},"b":{"a":2},"c":[{"a":1},{"a":2}]})"));
  CHECK_FALSE(refused(R"({"":1,"a":2})"));
  CHECK(refused(R"({"":1,"":2})"));
}

TEST_CASE("a repeated name is found among many") {
  std::string many;
  for (int i = 0; i < 20000; ++i) {
    many += "\"field" + std::to_string(i) + "\":0,";
  }
  CHECK_FALSE(refused("{" + many + "\"a\":1}"));
  CHECK(refused("{" + many + "\"field7\":1}"));
  CHECK(refused("{\"z\":{" + many + "\"field19999\":1}}"));
}

TEST_CASE("nesting ends at the limit, also where nothing is read") {
  CHECK_FALSE(refused(nested(limits::json_depth_max)));
  CHECK(refused(nested(limits::json_depth_max + 1)));
  CHECK(refused(nested(100000)));
}

TEST_CASE("an error names the byte where it is") {
  fixture f;
  CHECK(f.reader.read(R"({"a":01})").error().text.find("(byte 5)") != std::string::npos);
}

TEST_CASE("all paths are found in one walk") {
  fixture f({"$.a", "$.b.c", "$.b", "$.t[1]", "$.l[*].x", "$.l[*].y", "$.l[0].x", "$.none",
             "$.b.c.d", "$.l[*]"});
  REQUIRE(f.reader.read(R"({"l":[{"x":1,"y":"p"},{"x":2},{"y":"q"}],"t":[5,6],"b":{"c":7},"a":8})")
              .ok());
  CHECK(f.at(0) == value::integer(8));
  CHECK(f.at(1) == value::integer(7));
  CHECK(f.at(2) == value::json(R"({"c":7})"));
  CHECK(f.at(3) == value::integer(6));
  const auto group = f.reader.plan().group_of(f.slots[4]);
  CHECK(group == f.reader.plan().group_of(f.slots[5]));
  CHECK(f.reader.list(group) == json_list::list);
  CHECK(f.reader.element_count(group) == 3);
  CHECK(f.at(4, 0) == value::integer(1));
  CHECK(f.at(4, 1) == value::integer(2));
  CHECK(f.at(4, 2).is_absent());
  CHECK(f.at(5, 0) == value::text("p"));
  CHECK(f.at(5, 1).is_absent());
  CHECK(f.at(5, 2) == value::text("q"));
  CHECK(f.at(6) == value::integer(1));
  CHECK(f.at(7).is_absent());
  CHECK(f.at(8).is_absent());
  CHECK(f.at(9, 1) == value::json(R"({"x":2})"));
}

TEST_CASE("an index and a [*] meet whichever was declared first") {
  const std::string payload = R"({"l":[{"x":1},{"x":2}]})";
  for (const auto& order : {std::vector<std::string>{"$.l[1].x", "$.l[*].x"},
                            std::vector<std::string>{"$.l[*].x", "$.l[1].x"}}) {
    fixture f(order);
    REQUIRE(f.reader.read(payload).ok());
    const std::size_t indexed = order[0] == "$.l[1].x" ? 0 : 1;
    CHECK(f.at(indexed) == value::integer(2));
    CHECK(f.at(1 - indexed, 0) == value::integer(1));
    CHECK(f.at(1 - indexed, 1) == value::integer(2));
  }
}

TEST_CASE("where a list is expected, missing, null and others are told apart") {
  fixture f({"$.l[*].x"});
  const auto state = [&](std::string_view payload) {
    REQUIRE(f.reader.read(payload).ok());
    return f.reader.list(0);
  };
  CHECK(state(R"({"l":[]})") == json_list::list);
  CHECK(f.reader.element_count(0) == 0);
  CHECK(state(R"({"l":{"x":1}})") == json_list::no_list);
  CHECK(state(R"({"l":null})") == json_list::no_list);
  CHECK(state(R"({"m":[]})") == json_list::missing);
}

TEST_CASE("nothing of one payload is left for the next") {
  fixture f({"$.a", "$.l[*].x"});
  REQUIRE(f.reader.read(R"({"a":"first","l":[{"x":1},{"x":2}]})").ok());
  CHECK_FALSE(f.reader.read("{").ok());
  REQUIRE(f.reader.read(R"({"l":[{}]})").ok());
  CHECK(f.at(0).is_absent());
  CHECK(f.reader.element_count(0) == 1);
  CHECK(f.at(1, 0).is_absent());
}

TEST_CASE("the hash of a payload ignores how it is written and sees what it says") {
  const auto hash = hash_of(R"({"a":1,"b":{"c":"x","d":[1,2]}})");
  CHECK(hash == hash_of(" {\"b\" : {\"d\":[ 1 ,2], \"c\":\"\\u0078\"},\n\"a\":1}"));
  CHECK(hash != hash_of(R"({"a":1,"b":{"c":"x","d":[2,1]}})"));
  CHECK(hash != hash_of(R"({"a":2,"b":{"c":"x","d":[1,2]}})"));
  CHECK(hash != hash_of(R"({"a":1.0,"b":{"c":"x","d":[1,2]}})"));
  CHECK(hash != hash_of(R"({"a":"1","b":{"c":"x","d":[1,2]}})"));
  CHECK(hash != hash_of(R"({"a":1,"b":{"c":"x","d":[1,2]},"e":null})"));
  CHECK(hash_of(R"({"a":[]})") != hash_of(R"({"a":{}})"));
  CHECK(hash_of(R"({"a":[[1],2]})") != hash_of(R"({"a":[1,[2]]})"));
}

TEST_CASE("what is left out of the hash may change or be missing") {
  const std::vector<std::string> left_out{"$.ts", "$.l[*].ts"};
  const auto hash = hash_of(R"({"a":1,"ts":5,"l":[{"ts":1,"x":2}]})", left_out);
  CHECK(hash == hash_of(R"({"a":1,"ts":{"new":6},"l":[{"ts":9,"x":2}]})", left_out));
  CHECK(hash == hash_of(R"({"a":1,"l":[{"x":2}]})", left_out));
  CHECK(hash != hash_of(R"({"a":1,"l":[{"x":3}]})", left_out));
}

TEST_CASE("valid JSON is read and any other bytes are refused, never a crash") {
  property("for valid objects", [] {
    const std::string inside = random_json(4);
    fixture f;
    RC_ASSERT(f.reader.read("{\"a\":" + inside + "}").ok());
    if (inside.front() == '{' || inside.front() == '[') {
      RC_ASSERT((f.at(0) == value::json(inside)));
    }
  });
  property("for valid objects cut anywhere", [] {
    const std::string whole = "{\"a\":" + random_json(4) + "}";
    const auto cut = *rc::gen::inRange<std::size_t>(0, whole.size());
    fixture f;
    RC_ASSERT(!f.reader.read(whole.substr(0, cut)).ok());
  });
  property("for valid objects with a byte changed", [] {
    std::string text = "{\"a\":" + random_json(4) + ",\"b\":\"\\u00e9\"}";
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text[at] = *rc::gen::arbitrary<char>();
    fixture f({"$.a", "$.a[*]", "$.a[0]", "$.b"});
    (void)f.reader.read(text).ok();
    (void)f.reader.hash_without_slots(text).ok();
  });
  property("for random bytes", [](const std::string& bytes) {
    fixture f;
    (void)f.reader.read(bytes).ok();
    RC_ASSERT(!f.reader.read("[" + bytes).ok());
  });
}
