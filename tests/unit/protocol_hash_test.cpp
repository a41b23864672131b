#include "protocol/hash.hpp"
#include "tests/check.hpp"

#include <set>

using namespace pawl;

TEST_CASE("a ledger key is SHA-256 over the length-prefixed parts, cut to 16 bytes") {
  // taken with another implementation of SHA-256; stored in users' ledgers, so it never changes
  CHECK(to_hex(make_ledger_key("inventory", {"sku", "A-1"}, "m-1")) ==
        "96e6226f7864b4fa930dcd3c2e459510");
}

TEST_CASE("parts that read the same when joined give different ledger keys") {
  const auto key = make_ledger_key("c", {"ab", "c"}, "d");
  CHECK_FALSE(key == make_ledger_key("c", {"a", "bc"}, "d"));
  CHECK_FALSE(key == make_ledger_key("ca", {"b", "c"}, "d"));
  CHECK_FALSE(key == make_ledger_key("c", {"ab", ""}, "cd"));
  CHECK(key == make_ledger_key("c", {"ab", "c"}, "d"));
}

TEST_CASE("the ledger key of a version is that of no id") {
  const auto key = make_ledger_key("c", {"sku", "A-1"}, message_version{7});
  CHECK(key == make_ledger_key("c", {"sku", "A-1"}, message_version{7}));
  CHECK_FALSE(key == make_ledger_key("c", {"sku", "A-1"}, message_version{8}));
  for (const char* id : {"7", "version7", "version", ""}) {
    CHECK_FALSE(key == make_ledger_key("c", {"sku", "A-1"}, id));
  }
}

TEST_CASE("shards of known entities never move") {
  CHECK(shard_of({"sku", "A-1"}, 64).value == 2);
  CHECK(shard_of({"sku", "A-2"}, 64).value == 29);
  CHECK(shard_of({"order", "0190f3a2-7c1e-7b44-9d55-0123456789ab"}, 65536).value == 32994);
  CHECK(shard_of({"", ""}, 65536).value == 32367);
}

TEST_CASE("entities spread evenly over shards") {
  std::vector<int> count(16);
  for (int i = 0; i < 16000; ++i) {
    ++count[shard_of({"sku", std::to_string(i)}, 16).value];
  }
  for (const int one : count) {
    CHECK(one > 800);
    CHECK(one < 1200);
  }
}

TEST_CASE("a shard is always in range") {
  property("for any entity and shard count", [](const std::string& type, const std::string& key) {
    const auto shards = *rc::gen::inRange<std::uint32_t>(1, 65537);
    RC_ASSERT(shard_of({type, key}, shards).value < shards);
  });
}

TEST_CASE("known fingerprints never change") {
  CHECK(hash_recipe({"$.sku", "$.quantity"}) == 32183);
  CHECK(make_fingerprint(7, {{value::text("A-1"), value::integer(3)}}).value == 0x7c15bb7324fafULL);
  CHECK(make_fingerprint(7, std::string_view("some bytes")).value == 0x78132d1655c15ULL);
}

TEST_CASE("a fingerprint tells kinds, lengths, elements and absence apart") {
  const std::vector<std::vector<std::vector<value>>> contents{
      {},
      {{}},
      {{value::null()}},
      {{value::absent()}},
      {{value::integer(1)}},
      {{value::boolean(true)}},
      {{value::text("1")}},
      {{value::decimal("1")}},
      {{value::json("1")}},
      {{value::bytes("1")}},
      {{value::text("ab"), value::text("c")}},
      {{value::text("a"), value::text("bc")}},
      {{value::text("a")}, {value::text("bc")}},
      {{value::text(std::string("a\0", 2))}},
      {{value::text("a")}},
  };
  std::set<std::uint64_t> seen;
  for (const auto& elements : contents) {
    seen.insert(make_fingerprint(1, elements).value);
  }
  CHECK(seen.size() == contents.size());
}

TEST_CASE("fingerprints of different recipes never contradict") {
  const auto one = make_fingerprint(1, std::string_view("a"));
  CHECK(contradict(one, make_fingerprint(1, std::string_view("b"))));
  CHECK_FALSE(contradict(one, make_fingerprint(2, std::string_view("b"))));
  CHECK_FALSE(contradict(one, make_fingerprint(1, std::string_view("a"))));
}

TEST_CASE("a ledger key survives hexadecimal and back") {
  property("for any key", [](const std::string& id) {
    const auto key = make_ledger_key("c", {"t", "k"}, id);
    RC_ASSERT(ledger_key_from_hex(to_hex(key)) == key);
  });
  CHECK_FALSE(ledger_key_from_hex("").has_value());
  CHECK_FALSE(ledger_key_from_hex(std::string(31, '0')).has_value());
  CHECK_FALSE(ledger_key_from_hex(std::string(33, '0')).has_value());
  CHECK_FALSE(ledger_key_from_hex(std::string(31, '0') + "g").has_value());
  CHECK_FALSE(ledger_key_from_hex(std::string(31, '0') + "A").has_value());
}
