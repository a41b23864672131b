#include "protocol/envelope.hpp"
#include "protocol/limits.hpp"
#include "tests/check.hpp"

using namespace pawl;

namespace {

addressed_message example() {
  auto received = std::make_shared<message>();
  received->payload = std::string("{\"a\":\0\xff}", 8);
  received->headers = {{"message-id", "m-1"}, {"raw", std::string("\0\xfe", 2)}, {"raw", ""}};
  received->origin = {"orders", "3", INT64_MAX - 1, INT64_MAX, 7};
  received->redelivered = true;
  received->full_bytes = 1U << 30U;
  addressed_message pair;
  pair.source = received;
  pair.type = "Placed";
  pair.id = "m-1";
  pair.entity = {"sku", "A-1"};
  return pair;
}

bool refused(std::string_view bytes) {
  const auto read = decode_envelope(bytes);
  if (!read.ok()) {
    CHECK(read.error().kind == fault::poison);
    CHECK(read.error().code == "envelope");
  }
  return !read.ok();
}

std::string encoded(void (*change)(addressed_message&, message&)) {
  addressed_message pair = example();
  auto received = std::make_shared<message>(*pair.source);
  change(pair, *received);
  pair.source = received;
  return encode_envelope(pair);
}

}  // namespace

TEST_CASE("an envelope gives back the message as it was received and addressed") {
  const addressed_message pair = example();
  const auto read = decode_envelope(encode_envelope(pair));
  REQUIRE(read.ok());
  CHECK(read->received->payload == pair.source->payload);
  CHECK(read->received->headers == pair.source->headers);
  CHECK(read->received->origin == pair.source->origin);
  CHECK(read->received->redelivered);
  CHECK(read->received->full_bytes == pair.source->full_bytes);
  CHECK(read->type == "Placed");
  CHECK(read->id == "m-1");
  CHECK(read->entity == pair.entity);
}

TEST_CASE("an envelope written by an earlier release is still read") {
  // payload {}, header h: v, origin orders/3 at 42, type T, id i, entity sku/a
  const std::string bytes(
      "\x0a\x02{}\x12\x06\x0a\x01h\x12\x01v\x1a\x0d\x0a\x06orders\x12\x01"
      "3\x18\x2a\x2a\x01T\x32\x01i"
      "\x7a\x08\x0a\x03sku\x12\x01"
      "a");
  const auto read = decode_envelope(bytes);
  REQUIRE(read.ok());
  CHECK(read->received->payload == "{}");
  CHECK(read->received->headers == std::vector<header>{{"h", "v"}});
  CHECK(read->received->origin == message_origin{"orders", "3", 42, 0, 0});
  CHECK(read->type == "T");
  CHECK(read->id == "i");
  CHECK(read->entity == entity_ref{"sku", "a"});
}

TEST_CASE("a message that named no type and has no payload survives") {
  const auto read = decode_envelope(encoded([](addressed_message& pair, message& received) {
    pair.type.clear();
    received = {};
  }));
  REQUIRE(read.ok());
  CHECK(read->type.empty());
  CHECK(read->received->payload.empty());
  CHECK(read->received->origin == message_origin{});
}

TEST_CASE("an envelope cut anywhere is refused") {
  const std::string whole = encode_envelope(example());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CAPTURE(cut);
    CHECK(refused(whole.substr(0, cut)));
  }
}

TEST_CASE("bytes behind an envelope, and numbers that nobody wrote, are refused") {
  const std::string whole = encode_envelope(example());
  CHECK(refused(whole + '\0'));
  CHECK(refused(whole + "garbage"));
  CHECK(refused(whole + "\x70\x01"));          // field 14, unknown
  CHECK(refused(whole + "\x7a\x02\x78\x01"));  // the same inside `entity`
}

TEST_CASE("a part that must be there is missed") {
  CHECK(refused(encoded([](addressed_message& pair, message&) { pair.id.clear(); })));
  CHECK(refused(encoded([](addressed_message& pair, message&) { pair.entity.type.clear(); })));
  CHECK(refused(encoded([](addressed_message& pair, message&) { pair.entity.key.clear(); })));
}

TEST_CASE("text that is not UTF-8, holds NUL or is too long is refused") {
  CHECK(refused(encoded([](addressed_message& pair, message&) { pair.type = "\xff"; })));
  CHECK(refused(encoded([](addressed_message& pair, message&) { pair.id = "\xff"; })));
  CHECK(refused(
      encoded([](addressed_message& pair, message&) { pair.entity.key = std::string("a\0", 2); })));
  CHECK(refused(encoded([](addressed_message& pair, message&) {
    pair.id = std::string(limits::id_bytes_max + 1, 'x');
  })));
  CHECK(refused(
      encoded([](addressed_message&, message& received) { received.origin.source = "\xff"; })));
}

TEST_CASE("what is over a limit is refused, at the limit it is read") {
  CHECK_FALSE(refused(encoded([](addressed_message&, message& received) {
    received.payload.assign(limits::payload_bytes_max, 'x');
    received.headers.assign(limits::headers_max, {"n", "v"});
  })));
  CHECK(refused(encoded([](addressed_message&, message& received) {
    received.payload.assign(limits::payload_bytes_max + 1, 'x');
  })));
  CHECK(refused(encoded([](addressed_message&, message& received) {
    received.headers.assign(limits::headers_max + 1, {"n", "v"});
  })));
  CHECK(refused(std::string(limits::envelope_bytes_max + 1, '\0')));
}

TEST_CASE("any message survives its envelope, any bytes are an envelope or an error") {
  property("round trip", [](const std::string& payload, const std::string& name,
                            const std::string& content, std::int64_t position) {
    addressed_message pair = example();
    auto received = std::make_shared<message>(*pair.source);
    received->payload = payload;
    received->headers = {{name, content}};
    received->origin.position = position;
    pair.source = received;
    const auto read = decode_envelope(encode_envelope(pair));
    RC_ASSERT(read.ok());
    RC_ASSERT(read->received->payload == payload);
    RC_ASSERT((read->received->headers == received->headers));
    RC_ASSERT((read->received->origin == received->origin));
  });
  property("random bytes", [](const std::string& bytes) { (void)decode_envelope(bytes).ok(); });
  property("an envelope with bytes changed", [] {
    std::string bytes = encode_envelope(example());
    const int changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i) {
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    }
    const auto read = decode_envelope(bytes);
    RC_ASSERT((!read.ok() || (!read->id.empty() && !read->entity.key.empty())));
  });
}
