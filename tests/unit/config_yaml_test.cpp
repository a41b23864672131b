#include "runtime/config/yaml_parse.hpp"
#include "tests/check.hpp"

using namespace pawl;

namespace {

std::optional<std::string> environment(const std::string& name) {
  if (name == "HOST") {
    return "db.example";
  }
  return name == "ODD" ? std::optional<std::string>("${HOST}: *") : std::nullopt;
}

struct parsed {
  std::optional<yaml_node> root;
  std::string problems;
};

parsed parse(std::string_view text) {
  config_problems problems;
  parsed out;
  out.root = parse_yaml("f.yaml", text, environment, problems);
  out.problems = to_text(problems.take_sorted());
  return out;
}

std::string text_of(std::string_view yaml) {
  const parsed out = parse(yaml);
  INFO(out.problems);
  REQUIRE((out.root && out.root->find("a") != nullptr));
  return out.root->find("a")->text;
}

}  // namespace

TEST_CASE("every YAML node knows where it was written") {
  const parsed out = parse("a: 1\nlist:\n  - x\n  - {k: \"v\"}\n");
  REQUIRE(out.root);
  CHECK(out.problems.empty());
  const yaml_node& list = *out.root->find("list");
  REQUIRE(list.kind == yaml_kind::list);
  CHECK(to_text(list.items[0].where) == "f.yaml:3:5");
  const yaml_entry& entry = list.items[1].entries[0];
  CHECK(to_text(entry.where) == "f.yaml:4:6");
  CHECK(to_text(entry.value.where) == "f.yaml:4:9");
  CHECK(entry.value.quoted);
  CHECK_FALSE(out.root->find("a")->quoted);
}

TEST_CASE("a value takes from the environment, once") {
  CHECK(text_of("a: http://${HOST}:80") == "http://db.example:80");
  CHECK(text_of("a: $${HOST}") == "${HOST}");
  CHECK(text_of("a: ${ODD}") == "${HOST}: *");
  CHECK(text_of("a: $HOST $$ $") == "$HOST $$ $");
}

TEST_CASE("a message about a value shows what is in the file, not what was in the environment") {
  const parsed out = parse("a: ${HOST}");
  REQUIRE(out.root);
  CHECK(describe(*out.root->find("a")) == "`${HOST}`");
}

TEST_CASE("YAML with more than one reading is refused where it stands") {
  struct wrong {
    const char* yaml;
    const char* message;
  };
  const std::vector<wrong> table{
      {"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: the key `a` stands already in line 1; "},
      {"a: {b: 1, b: 2}\n", "f.yaml:1:11: the key `b` stands already in line 1; "},
      {"a: &x 1\n", "f.yaml:1:4: an anchor (`&name`); "},
      {"a: *x\n", "f.yaml:1:4: an alias (`*name`); "},
      {"a: !!str 1\n", "f.yaml:1:4: a tag (`!name`); "},
      {"a: !x {b: 1}\n", "f.yaml:1:4: a tag (`!name`); "},
      {"a: ! b\n", "f.yaml:1:4: a tag (`!name`); "},
      {"a: 1\n---\nb: 1\n", "f.yaml:2:1: a second document; "},
      {"a:\n\tb: 1\n", "f.yaml:2:1: a tab in the indentation; "},
      {"a: x\ab\n", "f.yaml:1:5: a control character; "},
      {"ok: 1\na: \xff\n", "f.yaml:2:1: this line is not valid UTF-8; "},
      {"a: \"x\nb: 1\n", "f.yaml:1:4: a quoted text that never ends; "},
      {"b: 'it''s'\na: 'x''\n", "f.yaml:2:4: a quoted text that never ends; "},
      {"? [a]\n: b\n", "f.yaml:1:3: a key that is a list or a map; "},
      {": b\n", "f.yaml:1:1: a key is missing before `:`; "},
      {"a: b: c\n", "f.yaml:1:5: not valid YAML: illegal map value; "},
      {"a: {k: $.lines[*].sku}\n", "f.yaml:1:15: `[` of a path inside {...} or [...] is taken "},
      {"a: [$.b[0], $.c]\n", "f.yaml:1:8: `[` of a path inside {...} or [...] is taken "},
      {"a: {url: ${HOST}}\n", "f.yaml:1:11: `${` inside {...} or [...] is taken for a YAML map; "},
      {"a: {\n  b: 'x{',\n  url: ${HOST}}\n", "f.yaml:3:9: `${` inside {...} or [...] is taken "},
      {"a: ${NOPE}\n", "f.yaml:1:4: the environment variable NOPE is not set; "},
      {"a: ${}\n", "f.yaml:1:4: `${` without the name of an environment variable "},
      {"a: ${HOST\n", "f.yaml:1:4: `${` without the name of an environment variable "},
  };
  for (const wrong& each : table) {
    CAPTURE(each.yaml);
    const parsed out = parse(each.yaml);
    CAPTURE(out.problems);
    CHECK(out.problems.starts_with(each.message));
  }
}

TEST_CASE("quotes keep brackets, braces, stars and hashes out of YAML's hands") {
  CHECK(text_of("a: \"$.lines[*].sku\"") == "$.lines[*].sku");
  CHECK(text_of("a: $.lines[*].sku") == "$.lines[*].sku");
  CHECK(text_of("a: '*x # not a comment'") == "*x # not a comment");
  CHECK(text_of("\xef\xbb\xbf"
                "a: b\r\n") == "b");
}

TEST_CASE("a file is refused past its limits of size and depth") {
  CHECK(parse(std::string((1U << 20U) + 1, ' '))
            .problems.starts_with("f.yaml: the file is larger than 1048576 bytes; "));
  std::string deep;
  for (std::size_t i = 0; i < 33; ++i) {
    deep += std::string(i, ' ') + "a:\n";
  }
  CHECK(parse(deep).problems.starts_with("f.yaml:33:33: nested more than 32 levels; "));
  CHECK_FALSE(parse(std::string(100'000, '[')).root);
}

TEST_CASE("several problems are told at once") {
  const parsed out = parse("a: &x 1\na: 2\nb: ${NOPE}\n");
  CHECK(std::count(out.problems.begin(), out.problems.end(), '\n') == 3);
}

TEST_CASE("any bytes give a tree or a problem") {
  property("random YAML pieces", [] {
    static const std::vector<std::string> pieces{
        "a",  ": ", "\n",   "  ",   "- ",   "{",       "}",        "[",    "]",     ",",  "\"",
        "'",  "#",  "&x",   "*x",   "!t ",  "|",       ">",        "---",  "...",   "? ", "%YAML",
        "\t", "${", "$",    "\\",   "\xc3", "\xa4",    "\xef\xbb", "~",    "\r",    "0",  "<<: ",
        "@",  "`",  "null", "\x04", "- -",  "\n---\n", ": [",      "{a: ", "\"\\u", "!<", "[*]"};
    const auto chosen = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces));
    std::string text;
    for (const std::string& piece : chosen) {
      text += piece;
    }
    const parsed out = parse(text);
    RC_ASSERT((out.root.has_value() || !out.problems.empty()));
  });
  property("random bytes", [](const std::string& text) {
    const parsed out = parse(text);
    RC_ASSERT((out.root.has_value() || !out.problems.empty()));
  });
}
