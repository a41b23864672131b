#include "protocol/decode.hpp"
#include "protocol/hash.hpp"
#include "protocol/limits.hpp"
#include "tests/check.hpp"

#include <deque>
#include <set>

using namespace pawl;

namespace {

path p(std::string_view text) { return *parse_path(text); }

message_ptr received(std::string payload, std::vector<header> headers = {}) {
  auto made = std::make_shared<message>();
  made->payload = std::move(payload);
  made->headers = std::move(headers);
  made->origin = {"orders", "3", 42, 43, 1};
  return made;
}

/// `Placed` for the entity type `sku`, under `ledger`, with key `$.sku`, id `$.id` and no fields.
message_contract placed() {
  message_contract made;
  made.type = "Placed";
  made.entity_type = "sku";
  made.key = {p("$.sku")};
  made.id = {p("$.id")};
  return made;
}

message_contract with_fields(message_contract made, const std::vector<std::string>& paths) {
  for (const std::string& one : paths) {
    made.fields.push_back({p(one), false});
  }
  return made;
}

message_contract per_line(const std::vector<std::string>& fields = {}) {
  message_contract made = with_fields(placed(), fields);
  made.key = {p("$.lines[*].sku")};
  return made;
}

std::vector<addressed_ptr> decode(const std::vector<message_contract>& contracts,
                                  const message_ptr& what) {
  static std::deque<std::vector<message_contract>> kept;  // pairs point to their contracts
  decoder_config config{"inventory", {}, "$.type"};
  for (const message_contract& one : kept.emplace_back(contracts)) {
    CHECK(check_contract(one).ok());
    config.contracts.push_back(&one);
  }
  return message_decoder(config).decode(what);
}

std::vector<addressed_ptr> decode(const message_contract& contract, std::string payload,
                                  std::vector<header> headers = {}) {
  return decode(std::vector{contract}, received(std::move(payload), std::move(headers)));
}

/// The one pair of a message that is decoded.
addressed_ptr decode_one(const message_contract& contract, std::string payload,
                         std::vector<header> headers = {}) {
  const auto pairs = decode(contract, std::move(payload), std::move(headers));
  REQUIRE(pairs.size() == 1);
  INFO((pairs[0]->undecodable ? pairs[0]->undecodable->text : ""));
  REQUIRE_FALSE(pairs[0]->undecodable.has_value());
  return pairs[0];
}

/// Why a message can't be decoded: the error's code and text.
std::string undecodable(const message_contract& contract, std::string payload,
                        std::vector<header> headers = {}) {
  const auto pairs = decode(contract, std::move(payload), std::move(headers));
  REQUIRE(pairs.size() == 1);
  REQUIRE(pairs[0]->undecodable.has_value());
  CHECK(pairs[0]->undecodable->kind == fault::poison);
  return pairs[0]->undecodable->code + ": " + pairs[0]->undecodable->text;
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string line(std::string_view key_and_more) {
  return R"({"type":"Placed","id":"m-1",)" + std::string(key_and_more) + "}";
}

}  // namespace

TEST_CASE("a message becomes a pair of entity and message with what the handler reads") {
  const auto contract =
      with_fields(placed(), {"$.quantity", "-$.quantity", "$.note", "$key", "$id", "$header.who",
                             "$meta.offset", "$meta.source", "$meta.partition", "$.deep"});
  const auto pair = decode_one(
      contract, line(R"("sku":"A-1","quantity":3,"note":null,"deep":{"x":[1]})"), {{"who", "Ada"}});
  CHECK(pair->type == "Placed");
  CHECK(pair->id == "m-1");
  CHECK(pair->entity == entity_ref{"sku", "A-1"});
  CHECK_FALSE(pair->version.has_value());
  CHECK(pair->key == make_ledger_key("inventory", {"sku", "A-1"}, "m-1"));
  REQUIRE(pair->elements.size() == 1);
  CHECK(pair->elements[0] ==
        field_values{value::integer(3), value::integer(-3), value::null(), value::text("A-1"),
                     value::text("m-1"), value::text("Ada"), value::integer(42),
                     value::text("orders"), value::text("3"), value::json(R"({"x":[1]})")});
}

TEST_CASE("under `dedupe: version` the version is the message's identity, not its id") {
  auto contract = placed();
  contract.pair = policies::sequence;
  contract.version = p("$.version");
  const auto key_of = [&](const std::string& id, int version) {
    const auto pair = decode_one(contract, R"({"type":"Placed","sku":"a","id":")" + id +
                                               R"(","version":)" + std::to_string(version) + "}");
    CHECK(pair->id == id);
    return pair->key;
  };
  CHECK(key_of("m-1", 1) == key_of("m-2", 1));
  CHECK_FALSE(key_of("m-1", 1) == key_of("m-1", 2));
  CHECK(key_of("m-1", 1) == make_ledger_key("inventory", {"sku", "a"}, message_version{1}));
}

TEST_CASE("the header names the type before the payload does") {
  CHECK(
      decode_one(placed(), R"({"type":"Other","id":"1","sku":"a"})", {{"type", "Placed"}})->type ==
      "Placed");
  CHECK(decode_one(placed(), line(R"("sku":"a")"), {{"type", ""}})->type == "Placed");
}

TEST_CASE("a message without a declared type can't be decoded, and the nearest type is named") {
  CHECK(mentions(undecodable(placed(), R"({"id":"1"})"), "type: the message has no type"));
  CHECK(mentions(undecodable(placed(), R"({"type":null})"), "no type"));
  CHECK(mentions(undecodable(placed(), R"({"type":{"a":1}})"), "no type"));
  CHECK(mentions(undecodable(placed(), R"({"type":"Placd"})"), "did they mean \"Placed\"?"));
  CHECK(mentions(undecodable(placed(), R"({})", {{"type", "\xff"}}), "not valid UTF-8"));
}

TEST_CASE("an undecodable message is kept for the reserved entity under its coordinates") {
  const auto what = received("not json");
  const auto pairs = decode({placed()}, what);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0]->source == what);
  CHECK(pairs[0]->entity == entity_ref{"_source", "orders/3"});
  CHECK(pairs[0]->id == "orders/3@42");
  CHECK(pairs[0]->contract == &undecodable_contract());
  CHECK(pairs[0]->contract->on_dead == on_dead_policy::skip);
  CHECK(pairs[0]->key == make_ledger_key("inventory", {"_source", "orders/3"}, "orders/3@42"));
  CHECK(pairs[0]->undecodable->code == "json");
}

TEST_CASE("of an oversized payload the beginning is kept") {
  const auto what = received(std::string(limits::payload_bytes_max + 1, ' '));
  const auto pairs = decode({placed()}, what);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0]->undecodable->code == "size");
  CHECK(mentions(pairs[0]->undecodable->text, std::to_string(limits::payload_bytes_max + 1)));
  CHECK(pairs[0]->source->payload.size() == limits::dead_letter_bytes_max);
  CHECK(pairs[0]->source->full_bytes == limits::payload_bytes_max + 1);
  CHECK(pairs[0]->source->origin == what->origin);
}

TEST_CASE("a payload that its source has cut is oversized, however little is left") {
  auto what = std::make_shared<message>(*received(line(R"("sku":"a")")));
  what->full_bytes = limits::payload_bytes_max + 5;
  const auto pairs = decode({placed()}, what);
  REQUIRE(pairs.size() == 1);
  CHECK(mentions(pairs[0]->undecodable->text, std::to_string(what->full_bytes)));
  CHECK(pairs[0]->source->payload == what->payload);
  CHECK(pairs[0]->source->full_bytes == what->full_bytes);
}

TEST_CASE("a message with too many headers can't be decoded, and the first ones are kept") {
  const auto many =
      decode(placed(), line(R"("sku":"a")"), std::vector<header>(limits::headers_max + 1));
  REQUIRE(many.size() == 1);
  CHECK(mentions(many[0]->undecodable->text, "257 headers"));
  CHECK(many[0]->source->headers.size() == limits::headers_max);
  const auto large = decode(
      placed(), line(R"("sku":"a")"),
      {{"small", "kept"}, {"large", std::string(limits::header_bytes_max, 'x')}, {"late", ""}});
  CHECK(mentions(large[0]->undecodable->text, "bytes of headers"));
  CHECK(large[0]->source->headers == std::vector<header>{{"small", "kept"}});
  CHECK(large[0]->source->payload == line(R"("sku":"a")"));
}

TEST_CASE("a key is text or an integer, and the reason is said where it is not") {
  CHECK(decode_one(placed(), line(R"("sku":17)"))->entity.key == "17");
  CHECK(decode_one(placed(), line(R"("sku":"a/b\\c")"))->entity.key == "a/b\\c");
  CHECK(undecodable(placed(), line(R"("x":1)")) ==
        "key: the key `$.sku` is missing; it takes text or an integer");
  CHECK(mentions(undecodable(placed(), line(R"("sku":null)")), "is null"));
  CHECK(mentions(undecodable(placed(), line(R"("sku":"")")), "is empty"));
  CHECK(mentions(undecodable(placed(), line(R"("sku":true)")), "is a boolean"));
  CHECK(mentions(undecodable(placed(), line(R"("sku":{})")), "is an object or array"));
  CHECK(mentions(undecodable(placed(), line(R"("sku":[1])")), "is an object or array"));
  CHECK(mentions(undecodable(placed(), line(R"("sku":1.5)")), "is a number with"));
  CHECK(mentions(undecodable(placed(), line(R"("sku":99999999999999999999)")), "over 64 bits"));
  CHECK(mentions(undecodable(placed(), line(R"("sku":"a\u0000b")")), "NUL"));
  CHECK(mentions(undecodable(placed(), line("\"sku\":\"" + std::string(1025, 'x') + "\"")),
                 "1025 bytes"));
}

TEST_CASE("the parts of a composite key can't be confused") {
  auto contract = placed();
  contract.key = {p("$.a"), p("$.b"), p("$header.c")};
  const auto key = [&](const std::string& more, const std::string& c = "z") {
    return decode_one(contract, line(more), {{"c", c}})->entity.key;
  };
  CHECK(key(R"("a":"x","b":7)") == "x/7/z");
  CHECK(key(R"("a":"x/7","b":"y")") == "x\\/7/y/z");
  CHECK(key(R"("a":"x\\","b":"y")") == "x\\\\/y/z");
  CHECK(mentions(undecodable(contract, line(R"("a":"x","b":"y")")), "`$header.c` is missing"));
  CHECK(mentions(undecodable(contract, line(R"("a":"x","b":"y")"), {{"c", "\xff"}}),
                 "is not valid UTF-8"));
  property("two lists of parts give one key only if they are the same", [&] {
    const auto letters =
        rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("/+a"))));
    std::set<std::string> keys;
    std::set<std::pair<std::string, std::string>> lists;
    for (int i = 0; i < 6; ++i) {
      const std::string a = *letters;
      const std::string b = *letters;
      lists.insert({a, b});
      keys.insert(key("\"a\":\"" + a + "\",\"b\":\"" + b + "\""));
    }
    RC_ASSERT(keys.size() == lists.size());
  });
}

TEST_CASE("a key that is an integer stays one where it is read") {
  const auto pair = decode_one(with_fields(placed(), {"$key"}), line(R"("sku":17)"));
  CHECK(pair->elements[0][0] == value::integer(17));
}

TEST_CASE("a message addresses each entity of its list, in order of first mention") {
  const auto pairs = decode(
      per_line({"$.lines[*].n", "$.currency"}),
      line(R"("currency":"EUR","lines":[{"sku":"a","n":1},{"sku":"b","n":2},{"sku":"a","n":3}])"));
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0]->entity.key == "a");
  CHECK(pairs[0]->elements == std::vector<field_values>{{value::integer(1), value::text("EUR")},
                                                        {value::integer(3), value::text("EUR")}});
  CHECK(pairs[1]->entity.key == "b");
  CHECK(pairs[1]->elements == std::vector<field_values>{{value::integer(2), value::text("EUR")}});
  CHECK_FALSE(pairs[0]->key == pairs[1]->key);
}

TEST_CASE("an empty list of keys gives no pairs, a missing one can't be decoded") {
  CHECK(decode(per_line(), line(R"("lines":[])")).empty());
  CHECK(mentions(undecodable(per_line(), line(R"("x":1)")), "a list that is missing"));
  CHECK(mentions(undecodable(per_line(), line(R"("lines":null)")), "a list that is none"));
  CHECK(mentions(undecodable(per_line(), line(R"("lines":{"sku":"a"})")), "a list that is none"));
}

TEST_CASE("one bad element makes the whole message undecodable") {
  CHECK(
      mentions(undecodable(per_line(), line(R"("lines":[{"sku":"a"},{"sku":null}])")), "is null"));
  CHECK(mentions(
      undecodable(per_line({"$.lines[*].n"}), line(R"("lines":[{"sku":"a","n":1},{"sku":"b"}])")),
      "`$.lines[*].n` is missing"));
}

TEST_CASE("a message may address as many entities as the limit says and no more") {
  const auto lines = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text += (i == 0 ? "" : ",") + ("{\"sku\":" + std::to_string(i)) + "},{\"sku\":\"0\"}";
    }
    return line("\"lines\":[" + text + "]");
  };
  const auto pairs = decode(per_line(), lines(limits::entities_per_message_max));
  REQUIRE(pairs.size() == limits::entities_per_message_max);
  CHECK(pairs[0]->elements.size() == limits::entities_per_message_max + 1);
  CHECK(pairs[17]->entity.key == "17");
  CHECK(
      mentions(undecodable(per_line(), lines(limits::entities_per_message_max + 1)), "more than"));
}

TEST_CASE("an id per element is the id of its entity's pair") {
  auto contract = per_line();
  contract.id = {p("$.id"), p("$.lines[*].n")};
  const auto pairs = decode(contract, line(R"("lines":[{"sku":"a","n":1},{"sku":"b","n":2}])"));
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0]->id == "m-1/1");
  CHECK(pairs[1]->id == "m-1/2");
  CHECK(mentions(undecodable(contract, line(R"("lines":[{"sku":"a","n":1},{"sku":"a","n":2}])")),
                 "twice"));
}

TEST_CASE("under ledger a message needs an id") {
  auto by_header = placed();
  by_header.id.clear();
  CHECK(decode_one(by_header, line(R"("sku":"a")"), {{"message-id", "h-1"}})->id == "h-1");
  CHECK(mentions(undecodable(by_header, line(R"("sku":"a")")), "id: the message has no id"));
  CHECK(mentions(undecodable(by_header, line(R"("sku":"a")"), {{"message-id", ""}}), "no id"));
  CHECK(mentions(undecodable(by_header, line(R"("sku":"a")"), {{"message-id", "\xff"}}), "UTF-8"));
  const std::string no_id = R"({"type":"Placed","sku":"a"})";
  CHECK(mentions(undecodable(placed(), no_id), "id: the id `$.id` is missing"));
  CHECK(mentions(undecodable(placed(), no_id, {{"message-id", "h-1"}}), "`$.id` is missing"));
  CHECK(mentions(undecodable(placed(), R"({"type":"Placed","sku":"a","id":""})"), "is empty"));
  CHECK(mentions(undecodable(placed(), R"({"type":"Placed","sku":"a","id":"a\u0000"})"), "NUL"));
  CHECK(mentions(undecodable(placed(), R"({"type":"Placed","sku":"a","id":")" +
                                           std::string(1025, 'x') + "\"}"),
                 "1025 bytes"));
}

TEST_CASE("where no guard uses an id the header or the coordinates stand in") {
  auto contract = placed();
  contract.pair = policies::natural;
  const std::string no_id = R"({"type":"Placed","sku":"a"})";
  CHECK(decode_one(contract, line(R"("sku":"a")"), {{"message-id", "h-1"}})->id == "m-1");
  CHECK(decode_one(contract, no_id, {{"message-id", "h-1"}})->id == "h-1");
  CHECK(decode_one(contract, no_id)->id == "orders/3@42");
  CHECK(decode_one(contract, R"({"type":"Placed","sku":"a","id":null})")->id == "orders/3@42");
  CHECK(mentions(undecodable(contract, R"({"type":"Placed","sku":"a","id":{}})"), "id: "));
}

TEST_CASE("a version is an integer that is not negative") {
  auto contract = with_fields(placed(), {"$version"});
  contract.pair = policies::latest;
  contract.version = p("$.v");
  CHECK(decode_one(contract, line(R"("sku":"a","v":0)"))->version == message_version{0});
  const auto most = decode_one(contract, line(R"("sku":"a","v":9223372036854775807)"));
  CHECK(most->version == message_version{INT64_MAX});
  CHECK(most->elements[0][0] == value::integer(INT64_MAX));
  for (const char* bad :
       {"-1", "1.0", "1e3", "9223372036854775808", "\"7\"", "null", "true", "[]"}) {
    CAPTURE(bad);
    CHECK(
        mentions(undecodable(contract, line(R"("sku":"a","v":)" + std::string(bad))), "version: "));
  }
  CHECK(mentions(undecodable(contract, line(R"("sku":"a")")), "is missing"));
  contract.version = p("$header.v");
  CHECK(decode_one(contract, line(R"("sku":"a")"), {{"v", "7"}})->version == message_version{7});
  CHECK(mentions(undecodable(contract, line(R"("sku":"a")"), {{"v", "07"}}), "version: "));
}

TEST_CASE("negation is exact") {
  const auto negated = [](const std::string& number) {
    return decode_one(with_fields(placed(), {"-$.n"}), line("\"sku\":\"a\",\"n\":" + number))
        ->elements[0][0];
  };
  CHECK(negated("3") == value::integer(-3));
  CHECK(negated("-3") == value::integer(3));
  CHECK(negated("0") == value::integer(0));
  CHECK(negated("0.10") == value::decimal("-0.10"));
  CHECK(negated("-1234567890123456789.10") == value::decimal("1234567890123456789.10"));
  CHECK(negated("-9223372036854775808") == value::decimal("9223372036854775808"));
  CHECK(negated("9223372036854775808") == value::integer(INT64_MIN));
  CHECK(negated("null") == value::null());
  CHECK(mentions(undecodable(with_fields(placed(), {"-$.n"}), line(R"("sku":"a","n":"3")")),
                 "only a number is negated"));
}

TEST_CASE("a missing field can't be decoded unless it is optional") {
  auto contract = with_fields(placed(), {"$.n", "$header.h"});
  CHECK(mentions(undecodable(contract, line(R"("sku":"a")")), "field: `$.n` is missing"));
  contract.fields[0].optional = true;
  contract.fields[1].optional = true;
  const auto pair = decode_one(contract, line(R"("sku":"a")"));
  CHECK(pair->elements[0] == field_values{value::absent(), value::absent()});
}

TEST_CASE("when chooses among contracts of one type, and the one without clauses is the rest") {
  auto rest = placed();
  rest.entity_type = "sku";
  auto eu = placed();
  eu.when = {{p("$.region"), "eu"}, {p("$.tier"), "1"}};
  auto us = placed();
  us.when = {{p("$.region"), "us"}};
  const std::vector<message_contract> contracts{rest, eu, us};
  const auto chosen = [&](const std::string& more) {
    const auto pairs = decode(contracts, received(line("\"sku\":\"a\"," + more)));
    REQUIRE(pairs.size() == 1);
    return pairs[0]->contract->when.empty() ? std::string("rest")
                                            : pairs[0]->contract->when[0].equals;
  };
  CHECK(chosen(R"("region":"eu","tier":1)") == "eu");
  CHECK(chosen(R"("region":"eu","tier":2)") == "rest");
  CHECK(chosen(R"("region":"us")") == "us");
  CHECK(chosen(R"("region":null)") == "rest");
  CHECK(mentions(undecodable(us, line(R"("sku":"a","region":"eu")")), "when: no `when`"));
}

TEST_CASE("a type declared under several entity types addresses the entities of each") {
  auto by_order = placed();
  by_order.entity_type = "order";
  by_order.key = {p("$.order")};
  auto only_eu = placed();
  only_eu.entity_type = "region";
  only_eu.key = {p("$.region")};
  only_eu.when = {{p("$.region"), "eu"}};
  const std::vector<message_contract> contracts{placed(), by_order, only_eu};
  const auto pairs = decode(contracts, received(line(R"("sku":"a","order":7,"region":"us")")));
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0]->entity == entity_ref{"sku", "a"});
  CHECK(pairs[1]->entity == entity_ref{"order", "7"});
  CHECK(decode(contracts, received(line(R"("sku":"a","order":7,"region":"eu")"))).size() == 3);
  const auto broken = decode(contracts, received(line(R"("sku":"a","region":"us")")));
  REQUIRE(broken.size() == 1);
  CHECK(broken[0]->undecodable.has_value());
}

TEST_CASE("a fingerprint sees the declared fields and nothing else") {
  const auto contract = with_fields(placed(), {"$.n", "$header.h", "$meta.offset"});
  const auto print = [&](const std::string& more, const std::string& h = "x") {
    return decode_one(contract, line("\"sku\":\"a\"," + more), {{"h", h}})->content;
  };
  CHECK(print(R"("n":1)") == print(R"( "ts":9, "n" : 1)"));
  CHECK(print(R"("n":1)") == print(R"("n":1)", "other header"));
  CHECK(contradict(print(R"("n":1)"), print(R"("n":2)")));
}

TEST_CASE("without declared fields a fingerprint sees the payload but what is ignored") {
  auto contract = placed();
  contract.fingerprint_ignore = {p("$.ts")};
  const auto print = [&](const std::string& more) {
    return decode_one(contract, line("\"sku\":\"a\"," + more))->content;
  };
  CHECK(print(R"("n":1,"ts":1)") == print(R"("ts":2, "n": 1)"));
  CHECK(contradict(print(R"("n":1)"), print(R"("n":2)")));
  CHECK(contradict(print(R"("n":1)"), print(R"("n":1,"m":1)")));
}

TEST_CASE("fingerprints of other paths never contradict") {
  const std::string payload = line(R"("sku":"a","n":1,"m":2)");
  const auto one = decode_one(with_fields(placed(), {"$.n"}), payload)->content;
  const auto two = decode_one(with_fields(placed(), {"$.m"}), payload)->content;
  CHECK_FALSE(one == two);
  CHECK_FALSE(contradict(one, two));
}

TEST_CASE("a stored pair is decoded again for its own entity") {
  const auto contract = per_line({"$.lines[*].n"});
  const auto what = received(line(R"("lines":[{"sku":"a","n":1},{"sku":"b","n":2}])"));
  message_decoder decoder({"inventory", {&contract}, "$.type"});
  const auto first = decoder.decode(what);
  const auto again = decoder.decode_for(what, {"sku", "b"});
  CHECK(again->entity.key == "b");
  CHECK(again->key == first[1]->key);
  CHECK(again->content == first[1]->content);
  CHECK(again->elements == first[1]->elements);
  const auto gone = decoder.decode_for(what, {"sku", "c"});
  REQUIRE(gone->undecodable.has_value());
  CHECK(gone->entity.type == "_source");
  CHECK(mentions(gone->undecodable->text, "does not address sku \"c\""));
  CHECK(decoder.decode_for(received("{"), {"sku", "b"})->undecodable->code == "json");
}

TEST_CASE("a decoder keeps nothing of one message for the next") {
  const auto contract = with_fields(placed(), {"$.n"});
  message_decoder decoder({"inventory", {&contract}, "$.type"});
  CHECK(decoder.decode(received(line(R"("sku":"a","n":1)")))[0]->entity.key == "a");
  const auto broken = decoder.decode(received("{"));
  CHECK(broken[0]->undecodable.has_value());
  CHECK(broken[0]->type.empty());
  CHECK(decoder.decode(received(line(R"("sku":"a")")))[0]->undecodable.has_value());
  message_decoder moved(std::move(decoder));
  CHECK(moved.decode(received(line(R"("sku":"b","n":2)")))[0]->entity.key == "b");
}

TEST_CASE("any bytes give pairs") {
  auto contract = per_line({"$.lines[*].n", "$.x", "$header.h"});
  contract.fields[0].optional = true;
  contract.fields[1].optional = true;
  contract.fields[2].optional = true;
  message_decoder decoder({"inventory", {&contract}, "$.type"});
  const auto check = [&decoder](const message_ptr& what) {
    for (const auto& pair : decoder.decode(what)) {
      RC_ASSERT(pair->contract != nullptr);
      RC_ASSERT((pair->undecodable.has_value() == (pair->entity.type == "_source")));
      RC_ASSERT(!pair->id.empty());
      RC_ASSERT(!pair->entity.key.empty());
      RC_ASSERT(pair->key == make_ledger_key("inventory", pair->entity, pair->id));
    }
  };
  property("random bytes and headers", [&](const std::string& bytes, const std::string& h) {
    check(received(bytes, {{"type", "Placed"}, {"message-id", h}, {"h", h}}));
  });
  property("a valid message with bytes changed", [&] {
    std::string text = line(R"("x":[1,{"y":"\u00e9"}],"lines":[{"sku":"a","n":1.5},{"sku":7}])");
    const int changes = *rc::gen::inRange(0, 4);
    for (int i = 0; i < changes; ++i) {
      text[*rc::gen::inRange<std::size_t>(0, text.size())] =
          *rc::gen::elementOf(std::string("{}[]\",:\\0a \n\xff\x01-e."));
    }
    check(received(text));
  });
  property("a valid message cut anywhere", [&] {
    const std::string text = line(R"("lines":[{"sku":"a","n":1.5},{"sku":7}])");
    check(received(text.substr(0, *rc::gen::inRange<std::size_t>(0, text.size() + 1))));
  });
}
