#include "protocol/path.hpp"
#include "tests/check.hpp"

using namespace pawl;

namespace {

path_step name(std::string text) { return {path_step::what::name, std::move(text), 0}; }
path_step index(std::uint32_t number) { return {path_step::what::index, {}, number}; }
path_step each() { return {path_step::what::each, {}, 0}; }

std::vector<path_step> steps(std::string_view text) { return parse_path(text)->steps; }

}  // namespace

TEST_CASE("a path is parsed into its steps") {
  CHECK(steps("$.a") == std::vector{name("a")});
  CHECK(steps("$.a.b_c-d") == std::vector{name("a"), name("b_c-d")});
  CHECK(steps("$.lines[*].sku") == std::vector{name("lines"), each(), name("sku")});
  CHECK(steps("$.tags[0]") == std::vector{name("tags"), index(0)});
  CHECK(steps("$['odd name'].x") == std::vector{name("odd name"), name("x")});
  CHECK(steps("$.a['it\\'s \\\\']") == std::vector{name("a"), name("it's \\")});
  CHECK(steps("$.gr\xc3\xb6\xc3\x9f"
              "e") == std::vector{name("gr\xc3\xb6\xc3\x9f"
                                       "e")});
  CHECK(steps("$").empty());
}

TEST_CASE("a path begins at one of six roots") {
  CHECK(parse_path("$.key")->root == path_root::payload);
  CHECK(parse_path("$header.message-id")->root == path_root::header);
  CHECK(steps("$header['a.b']") == std::vector{name("a.b")});
  CHECK(parse_path("$meta.offset")->root == path_root::meta);
  CHECK(parse_path("$key")->root == path_root::key);
  CHECK(parse_path("$id")->root == path_root::id);
  CHECK(parse_path("$version")->root == path_root::version);
}

TEST_CASE("a minus sign negates numbers only") {
  CHECK(parse_path("-$.quantity")->negated);
  CHECK(parse_path("-$version")->negated);
  CHECK_FALSE(parse_path("$.quantity")->negated);
  CHECK_FALSE(parse_path("-$key").ok());
  CHECK_FALSE(parse_path("-$header.x").ok());
}

TEST_CASE("the prefix of a repeated path ends with its [*]") {
  CHECK(parse_path("$.lines[*].sku")->each_prefix() == 2);
  CHECK(parse_path("$.a.b[*]")->each_prefix() == 3);
  CHECK(parse_path("$.a.b")->each_prefix() == 0);
}

TEST_CASE("a malformed path is refused with the place of the wrong character") {
  const std::vector<std::pair<std::string, std::string>> wrong{{"", "0"},
                                                               {"a.b", "0"},
                                                               {"$.", "2"},
                                                               {"$..a", "2"},
                                                               {"$.a.", "4"},
                                                               {"$.a[", "4"},
                                                               {"$.a[*", "5"},
                                                               {"$.a[x]", "4"},
                                                               {"$.a[01]", "4"},
                                                               {"$.a[-1]", "4"},
                                                               {"$.a['x", "6"},
                                                               {"$.a['x'", "7"},
                                                               {"$.a['\\n']", "6"},
                                                               {"$.a b", "3"},
                                                               {"$foo", "1"},
                                                               {"$key.a", "4"},
                                                               {"$meta.x", "1"},
                                                               {"$meta", "5"},
                                                               {"$header", "7"},
                                                               {"$header.a.b", "11"},
                                                               {"$[0]", "4"},
                                                               {"$[*].a", "4"},
                                                               {"$.a[*].b[*]", "10"},
                                                               {"$$.a", "1"},
                                                               {"$.a[4294967296]", "4"}};
  for (const auto& [text, offset] : wrong) {
    CAPTURE(text);
    const auto parsed = parse_path(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().kind == fault::refused);
    CHECK(parsed.error().code == offset);
    CHECK(parsed.error().text.find("a path looks like") != std::string::npos);
  }
}

TEST_CASE("a path deeper than any payload is refused") {
  std::string deep = "$";
  for (int i = 0; i < 65; ++i) {
    deep += ".a";
  }
  CHECK_FALSE(parse_path(deep).ok());
}

TEST_CASE("any text is a path or an error") {
  property("for random text", [](const std::string& text) {
    const auto parsed = parse_path(text);
    RC_ASSERT((!parsed.ok() || parsed->source == text));
  });
  property("for random text of path characters", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("$.-[]*'\\a0 keyidmtversonh")));
    const auto parsed = parse_path("$" + text);
    RC_ASSERT((!parsed.ok() || parsed->source == "$" + text));
  });
}
