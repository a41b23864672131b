// Messages that address several entities, and the front that C++ handlers are registered by.
#include "tests/check.hpp"
#include "tests/support/runtime_world.hpp"
#include "tests/support/shop.hpp"
#include "tests/support/sqlite_file.hpp"

using namespace pawl;
using namespace pawl_test;
using cells = std::vector<std::vector<std::string>>;
using ledger_effects = effects<policies::ledger>;

namespace {

message_declaration per_line() {
  return {.type = "Basket",
          .entity = "sku",
          .key = {"$.lines[*].sku"},
          .id = {"$.id"},
          .fields = {"$.lines[*].n"}};
}

void take_nothing(const addressed_message&, ledger_effects&) {}

std::string refusal_of(const message_declaration& declared) {
  const auto made = make_handler<policies::ledger>(declared, take_nothing);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().kind == fault::refused);
  return made.error().code + ": " + made.error().text;
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

STORE_TEST_CASE("runtime: a message takes effect once for each entity that it names") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::ledger>(per_line(), reserve<policies::ledger>);
  const std::string basket =
      R"({"type":"Basket","id":1,"lines":[{"sku":"a","n":1},{"sku":"b","n":2},{"sku":"a","n":4}]})";
  at.feed->say(basket);
  at.feed->say(basket);
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.received == 2);
  CHECK(seen.pairs == 4);
  CHECK(seen.of(outcome::applied) == 2);
  CHECK(seen.of(outcome::duplicate) == 2);
  CHECK(at.feed->acked().size() == 2);
  CHECK(at.rows("stock") == cells{{"a", "0", "5", "NULL"}, {"b", "0", "2", "NULL"}});
}

STORE_TEST_CASE("runtime: a message is acknowledged when its last entity is done") {
  runtime_world at(TestType::open(shop_tables()));
  const gate door;
  at.on<policies::ledger>(per_line(),
                          [door](const addressed_message& message, ledger_effects& out) {
                            if (message.entity.key == "b") {
                              door.wait();
                            }
                            reserve(message, out);
                          });
  at.feed->say(R"({"type":"Basket","id":1,"lines":[{"sku":"a","n":1},{"sku":"b","n":2}]})");
  at.start();
  REQUIRE(eventually([&] { return at.rows("stock").size() == 1 && door.waiting() == 1; }));
  CHECK(at.feed->acked().empty());
  door.open();
  REQUIRE(eventually([&] { return at.feed->acked().size() == 1; }));
  CHECK(at.rows("stock").size() == 2);
  at.feed->end();
  (void)at.finish();
}

STORE_TEST_CASE("runtime: a message that names no entity is acknowledged and counted") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::ledger>(per_line(), reserve<policies::ledger>);
  at.feed->say(R"({"type":"Basket","id":1,"lines":[]})");
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.unaddressed == 1);
  CHECK(seen.pairs == 0);
  CHECK(at.feed->acked().size() == 1);
}

STORE_TEST_CASE("runtime: types that a source ignores are acknowledged, and nothing is set aside") {
  runtime_world at(TestType::open(shop_tables()));
  at.on<policies::ledger>(placed(), reserve<policies::ledger>);
  at.adjust = [](runtime_config& config) { config.sources[0].ignore_types = {"Noise"}; };
  at.feed->say(R"({"type":"Noise"})");
  at.say({});
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.ignored == 1);
  CHECK(seen.of(outcome::applied) == 1);
  CHECK(at.dead_letters().empty());
  CHECK(at.feed->acked().size() == 2);
}

STORE_TEST_CASE("runtime: a C++ handler reads what it declared, and `when` chooses among several") {
  runtime_world at(TestType::open(shop_tables()));
  auto gift = placed();
  gift.when = {{"$.kind", "gift"}};
  gift.fields = {optional_field("$.note"), "-$.quantity"};
  at.on<policies::ledger>(gift, [](const addressed_message& message, ledger_effects& out) {
    const auto& fields = message.elements.front();
    out.upsert("stock", {{"sku", message.entity.key}},
               {{"note", fields[0].is_absent() ? value::text("none") : fields[0]},
                {"reserved", fields[1]}});
  });
  at.on<policies::ledger>(placed(), reserve<policies::ledger>);
  at.feed->say(R"({"type":"Placed","id":1,"sku":"a","quantity":3,"kind":"gift"})");
  at.feed->say(R"({"type":"Placed","id":2,"sku":"b","quantity":3,"kind":"gift","note":"hello"})");
  at.feed->say(R"({"type":"Placed","id":3,"sku":"c","quantity":3,"kind":"plain"})");
  at.feed->end();
  CHECK(at.run().of(outcome::applied) == 3);
  CHECK(at.rows("stock") ==
        cells{{"a", "0", "-3", "none"}, {"b", "0", "-3", "hello"}, {"c", "0", "3", "NULL"}});
}

STORE_TEST_CASE("runtime: a `unique` handler's first insert decides, and the rest is skipped") {
  runtime_world at(TestType::open(shop_tables()));
  auto shipped = placed();
  shipped.id = {};
  at.on<policies::unique>(shipped,
                          [](const addressed_message& message, effects<policies::unique>& out) {
                            out.insert("shipments",
                                       {{"order_id", "7"},
                                        {"sku", message.entity.key},
                                        {"kind", "out"},
                                        {"quantity", message.elements.front().front()}},
                                       {"order_id", "sku", "kind"});
                            reserve(message, out);
                          });
  at.say({.quantity = 2});
  at.say({.quantity = 2});
  at.feed->end();
  const counts seen = at.run();
  CHECK(seen.of(outcome::applied) == 1);
  CHECK(seen.of(outcome::duplicate) == 1);
  CHECK(at.rows("stock") == cells{{"a", "0", "2", "NULL"}});
}

TEST_CASE("a wrong path of a C++ handler is refused with handler, part and place") {
  auto declared = placed();
  declared.key = {"sku"};
  const std::string text = refusal_of(declared);
  CHECK(mentions(text, "key: handler of \"Placed\""));
  CHECK(mentions(text, "`sku`"));
  declared = placed();
  declared.fields.push_back(optional_field("$.a["));
  CHECK(mentions(refusal_of(declared), "fields: "));
  declared = placed();
  declared.when = {{"$", ""}, {"nowhere", ""}};
  CHECK(mentions(refusal_of(declared), "when: "));
}

TEST_CASE("a contract that can't hold is refused when a C++ handler is registered") {
  auto declared = placed();
  declared.version = "$.version";
  CHECK(mentions(refusal_of(declared), "version: "));
  declared = placed();
  declared.key = {};
  CHECK(mentions(refusal_of(declared), "key: "));
  declared = placed();
  declared.entity = "_source";
  CHECK(mentions(refusal_of(declared), "reserved"));
  CHECK_FALSE(make_handler<policies::latest>(placed(), [](const addressed_message&,
                                                          effects<policies::latest>&) {
              }).ok());
}

TEST_CASE("runtime: a configuration that can't work is refused before anything is touched") {
  const auto refused = [](const std::function<void(runtime_config&)>& change) {
    runtime_world at(on_memory::open(shop_tables()));
    at.on<policies::ledger>(placed(), take_nothing);
    at.adjust = change;
    const auto started = at.open(at.feed->open());
    REQUIRE_FALSE(started.ok());
    CHECK(started.error().kind == fault::refused);
    return started.error().code;
  };
  CHECK(refused([](runtime_config& c) { c.consumer.clear(); }) == "consumer");
  CHECK(refused([](runtime_config& c) { c.database.reset(); }) == "database");
  CHECK(refused([](runtime_config& c) { c.tables.reset(); }) == "database");
  CHECK(refused([](runtime_config& c) { c.shards = 0; }) == "shards");
  CHECK(refused([](runtime_config& c) { c.attempts = 0; }) == "attempts");
  CHECK(refused([](runtime_config& c) { c.credit_bytes = 0; }) == "credits");
  CHECK(refused([](runtime_config& c) { c.batch_messages = 0; }) == "credits");
  CHECK(refused([](runtime_config& c) { c.lease = {}; }) == "lease");
  CHECK(refused([](runtime_config& c) { c.sources[0].from.reset(); }) == "sources");
  CHECK(refused([](runtime_config& c) { c.handlers[0].run.reset(); }) == "handlers");
  CHECK(refused([](runtime_config& c) {
          c.handlers.push_back(must(make_handler<policies::ledger>(placed(), take_nothing)));
        }) == "handlers");
}
