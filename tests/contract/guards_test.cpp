// What was done before is not done again: commit.md section 2.
#include "protocol/hash.hpp"
#include "tests/check.hpp"
#include "tests/support/shop.hpp"
#include "tests/support/sqlite_file.hpp"

using namespace pawl;
using namespace pawl_test;
using cells = std::vector<std::vector<std::string>>;

namespace {

entity_row next_row(const entity_row& before, std::int64_t version, const addressed_ptr& pair) {
  entity_row row = before;
  ++row.revision.value;
  row.version = message_version{version};
  row.version_content = pair->content;
  return row;
}

}  // namespace

STORE_TEST_CASE("a redelivered message leaves the balance alone") {
  shop at(TestType::open(shop_tables()));
  const auto pair = pair_of(policies::ledger, {});
  CHECK(at.commit_one(shop::apply(pair, {at.reserve("a", 3)})) == outcome::applied);
  CHECK(at.commit_one(shop::apply(pair, {at.reserve("a", 3)})) == outcome::duplicate);
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE(
    "twins in one batch take effect once, and a third with other content is a conflict") {
  shop at(TestType::open(shop_tables()));
  const auto pair = pair_of(policies::ledger, {});
  const auto other = pair_of(policies::ledger, {.content = "y"});
  const auto answer = at.commit({at.part({shop::apply(pair, {at.reserve("a", 3)}),
                                          shop::apply(pair, {at.reserve("a", 3)}),
                                          shop::apply(other, {at.reserve("a", 5)})})})
                          .front();
  CHECK(answer.outcomes == std::vector{outcome::applied, outcome::duplicate, outcome::conflict});
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE(
    "the same id with other content is set aside as a conflict, and counted when it "
    "comes again") {
  shop at(TestType::open(shop_tables()));
  const auto other = pair_of(policies::ledger, {.content = "y"});
  at.commit_one(shop::apply(pair_of(policies::ledger, {}), {at.reserve("a", 3)}));
  CHECK(at.commit_one(shop::apply(other, {at.reserve("a", 5)})) == outcome::conflict);
  CHECK(at.commit_one(shop::apply(other, {at.reserve("a", 5)})) == outcome::duplicate);
  const auto letters = at.dead_letters();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].reason == "conflict");
  CHECK(letters[0].count == 2);
  CHECK_FALSE(letters[0].blocks);
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE(
    "a conflict's dead letter that is discarded is gone, and does not come back as one") {
  shop at(TestType::open(shop_tables()));
  const auto other = pair_of(policies::ledger, {.content = "y"});
  at.commit_one(shop::apply(pair_of(policies::ledger, {}), {at.reserve("a", 3)}));
  at.commit_one(shop::apply(other, {at.reserve("a", 5)}));
  auto given_up = shop::apply(other, {});
  given_up.what = disposition::discard;
  given_up.from = stored_ref{stored_ref::table::dead_letter, other->key, other->content};
  CHECK(at.commit_one(given_up) == outcome::dead);
  CHECK(at.dead_letters().empty());
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE("a conflict's dead letter is no guard: the first content stays a duplicate") {
  shop at(TestType::open(shop_tables()));
  const auto first = pair_of(policies::ledger, {});
  at.commit_one(shop::apply(first, {at.reserve("a", 3)}));
  at.commit_one(shop::apply(pair_of(policies::ledger, {.content = "y"}), {at.reserve("a", 5)}));
  CHECK(at.commit_one(shop::apply(first, {at.reserve("a", 3)})) == outcome::duplicate);
}

STORE_TEST_CASE(
    "a conflict that later fails for itself becomes a dead letter: a guard that may block") {
  shop at(TestType::open(shop_tables()));
  const auto other = pair_of(policies::natural, {.content = "y"});
  auto conflict = shop::apply(other, {});
  conflict.what = disposition::settle;
  conflict.settled = outcome::conflict;
  CHECK(at.commit_one(conflict) == outcome::conflict);
  auto dead = shop::dead(other);
  dead.blocks = true;
  CHECK(at.commit_one(dead) == outcome::dead);
  const auto letters = at.dead_letters();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].reason == "handler");
  CHECK(letters[0].blocks);
  CHECK(letters[0].count == 2);
  CHECK(at.commit_one(shop::apply(other, {at.count("a", 1)})) == outcome::duplicate);
}

STORE_TEST_CASE("one id for two entities is two messages") {
  shop at(TestType::open(shop_tables()));
  const auto answers = at.commit(
      {at.part({shop::apply(pair_of(policies::ledger, {.entity = "a"}), {at.reserve("a", 1)})}),
       at.part({shop::apply(pair_of(policies::ledger, {.entity = "b"}), {at.reserve("b", 2)})})});
  CHECK(answers[0].outcomes.front() == outcome::applied);
  CHECK(answers[1].outcomes.front() == outcome::applied);
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "1", "NULL"}, {"b", "0", "2", "NULL"}});
}

STORE_TEST_CASE("a redelivery of a dead letter or of a parked message is a duplicate") {
  shop at(TestType::open(shop_tables()));
  const auto dead = pair_of(policies::ledger, {.id = "dead"});
  const auto parked = pair_of(policies::natural, {.id = "parked"});
  CHECK(at.commit_one(shop::dead(dead)) == outcome::dead);
  CHECK(at.commit_one(shop::park(parked)) == outcome::parked);
  CHECK(at.commit_one(shop::apply(dead, {at.reserve("a", 3)})) == outcome::duplicate);
  CHECK(at.commit_one(shop::apply(parked, {at.count("a", 3)})) == outcome::duplicate);
  CHECK(at.commit_one(shop::park(parked)) == outcome::duplicate);
  CHECK(at.commit_one(shop::dead(dead)) == outcome::duplicate);
  CHECK(at.fixture().rows("stock").empty());
  CHECK(at.dead_letters().size() == 1);
}

STORE_TEST_CASE("a message that was applied is neither parked nor set aside when it comes again") {
  shop at(TestType::open(shop_tables()));
  const auto pair = pair_of(policies::ledger, {});
  at.commit_one(shop::apply(pair, {at.reserve("a", 3)}));
  CHECK(at.commit_one(shop::park(pair)) == outcome::duplicate);
  CHECK(at.commit_one(shop::dead(pair)) == outcome::duplicate);
  CHECK_FALSE(at.trace(pair).parked.has_value());
  CHECK(at.dead_letters().empty());
}

STORE_TEST_CASE("parked messages keep their order, and are gone once they are redriven") {
  shop at(TestType::open(shop_tables()));
  std::vector<commit_item> items;
  for (const auto* id : {"3", "1", "2"}) {
    items.push_back(shop::park(pair_of(policies::ledger, {.id = id})));
  }
  at.commit({at.part(std::move(items))});
  const auto rows = must(at.session().load_parked({"sku", "a"}, park_reason::behind_dead, 10));
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].key == make_ledger_key("c", {"sku", "a"}, "3"));
  CHECK(rows[1].key == make_ledger_key("c", {"sku", "a"}, "1"));
  CHECK(at.load("a").parked_behind);

  auto again = shop::apply(pair_of(policies::ledger, {.id = "3"}), {at.reserve("a", 3)});
  again.from = stored_ref{stored_ref::table::parked, again.pair->key, again.pair->content};
  const auto redriven = again;
  CHECK(at.commit_one(again) == outcome::applied);
  CHECK(must(at.session().load_parked({"sku", "a"}, park_reason::behind_dead, 10)).size() == 2);
  CHECK(at.commit_one(redriven) == outcome::duplicate);
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE(
    "a dead letter that fails again is set aside anew, one that is discarded stays a "
    "duplicate") {
  shop at(TestType::open(shop_tables()));
  const auto pair = pair_of(policies::ledger, {});
  at.commit_one(shop::dead(pair));
  auto again = shop::dead(pair);
  again.attempts = 9;
  again.from = stored_ref{stored_ref::table::dead_letter, pair->key, pair->content};
  CHECK(at.commit_one(again) == outcome::dead);
  REQUIRE(at.dead_letters().size() == 1);
  CHECK(at.dead_letters().front().attempts == 9);

  auto given_up = shop::apply(pair, {});
  given_up.what = disposition::discard;
  given_up.from = again.from;
  CHECK(at.commit_one(given_up) == outcome::dead);
  CHECK(at.dead_letters().empty());
  CHECK(at.trace(pair).ledger.has_value());
  CHECK(at.commit_one(shop::apply(pair, {at.reserve("a", 3)})) == outcome::duplicate);
}

STORE_TEST_CASE("messages parked behind a gap are found by version") {
  shop at(TestType::open(shop_tables()));
  for (const std::int64_t version : {7, 5, 6}) {
    at.commit_one(
        shop::park(pair_of(policies::sequence, {.id = std::to_string(version), .version = version}),
                   park_reason::gap));
  }
  CHECK(at.load("a").lowest_gap == message_version{5});
  const auto rows = must(at.session().load_parked({"sku", "a"}, park_reason::gap, 2));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].version == message_version{5});
  CHECK(rows[1].version == message_version{6});
}

STORE_TEST_CASE("a version moves by compare-and-set, and whoever comes late has to reload") {
  shop at(TestType::open(shop_tables()));
  const auto before = at.load("a").row;
  const auto pair = pair_of(policies::latest, {.version = 4});
  auto first = shop::apply(pair, {at.count("a", 10)});
  first.after = next_row(before, 4, pair);
  const auto late = pair_of(policies::latest, {.id = "2", .version = 5});
  auto second = shop::apply(late, {at.count("a", 20)});
  second.after = next_row(before, 5, late);

  CHECK(at.commit({at.part({first}, before)}).front().status == part_status::done);
  const auto answers = at.commit(
      {at.part({second}, before),
       at.part({shop::apply(pair_of(policies::ledger, {.entity = "b"}), {at.reserve("b", 1)})})});
  CHECK(answers[0].status == part_status::reload);
  CHECK(answers[0].outcomes.empty());
  CHECK(answers[1].status == part_status::done);
  CHECK(at.fixture().rows("stock") == cells{{"a", "10", "0", "NULL"}, {"b", "0", "1", "NULL"}});
  CHECK(at.load("a").row.version == message_version{4});
  CHECK(at.load("a").row.revision == entity_revision{1});
}

STORE_TEST_CASE("an entity's row moves by all the messages of its part at once") {
  shop at(TestType::open(shop_tables()));
  auto row = at.load("a").row;
  std::vector<commit_item> items;
  for (std::int64_t version = 1; version <= 3; ++version) {
    const auto pair =
        pair_of(policies::sequence, {.id = std::to_string(version), .version = version});
    items.push_back(shop::apply(pair, {at.reserve("a", version)}));
    items.back().after = row = next_row(row, version, pair);
    items.back().after->state = "state " + std::to_string(version);
  }
  at.commit({at.part(std::move(items))});
  CHECK(at.load("a").row.revision == entity_revision{3});
  CHECK(at.load("a").row.version == message_version{3});
  CHECK(at.load("a").row.state == "state 3");
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "6", "NULL"}});
}

STORE_TEST_CASE(
    "what was decided from a version needs no guard: stale is counted, a conflict is "
    "set aside") {
  shop at(TestType::open(shop_tables()));
  auto stale = shop::apply(pair_of(policies::latest, {.version = 1}), {});
  stale.what = disposition::settle;
  stale.settled = outcome::stale;
  auto conflict = shop::apply(pair_of(policies::latest, {.content = "y", .version = 1}), {});
  conflict.what = disposition::settle;
  conflict.settled = outcome::conflict;
  CHECK(at.commit_one(stale) == outcome::stale);
  CHECK(at.commit_one(conflict) == outcome::conflict);
  CHECK(at.commit_one(conflict) == outcome::duplicate);
  CHECK(at.dead_letters().front().reason == "conflict");
}

STORE_TEST_CASE(
    "a handler that read state for a message already done has to decide again, and is "
    "told which") {
  shop at(TestType::open(shop_tables()));
  const auto known = pair_of(policies::ledger, {});
  at.commit_one(shop::apply(known, {at.reserve("a", 3)}));
  auto fresh = shop::apply(pair_of(policies::ledger, {.id = "2"}), {at.reserve("a", 10)});
  auto again = shop::apply(known, {at.reserve("a", 3)});
  fresh.decided_fresh = again.decided_fresh = true;
  const auto answer = at.commit({at.part({fresh, again})}).front();
  CHECK(answer.status == part_status::reload);
  CHECK(answer.outcomes.empty());
  REQUIRE(answer.known.size() == 1);
  CHECK(answer.known[0].item == 1);
  CHECK(answer.known[0].what == outcome::duplicate);
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "3", "NULL"}});
}

STORE_TEST_CASE("a row under the unique key means done: the rest of the message is skipped") {
  shop at(TestType::open(shop_tables()));
  const auto ship = [&](const std::string& id) {
    return shop::apply(pair_of(policies::unique, {.id = id}),
                       {at.ship("o1", "a", 2), at.reserve("a", -2)});
  };
  CHECK(at.commit_one(ship("1")) == outcome::applied);
  CHECK(at.commit_one(ship("2")) == outcome::duplicate);
  CHECK(at.fixture().rows("shipments") == cells{{"o1", "a", "out", "2", "NULL"}});
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "-2", "NULL"}});
}

STORE_TEST_CASE("one unique key twice in a batch is inserted by the first") {
  shop at(TestType::open(shop_tables()));
  const auto ship = [&](const std::string& entity, std::int64_t quantity) {
    return at.part({shop::apply(pair_of(policies::unique, {.entity = entity}),
                                {at.ship("o1", "s", quantity), at.total("shipped", quantity)})});
  };
  const auto answers = at.commit({ship("a", 2), ship("b", 3), ship("c", 4)});
  CHECK(answers[0].outcomes.front() == outcome::applied);
  CHECK(answers[1].outcomes.front() == outcome::duplicate);
  CHECK(answers[2].outcomes.front() == outcome::duplicate);
  CHECK(at.fixture().rows("shipments") == cells{{"o1", "s", "out", "2", "NULL"}});
  CHECK(at.fixture().rows("totals") == cells{{"shipped", "2"}});
}

STORE_TEST_CASE("under natural a message that comes again overwrites again") {
  shop at(TestType::open(shop_tables()));
  const auto pair = pair_of(policies::natural, {});
  CHECK(at.commit_one(shop::apply(pair, {at.count("a", 3)})) == outcome::applied);
  at.commit_one(shop::apply(pair_of(policies::natural, {.id = "2"}), {at.count("a", 4)}));
  CHECK(at.commit_one(shop::apply(pair, {at.count("a", 3)})) == outcome::applied);
  CHECK(at.fixture().rows("stock") == cells{{"a", "3", "0", "NULL"}});
}

STORE_TEST_CASE("a commit under a lost lease changes nothing, and the other shards' parts commit") {
  shop at(TestType::open(shop_tables()));
  auto old_part =
      at.part({shop::apply(pair_of(policies::ledger, {.entity = "a"}), {at.reserve("a", 1)})});
  at.fixture().take_leases_again();
  std::string other = "b";
  while (shard_of({"sku", other}, store_fixture::shards) == old_part.shard) {
    other += "b";
  }
  const auto answers =
      at.commit({old_part, at.part({shop::apply(pair_of(policies::ledger, {.entity = other}),
                                                {at.reserve(other, 2)})})});
  CHECK(answers[0].status == part_status::lost);
  CHECK(answers[1].status == part_status::done);
  CHECK(at.fixture().rows("stock") == cells{{other, "0", "2", "NULL"}});
}
