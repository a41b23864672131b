// What the command line sees of a consumer, and the marks that it leaves, over every store.
#include "tests/check.hpp"
#include "tests/support/shop.hpp"
#include "tests/support/sqlite_file.hpp"

using namespace pawl;
using namespace pawl_test;

namespace {

/// One applied message, a blocking dead letter with one behind it, a conflict, and two in a gap.
void fill(shop& at) {
  at.commit_one(shop::apply(pair_of(policies::ledger, {}), {at.reserve("a", 1)}));
  at.commit_one(shop::apply(pair_of(policies::ledger, {.content = "y"}), {at.reserve("a", 2)}));
  auto dead = shop::dead(pair_of(policies::ledger, {.entity = "b", .id = "dead"}));
  dead.blocks = true;
  entity_row row;
  row.revision = entity_revision{1};
  row.blocked = true;
  dead.after = row;
  at.commit(
      {at.part({dead, shop::park(pair_of(policies::ledger, {.entity = "b", .id = "behind"}))})});
  std::vector<commit_item> gap;
  for (const std::int64_t version : {5, 3}) {
    gap.push_back(
        shop::park(pair_of(policies::sequence,
                           {.entity = "c", .id = std::to_string(version), .version = version}),
                   park_reason::gap));
  }
  at.commit({at.part(std::move(gap))});
}

}  // namespace

STORE_TEST_CASE(
    "the status counts what waits, what is set aside and why, and who holds the shards") {
  shop at(TestType::open(shop_tables()));
  fill(at);
  const auto seen = must(at.fixture().open_admin()->status_of());
  CHECK(seen.consumer == "c");
  CHECK(seen.shards == store_fixture::shards);
  CHECK(seen.leases.size() == store_fixture::shards);
  CHECK(seen.parked_behind_dead == 1);
  CHECK(seen.parked_gap == 2);
  CHECK(seen.blocked_entities == 1);
  CHECK(seen.dead_letters == std::map<std::string, std::int64_t>{{"conflict", 1}, {"handler", 1}});
}

STORE_TEST_CASE("dead letters are listed by their numbers and found by them, with all they hold") {
  shop at(TestType::open(shop_tables()));
  fill(at);
  const auto admin = at.fixture().open_admin();
  const auto letters = must(admin->dead_letters(10));
  REQUIRE(letters.size() == 2);
  CHECK(letters[0].id < letters[1].id);
  CHECK(must(admin->dead_letters(1)).size() == 1);
  const auto dead = must(admin->dead_letter(letters[1].id));
  REQUIRE(dead.has_value());
  CHECK(dead->entity == entity_ref{"sku", "b"});
  CHECK(dead->reason == "handler");
  CHECK(dead->text == "it can't be done");
  CHECK(dead->attempts == 5);
  CHECK(dead->blocks);
  CHECK(dead->mark == dead_letter_mark::none);
  CHECK(dead->count == 1);
  CHECK_FALSE(dead->envelope.empty());
  CHECK_FALSE(must(admin->dead_letter(letters[1].id + 1000)).has_value());
}

STORE_TEST_CASE("a mark stays until it is changed, and a dead letter that is gone takes none") {
  shop at(TestType::open(shop_tables()));
  fill(at);
  const auto admin = at.fixture().open_admin();
  const auto id = must(admin->dead_letters(10)).back().id;
  CHECK(must(admin->mark(id, dead_letter_mark::retry)));
  CHECK(must(at.fixture().open_admin()->dead_letter(id))->mark == dead_letter_mark::retry);
  CHECK(must(admin->mark(id, dead_letter_mark::discard)));
  CHECK(must(admin->dead_letter(id))->mark == dead_letter_mark::discard);
  CHECK_FALSE(must(admin->mark(id + 1000, dead_letter_mark::retry)));
}

STORE_TEST_CASE("an entity is shown with what waits for it, one that nothing is known of is not") {
  shop at(TestType::open(shop_tables()));
  fill(at);
  const auto admin = at.fixture().open_admin();
  const auto blocked = must(admin->entity({"sku", "b"}));
  REQUIRE(blocked.has_value());
  CHECK(blocked->row.blocked);
  CHECK(blocked->parked_behind);
  const auto waiting = must(admin->entity({"sku", "c"}));
  REQUIRE(waiting.has_value());
  CHECK(waiting->row.revision == entity_revision{0});
  CHECK(waiting->lowest_gap == message_version{3});
  CHECK_FALSE(must(admin->entity({"sku", "a"})).has_value());
  CHECK_FALSE(must(admin->entity({"order", "b"})).has_value());
}

STORE_TEST_CASE("parked messages are shown in the order in which they will go on") {
  shop at(TestType::open(shop_tables()));
  fill(at);
  const auto admin = at.fixture().open_admin();
  const auto gap = must(admin->parked({"sku", "c"}, 10));
  REQUIRE(gap.size() == 2);
  CHECK(gap[0].version == message_version{3});
  CHECK(gap[1].version == message_version{5});
  CHECK(gap[0].why == park_reason::gap);
  CHECK(must(admin->parked({"sku", "c"}, 1)).size() == 1);
  const auto behind = must(admin->parked({"sku", "b"}, 10));
  REQUIRE(behind.size() == 1);
  CHECK(behind[0].why == park_reason::behind_dead);
  CHECK(must(admin->parked({"sku", "a"}, 10)).empty());
}

STORE_TEST_CASE("a message is traced to ledger, dead letter or parked row, or to nothing") {
  shop at(TestType::open(shop_tables()));
  fill(at);
  const auto applied = at.trace(pair_of(policies::ledger, {}));
  CHECK(applied.ledger.has_value());
  CHECK(applied.ledger_generation == 1);
  REQUIRE(applied.dead_letters.size() == 1);
  CHECK(applied.dead_letters[0].reason == "conflict");
  const auto dead = at.trace(pair_of(policies::ledger, {.entity = "b", .id = "dead"}));
  CHECK_FALSE(dead.ledger.has_value());
  CHECK(dead.dead_letters.size() == 1);
  const auto parked = at.trace(pair_of(policies::ledger, {.entity = "b", .id = "behind"}));
  REQUIRE(parked.parked.has_value());
  CHECK(parked.parked->entity == entity_ref{"sku", "b"});
  const auto unknown = at.trace(pair_of(policies::ledger, {.id = "never seen"}));
  CHECK_FALSE(unknown.ledger.has_value());
  CHECK_FALSE(unknown.parked.has_value());
  CHECK(unknown.dead_letters.empty());
}

STORE_TEST_CASE("known entities of a type are listed once each, and no more than asked for") {
  shop at(TestType::open(shop_tables()));
  fill(at);
  const auto admin = at.fixture().open_admin();
  // Of `a`, which has neither version nor state, the conflict's dead letter is known.
  CHECK(must(admin->entities("sku", 10)) ==
        std::vector<entity_ref>{{"sku", "a"}, {"sku", "b"}, {"sku", "c"}});
  CHECK(must(admin->entities("sku", 2)).size() == 2);
  CHECK(must(admin->entities("order", 10)).empty());
}
