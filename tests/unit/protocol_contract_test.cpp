#include "protocol/contract.hpp"
#include "tests/check.hpp"

using namespace pawl;

namespace {

path p(std::string_view text) { return *parse_path(text); }

message_contract good() {
  message_contract made;
  made.type = "OrderPlaced";
  made.entity_type = "sku";
  made.key = {p("$.lines[*].sku")};
  made.id = {p("$.id"), p("$.lines[*].line")};
  made.pair = policies::ledger;
  made.when = {{p("$header.kind"), "order"}};
  made.fields = {{p("$.lines[*].quantity"), false},
                 {p("$.currency"), true},
                 {p("$key"), false},
                 {p("$id"), false}};
  return made;
}

message_contract versioned() {
  message_contract made = good();
  made.pair = policies::latest;
  made.version = p("$.version");
  return made;
}

/// The part that is refused, or "" if none is.
std::string refused_part(const message_contract& contract) {
  const status checked = check_contract(contract);
  if (checked.ok()) {
    return {};
  }
  CHECK(checked.error().kind == fault::refused);
  CHECK(checked.error().text.find("; ") != std::string::npos);
  return checked.error().code;
}

}  // namespace

TEST_CASE("contracts that can be kept are accepted") {
  CHECK(refused_part(good()).empty());
  CHECK(refused_part(versioned()).empty());
  auto whole = good();
  whole.fields.clear();
  whole.fingerprint_ignore = {p("$.sent_at"), p("$.lines[*].ts")};
  CHECK(refused_part(whole).empty());
}

TEST_CASE("a pair that is none of the five is refused with its fix") {
  auto wrong = versioned();
  wrong.pair.order = order_policy::arrival;
  CHECK(refused_part(wrong) == "policy");
  CHECK(check_contract(wrong).error().text.find("order: latest") != std::string::npos);
}

TEST_CASE("a version is declared exactly where it is compared") {
  auto without = versioned();
  without.version.reset();
  CHECK(refused_part(without) == "version");
  auto unused = good();
  unused.version = p("$.version");
  CHECK(refused_part(unused) == "version");
  auto read = good();
  read.fields.push_back({p("$version"), false});
  CHECK(refused_part(read) == "fields");
}

TEST_CASE("a repeated path needs the key's list") {
  auto wrong = good();
  SECTION("another list in a field") {
    wrong.fields.push_back({p("$.others[*].x"), false});
    CHECK(refused_part(wrong) == "fields");
    CHECK(check_contract(wrong).error().text.find("$.lines[*].sku") != std::string::npos);
  }
  SECTION("a list where the key has none") {
    wrong.key = {p("$.sku")};
    wrong.id = {p("$.id")};
    CHECK(refused_part(wrong) == "fields");
  }
  SECTION("two lists in a key") {
    wrong.key.push_back(p("$.others[*].x"));
    CHECK(refused_part(wrong) == "key");
  }
  SECTION("another list in the id") {
    wrong.id = {p("$.others[*].x")};
    CHECK(refused_part(wrong) == "id");
  }
  SECTION("a list in a clause") {
    wrong.when = {{p("$.lines[*].kind"), "x"}};
    CHECK(refused_part(wrong) == "when");
  }
}

TEST_CASE("what addresses a message is read from the message") {
  auto wrong = good();
  SECTION("a key from the id") {
    wrong.key = {p("$id")};
    CHECK(refused_part(wrong) == "key");
  }
  SECTION("no key") {
    wrong.key.clear();
    CHECK(refused_part(wrong) == "key");
  }
  SECTION("a negated key") {
    wrong.key = {p("-$.sku")};
    CHECK(refused_part(wrong) == "key");
  }
  SECTION("a clause on the key") {
    wrong.when = {{p("$key"), "x"}};
    CHECK(refused_part(wrong) == "when");
  }
}

TEST_CASE("names, state, start and fingerprint are checked") {
  auto wrong = good();
  SECTION("no type") {
    wrong.type.clear();
    CHECK(refused_part(wrong) == "type");
  }
  SECTION("the reserved entity type") {
    wrong.entity_type = "_source";
    CHECK(refused_part(wrong) == "entity");
  }
  SECTION("state without a guard that is known first") {
    wrong.pair = policies::natural;
    wrong.reads_state = true;
    CHECK(refused_part(wrong) == "state");
  }
  SECTION("a start without a sequence") {
    wrong.start = sequence_start::first;
    CHECK(refused_part(wrong) == "start");
  }
  SECTION("ignored fields beside declared ones") {
    wrong.fingerprint_ignore = {p("$.ts")};
    CHECK(refused_part(wrong) == "fingerprint");
  }
  SECTION("an ignored header") {
    wrong.fields.clear();
    wrong.fingerprint_ignore = {p("$header.ts")};
    CHECK(refused_part(wrong) == "fingerprint");
  }
}
