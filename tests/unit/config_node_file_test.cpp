#include "runtime/config/node_file.hpp"
#include "tests/check.hpp"
#include "tests/support/paths.hpp"

using namespace pawl;

namespace {

constexpr std::string_view good = R"(consumer: c
store: sqlite:s.db
sources:
  a:
    file: a.ndjson
entities:
  sku:
    messages:
      T:
        key: $.sku
        dedupe: ledger
        effects:
          - set: t
            key: {sku: $.sku}
            values: {x: $.x}
ledger: {window: 7d}
)";

std::optional<std::string> environment(const std::string& name) {
  return name == "URL" ? std::optional<std::string>("postgresql://user:secret@host/db")
                       : std::nullopt;
}

/// The good file with `from` replaced by `to`.
std::string with(std::string_view from, std::string_view to) {
  std::string text(good);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string problems_of(const std::string& text) {
  return to_text(parse_node_file("conf/n.yaml", text, environment).problems);
}

node_config read(const std::string& text) {
  node_file file = parse_node_file("conf/n.yaml", text, environment);
  INFO(to_text(file.problems));
  REQUIRE(file.config);
  return std::move(*file.config);
}

const declared_message& only_message(const node_config& config) {
  REQUIRE(config.messages.size() == 1);
  return config.messages[0];
}

}  // namespace

TEST_CASE("a node file becomes contracts, effects and defaults") {
  const node_config config = read(std::string(good));
  CHECK(config.consumer == "c");
  CHECK(config.store_url == "sqlite:conf/s.db");
  CHECK(config.migrate_auto);
  CHECK(config.sources[0].file == "conf/a.ndjson");
  CHECK(config.sources[0].partition == "a.ndjson");
  CHECK(config.sources[0].type_path == "$.type");
  CHECK(config.ledger_window_ms == 604'800'000);
  CHECK(config.shards == 64);
  CHECK(config.committers == 0);
  CHECK(config.credit_bytes == 64U << 20U);
  CHECK(config.retry.attempts == 5);
  const declared_message& message = only_message(config);
  CHECK(message.contract.type == "T");
  CHECK(message.contract.entity_type == "sku");
  CHECK(message.contract.pair == policies::ledger);
  CHECK(message.contract.on_dead == on_dead_policy::park);
  CHECK(message.contract.key[0].source == "$.sku");
  CHECK(message.contract.id.empty());
  REQUIRE(message.effects.size() == 1);
  CHECK(message.effects[0].kind == effect_kind::set);
  CHECK(message.effects[0].table == "t");
  CHECK(std::get<path>(message.effects[0].values[0].from).source == "$.x");
  CHECK(to_text(message.effects[0].table_where) == "conf/n.yaml:13:18");
  CHECK(to_text(message.effects[0].values[0].where) == "conf/n.yaml:15:22");
  CHECK(to_text(message.effects[0].values[0].value_where) == "conf/n.yaml:15:25");
}

TEST_CASE("the shipped example can be read") {
  const node_file file = read_node_file(test_root() + "/configs/stock.yaml", process_environment());
  INFO(to_text(file.problems));
  REQUIRE(file.config);
  CHECK(file.config->messages.size() == 3);
  CHECK(file.config->store_url == "sqlite:" + test_root() + "/configs/stock.db");
}

TEST_CASE("a store elsewhere is migrated by hand unless the file says otherwise") {
  CHECK_FALSE(read(with("sqlite:s.db", "${URL}")).migrate_auto);
  const node_config config = read(with("sqlite:s.db", "{url: \"${URL}\", migrate: auto}"));
  CHECK(config.migrate_auto);
  CHECK(config.store_url == "postgresql://user:secret@host/db");
  CHECK(read(with("sqlite:s.db", "sqlite:/data/s.db")).store_url == "sqlite:/data/s.db");
}

TEST_CASE("on_dead is said for all, for an entity type, or for one message type") {
  const std::string everywhere = with("ledger:", "defaults: {on_dead: skip}\nledger:");
  CHECK(only_message(read(everywhere)).contract.on_dead == on_dead_policy::skip);
  std::string entity = everywhere;
  entity.replace(entity.find("    messages:"), 0, "    on_dead: park\n");
  CHECK(only_message(read(entity)).contract.on_dead == on_dead_policy::park);
  entity.replace(entity.find("        key: $.sku"), 0, "        on_dead: skip\n");
  CHECK(only_message(read(entity)).contract.on_dead == on_dead_policy::skip);
}

TEST_CASE("a value in an effect is a path or a constant of its own type") {
  const auto constant = [](std::string_view written) {
    const node_config config = read(with("{x: $.x}", "{x: " + std::string(written) + "}"));
    return std::get<value>(only_message(config).effects[0].values[0].from);
  };
  CHECK(constant("5") == value::integer(5));
  CHECK(constant("-5") == value::integer(-5));
  CHECK(constant("1.50") == value::decimal("1.50"));
  CHECK(constant("1e3") == value::decimal("1e3"));
  CHECK(constant("99999999999999999999") == value::decimal("99999999999999999999"));
  CHECK(constant("true") == value::boolean(true));
  CHECK(constant("null") == value::null());
  CHECK(constant("\"5\"") == value::text("5"));
  CHECK(constant("yes") == value::text("yes"));
  CHECK(constant("$$5") == value::text("$5"));
  CHECK(constant("2024-01-02") == value::text("2024-01-02"));
  const node_config negated = read(with("{x: $.x}", "{x: -$.x}"));
  CHECK(std::get<path>(only_message(negated).effects[0].values[0].from).negated);
}

TEST_CASE("keys and ids may be composite, and a type may be declared twice with when") {
  std::string text =
      with("key: $.sku", "type: U\n        when: {$.kind: a}\n        key: [$.a, $.b]");
  text = text.replace(text.find("        dedupe"), 0, "        id: [$.m, $.n]\n");
  text = text.replace(text.find("ledger: {w"), 0,
                      "      T2:\n        type: U\n        when: {$.kind: b}\n        key: $.a\n"
                      "        dedupe: natural\n        effects:\n          - remove: t\n"
                      "            key: {x: $key}\n");
  const node_config config = read(text);
  REQUIRE(config.messages.size() == 2);
  CHECK(config.messages[0].contract.type == "U");
  CHECK(config.messages[0].contract.key.size() == 2);
  CHECK(config.messages[0].contract.id.size() == 2);
  CHECK(config.messages[0].contract.when[0].where.source == "$.kind");
  CHECK(config.messages[0].contract.when[0].equals == "a");
}

TEST_CASE("a missing dedupe is answered with the four ways there are") {
  const std::string problems = problems_of(with("        dedupe: ledger\n", ""));
  CHECK(problems.starts_with("conf/n.yaml:9:7: `dedupe` is missing, and it has no default; "));
  for (const char* policy : {"`natural`", "`unique`", "`version`", "`ledger`"}) {
    CHECK(problems.find(policy) != std::string::npos);
  }
}

TEST_CASE("a wrong node file is told with place, reason and fix") {
  struct wrong {
    std::string text;
    const char* message;
  };
  const std::vector<wrong> table{
      {"", "conf/n.yaml:1:1: the file holds nothing; write a map with `consumer`, "},
      {with("consumer: c\n", ""), "conf/n.yaml:1:1: `consumer` is missing; add `consumer:`"},
      {with("consumer: c", "consumer: c\nconsmer: d"),
       "conf/n.yaml:2:1: unknown key `consmer`; did you mean `consumer`?\n"},
      {with("consumer: c", "consumer: a b"),
       "conf/n.yaml:1:11: the consumer `a b` is not a plain name; "},
      {with("consumer: c", "consumer: [c]"),
       "conf/n.yaml:1:11: `consumer` is a list; write a text"},
      {with("sqlite:s.db", "${NOPE}"),
       "conf/n.yaml:2:8: the environment variable NOPE is not set; "},
      {with("sqlite:s.db", "'sqlite:'"), "conf/n.yaml:2:8: `sqlite:` names no file; "},
      {with("sqlite:s.db", "{migrate: auto}"), "conf/n.yaml:2:8: `url` is missing; "},
      {with("sqlite:s.db", "{url: x, migrate: maybe}"),
       "conf/n.yaml:2:26: `migrate` is `maybe`; write one of `auto`, `manual`\n"},
      {with("    file: a.ndjson", "    kafka: {brokers: b}"),
       "conf/n.yaml:5:5: `kafka` is not supported yet; use `file` or `stdin`\n"},
      {with("    file: a.ndjson", "    rabbitmq: {url: b}"),
       "conf/n.yaml:5:5: `rabbitmq` is not supported yet; use `file` or `stdin`\n"},
      {with("    file: a.ndjson", "    ignore: [x]"),
       "conf/n.yaml:4:3: the source `a` says not where to read; write `file: NAME` or "},
      {with("a.ndjson", "a.ndjson\n    stdin: true"),
       "conf/n.yaml:4:3: the source `a` says both `file` and `stdin`; "},
      {with("entities:", "entities: {}\nx:"), "conf/n.yaml:6:11: `entities` is empty; add an "},
      {with("  sku:", "  _sku:"), "conf/n.yaml:7:3: the entity type `_sku` is reserved; "},
      {with("key: $.sku", "key: $.sku..x"), "conf/n.yaml:10:20: path \"$.sku..x\", character 7: "},
      {with("key: $.sku", "key: sku"), "conf/n.yaml:10:14: path \"sku\", character 1: "},
      {with("dedupe: ledger", "dedupe: lager"),
       "conf/n.yaml:11:17: `dedupe` is `lager`; write one of `natural`, `unique`, "},
      {with("dedupe: ledger", "dedupe: ledger\n        order: latest"),
       "conf/n.yaml:12:16: `order: latest` and `order: sequence` compare versions, which only "},
      {with("dedupe: ledger", "dedupe: version\n        order: latest"),
       "conf/n.yaml:11:17: `dedupe: version` needs to know the version; add `version:` "},
      {with("dedupe: ledger", "dedupe: version\n        version: $.v"),
       "conf/n.yaml:11:17: a version is an order of its own: "},
      {with("dedupe: ledger", "dedupe: unique"),
       "conf/n.yaml:13:13: under `dedupe: unique` the first effect is the guard; "},
      {with("dedupe: ledger", "dedupe: ledger\n        start: first"),
       "conf/n.yaml:12:16: `start` is said of `order: sequence` only; "},
      {with("dedupe: ledger", "dedupe: ledger\n        accept: overwrite"),
       "conf/n.yaml:12:17: `accept` is said of `dedupe: natural` only; "},
      {with("dedupe: ledger", "dedupe: ledger\n        gap: {policy: skip}"),
       "conf/n.yaml:12:9: `gap` is not supported yet; "},
      {with("- set: t", "- call: t"), "conf/n.yaml:13:13: `call` is not supported yet; "},
      {with("- set: t", "- sql: t"), "conf/n.yaml:13:13: `sql` is not supported yet; "},
      {with("- set: t", "- sett: t"),
       "conf/n.yaml:13:13: unknown key `sett`; did you mean `set`?\n"},
      {with("- set: t", "- set: t\n            add: t"),
       "conf/n.yaml:13:13: an effect of several kinds; "},
      {with("            key: {sku: $.sku}\n", ""), "conf/n.yaml:13:13: `set` needs `key`; "},
      {with("{x: $.x}", "{}"), "conf/n.yaml:15:21: `set` needs `values`; "},
      {with("{sku: $.sku}", "{sku: }"), "conf/n.yaml:14:24: a key that is null finds no row; "},
      {with("{x: $.x}", "{x: [1]}"), "conf/n.yaml:15:25: a value is wanted, and this is a list; "},
      {with("{x: $.x}", "{x: 007}"), "conf/n.yaml:15:25: `007` has leading zeros: "},
      {with("{x: $.x}", "{x: \"$.a[\"}"), "conf/n.yaml:15:30: path \"$.a[\", character 5: "},
      {with("- set: t", "- remove: t"),
       "conf/n.yaml:15:21: `values` does not belong to `remove`; "},
      {with("- set: t", "- insert: t"), "conf/n.yaml:14:18: `key` does not belong to `insert`; "},
      {with("{x: $.x}", "{x: $.x}\n            missing: fail"),
       "conf/n.yaml:16:22: `missing` does not belong to `set`; "},
      {with("{x: $.x}", "{x: $.x}\n            optional: [y]"),
       "conf/n.yaml:16:23: `optional` names `y`, which is not in `values`; did you mean `x`?"},
      {with("{x: $.x}", "{x: 1}\n            optional: [x]"),
       "conf/n.yaml:16:23: `optional` names `x`, which is a constant; "},
      {with("key: $.sku", "key: -$.sku"), "conf/n.yaml:10:14: `-$.sku` is negated; "},
      {with("key: $.sku", "key: $.sku\n        id: $key"),
       "conf/n.yaml:11:13: `$key` is known only after the id; "},
      {with("key: $.sku", "key: $.sku\n        version: $.v"),
       "conf/n.yaml:11:18: a version is compared only under `dedupe: version`; "},
      {with("key: $.sku", "key: $.sku\n        when: {\"$.a[*].b\": x}"),
       "conf/n.yaml:11:15: `$.a[*].b` repeats over a list"},
      {with("ledger: {window: 7d}\n", ""),
       "conf/n.yaml:9:7: `dedupe: ledger` needs to know how long a message is remembered; "},
  };
  for (const wrong& each : table) {
    CAPTURE(each.text);
    const std::string problems = problems_of(each.text);
    CAPTURE(problems);
    CHECK(problems.starts_with(each.message));
  }
}

TEST_CASE("an effect that its policy can't carry is refused at the effect") {
  std::string text = with("dedupe: ledger", "dedupe: natural");
  text.replace(text.find("- set"), 5, "- add");
  CHECK(problems_of(text).starts_with(
      "conf/n.yaml:13:13: `add` under `dedupe: natural` counts a redelivered message again; "));
}

TEST_CASE("all problems of a file are told, in the file's order") {
  std::string text = with("consumer: c", "consumer: c\nshards: 0");
  text.replace(text.find("$.x"), 3, "$..");
  text.replace(text.find("7d"), 2, "7 days");
  const std::vector<config_problem> problems =
      parse_node_file("n.yaml", text, environment).problems;
  REQUIRE(problems.size() == 3);
  CHECK(problems[0].where.line == 2);
  CHECK(problems[1].where.line == 16);
  CHECK(problems[2].where.line == 17);
}

TEST_CASE("a message about a value from the environment does not show it") {
  const std::string problems = problems_of(with("consumer: c", "consumer: c\nshards: ${URL}"));
  CHECK(problems.find("secret") == std::string::npos);
  CHECK(problems.find("`${URL}`") != std::string::npos);
}

TEST_CASE("a file that is not there is a problem, not a crash") {
  const node_file file = read_node_file("no/such/file.yaml", environment);
  CHECK_FALSE(file.config);
  CHECK(to_text(file.problems).starts_with("no/such/file.yaml: the file can't be read; "));
  CHECK_FALSE(read_node_file("/", environment).config);
}

TEST_CASE("a node file with any part cut out or doubled never crashes") {
  property("cut and paste", [] {
    std::string text(good);
    const auto from = *rc::gen::inRange<std::size_t>(0, text.size());
    const auto size = *rc::gen::inRange<std::size_t>(0, 40);
    const auto to = *rc::gen::inRange<std::size_t>(0, text.size());
    const std::string piece = text.substr(from, size);
    if (*rc::gen::arbitrary<bool>()) {
      text.erase(from, size);
    }
    text.insert(std::min(to, text.size()), piece);
    const node_file file = parse_node_file("n.yaml", text, environment);
    RC_ASSERT(file.config.has_value() == file.problems.empty());
  });
}
