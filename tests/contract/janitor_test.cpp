// Positions, the running clock and the ledger's ring, over every store: commit.md section 5.
#include "tests/check.hpp"
#include "tests/support/shop.hpp"
#include "tests/support/sqlite_file.hpp"

#include <algorithm>

using namespace pawl;
using namespace pawl_test;

namespace {

source_position at_position(std::int64_t position, std::string partition = "0",
                            std::string identity = "file") {
  return {"orders", std::move(partition), position, std::move(identity)};
}

bool same(const source_position& left, const source_position& right) {
  return left.source == right.source && left.partition == right.partition &&
         left.position == right.position && left.identity == right.identity;
}

source_position stored(janitor_session& janitor, const std::string& partition = "0") {
  for (const auto& one : must(janitor.positions())) {
    if (one.partition == partition) {
      return one;
    }
  }
  return {};
}

ledger_generation generation(janitor_session& janitor, std::int64_t number) {
  for (const auto& one : must(janitor.ledger()).ring) {
    if (one.number == number && one.state != generation_state::empty) {
      return one;
    }
  }
  return {};
}

std::size_t count(janitor_session& janitor, generation_state state) {
  const auto ring = must(janitor.ledger()).ring;
  return static_cast<std::size_t>(
      std::count_if(ring.begin(), ring.end(), [&](const auto& one) { return one.state == state; }));
}

outcome reserve_again(shop& at, const addressed_ptr& pair) {
  return at.commit_one(shop::apply(pair, {at.reserve("a", 1)}));
}

bool is_refused(const status& given) { return !given.ok() && given.error().kind == fault::refused; }

}  // namespace

STORE_TEST_CASE("positions go up only, each partition by itself") {
  const auto fixture = TestType::open(shop_tables());
  const auto janitor = fixture->open_janitor();
  CHECK(must(janitor->positions()).empty());
  must(janitor->save_positions(std::vector{at_position(10), at_position(7, "1")}));
  must(janitor->save_positions(std::vector{at_position(5), at_position(8, "1")}));
  CHECK(must(janitor->positions()).size() == 2);
  CHECK(same(stored(*janitor), at_position(10)));
  CHECK(same(stored(*janitor, "1"), at_position(8, "1")));
  must(janitor->save_positions({}));
  CHECK(same(stored(*janitor), at_position(10)));
}

STORE_TEST_CASE("another identity replaces a position, also by a lower one") {
  const auto fixture = TestType::open(shop_tables());
  const auto janitor = fixture->open_janitor();
  must(janitor->save_positions(std::vector{at_position(10)}));
  must(janitor->save_positions(std::vector{at_position(3, "0", "another file")}));
  CHECK(same(stored(*janitor), at_position(3, "0", "another file")));
}

STORE_TEST_CASE("positions are a consumer's, and another session reads them") {
  const auto fixture = TestType::open(shop_tables());
  must(fixture->open_janitor()->save_positions(std::vector{at_position(10)}));
  CHECK(same(stored(*fixture->open_janitor()), at_position(10)));
  const auto keeper = must(fixture->store().open_keeper());
  (void)must(keeper->register_node({"other", 1, "a", 60'000}));
  CHECK(must(must(fixture->store().open_janitor("other"))->positions()).empty());
  CHECK(must(fixture->open_admin()->status_of()).positions.size() == 1);
}

STORE_TEST_CASE("the running clock adds up what it is given, and stands still otherwise") {
  const auto fixture = TestType::open(shop_tables());
  const auto janitor = fixture->open_janitor();
  const auto before = must(janitor->ledger()).clock_ms;
  CHECK(must(janitor->advance_clock(250)) == before + 250);
  CHECK(must(janitor->advance_clock(0)) == before + 250);
  CHECK(must(fixture->open_janitor()->advance_clock(50)) == before + 300);
  CHECK(must(janitor->ledger()).clock_ms == before + 300);
}

STORE_TEST_CASE("a new consumer's ring has one current generation, the rest is empty") {
  const auto fixture = TestType::open(shop_tables());
  const auto janitor = fixture->open_janitor();
  CHECK(count(*janitor, generation_state::current) == 1);
  CHECK(count(*janitor, generation_state::empty) == must(janitor->ledger()).ring.size() - 1);
  CHECK(generation(*janitor, 1).state == generation_state::current);
}

STORE_TEST_CASE("a rotation freezes the current generation at the clock, and look-ups go across") {
  shop at(TestType::open(shop_tables()));
  const auto janitor = at.fixture().open_janitor();
  const auto first = pair_of(policies::ledger, {.id = "first"});
  const auto second = pair_of(policies::ledger, {.id = "second"});
  CHECK(reserve_again(at, first) == outcome::applied);
  const auto clock = must(janitor->advance_clock(1000));
  must(janitor->rotate());
  CHECK(generation(*janitor, 1).state == generation_state::frozen);
  CHECK(generation(*janitor, 1).closed_ms == clock);
  CHECK(generation(*janitor, 1).rows == 1);
  CHECK(generation(*janitor, 2).state == generation_state::current);
  CHECK(generation(*janitor, 2).opened_ms == clock);
  CHECK(reserve_again(at, second) == outcome::applied);
  must(janitor->rotate());
  CHECK(reserve_again(at, first) == outcome::duplicate);
  CHECK(reserve_again(at, second) == outcome::duplicate);
  const auto contradicting = pair_of(policies::ledger, {.id = "first", .content = "y"});
  CHECK(reserve_again(at, contradicting) == outcome::conflict);
  CHECK(at.trace(first).ledger_generation == 1);
  CHECK(at.trace(second).ledger_generation == 2);
}

STORE_TEST_CASE("what a closed generation can hold is recorded once it is known") {
  const auto fixture = TestType::open(shop_tables());
  const auto janitor = fixture->open_janitor();
  must(janitor->rotate());
  CHECK_FALSE(generation(*janitor, 1).positions_known);
  must(janitor->record_highest(1, std::vector{at_position(10), at_position(20, "1")}));
  CHECK(generation(*janitor, 1).positions_known);
  const auto highest = generation(*janitor, 1).highest;
  REQUIRE(highest.size() == 2);
  CHECK(same(highest[0], at_position(10)));
  CHECK(same(highest[1], at_position(20, "1")));
  CHECK_FALSE(generation(*janitor, 2).positions_known);
  must(janitor->rotate());
  must(janitor->record_highest(2, {}));
  CHECK(generation(*janitor, 2).positions_known);
  CHECK(generation(*janitor, 2).highest.empty());
  CHECK(is_refused(janitor->record_highest(77, {})));
}

STORE_TEST_CASE("only a frozen generation is retired, and only a retired one emptied") {
  const auto fixture = TestType::open(shop_tables());
  const auto janitor = fixture->open_janitor();
  CHECK(is_refused(janitor->retire(1)));
  CHECK(is_refused(janitor->retire(9)));
  must(janitor->rotate());
  CHECK(is_refused(janitor->truncate(1)));
  must(janitor->retire(1));
  CHECK(generation(*janitor, 1).state == generation_state::retired);
  CHECK(is_refused(janitor->truncate(2)));
  must(janitor->truncate(1));
  CHECK(generation(*janitor, 1).number == 0);
  CHECK(count(*janitor, generation_state::retired) == 0);
}

STORE_TEST_CASE("commits stop reading a retired generation: what it held is fresh again") {
  shop at(TestType::open(shop_tables()));
  const auto janitor = at.fixture().open_janitor();
  const auto pair = pair_of(policies::ledger, {});
  CHECK(reserve_again(at, pair) == outcome::applied);
  must(janitor->rotate());
  must(janitor->retire(1));
  CHECK_FALSE(at.trace(pair).ledger.has_value());
  CHECK(reserve_again(at, pair) == outcome::applied);
  CHECK(reserve_again(at, pair) == outcome::duplicate);
  must(janitor->truncate(1));
  CHECK(reserve_again(at, pair) == outcome::duplicate);
  CHECK(at.trace(pair).ledger_generation == 2);
}

STORE_TEST_CASE("a full ring refuses to rotate, and an emptied table is used again as a new one") {
  shop at(TestType::open(shop_tables()));
  const auto janitor = at.fixture().open_janitor();
  const auto size = must(janitor->ledger()).ring.size();
  for (std::size_t i = 1; i < size; ++i) {
    must(janitor->rotate());
  }
  CHECK(is_refused(janitor->rotate()));
  CHECK(count(*janitor, generation_state::current) == 1);
  must(janitor->record_highest(1, std::vector{at_position(10)}));
  must(janitor->retire(1));
  CHECK(is_refused(janitor->rotate()));
  must(janitor->truncate(1));
  must(janitor->rotate());
  const auto newest = generation(*janitor, static_cast<std::int64_t>(size) + 1);
  CHECK(newest.state == generation_state::current);
  CHECK_FALSE(newest.positions_known);
  CHECK(newest.highest.empty());
  CHECK(newest.rows == 0);
  const auto pair = pair_of(policies::ledger, {});
  CHECK(reserve_again(at, pair) == outcome::applied);
  CHECK(reserve_again(at, pair) == outcome::duplicate);
}

STORE_TEST_CASE("the janitor is brought marks, the oldest first and no more than it asks for") {
  shop at(TestType::open(shop_tables()));
  for (const char* id : {"1", "2", "3"}) {
    at.commit_one(shop::dead(pair_of(policies::ledger, {.id = id})));
  }
  const auto janitor = at.fixture().open_janitor();
  const auto admin = at.fixture().open_admin();
  CHECK(must(janitor->marked(10)).empty());
  const auto letters = at.dead_letters();
  REQUIRE(letters.size() == 3);
  CHECK(must(admin->mark(letters[2].id, dead_letter_mark::discard)));
  CHECK(must(admin->mark(letters[0].id, dead_letter_mark::retry)));
  const auto marked = must(janitor->marked(10));
  REQUIRE(marked.size() == 2);
  CHECK(marked[0].id == letters[0].id);
  CHECK(marked[0].mark == dead_letter_mark::retry);
  CHECK(marked[0].entity == entity_ref{"sku", "a"});
  CHECK(marked[0].shard == letters[0].shard);
  CHECK(marked[1].mark == dead_letter_mark::discard);
  CHECK(must(janitor->marked(1)).size() == 1);
  CHECK(must(admin->mark(letters[0].id, dead_letter_mark::none)));
  CHECK(must(janitor->marked(10)).size() == 1);
}

STORE_TEST_CASE("an entity that is blocked by nothing any more is brought to be drained") {
  shop at(TestType::open(shop_tables()));
  const auto janitor = at.fixture().open_janitor();
  const auto dead = pair_of(policies::ledger, {.id = "dead"});
  auto item = shop::dead(dead);
  item.blocks = true;
  entity_row row;
  row.revision = entity_revision{1};
  row.blocked = true;
  item.after = row;
  auto behind = shop::park(pair_of(policies::ledger, {.id = "behind"}));
  at.commit({at.part({item, behind})});
  CHECK(must(janitor->undrained(10)).empty());

  auto gone = shop::apply(dead, {at.reserve("a", 1)});
  gone.from = stored_ref{stored_ref::table::dead_letter, dead->key, dead->content};
  at.commit_one(gone);
  const auto undrained = must(janitor->undrained(10));
  REQUIRE(undrained.size() == 1);
  CHECK(undrained[0].entity == entity_ref{"sku", "a"});
  CHECK(undrained[0].why == park_reason::behind_dead);
  CHECK(must(janitor->undrained(0)).empty());
}

STORE_TEST_CASE("an entity whose gap has closed is brought to be drained, not one that waits") {
  shop at(TestType::open(shop_tables()));
  const auto janitor = at.fixture().open_janitor();
  const auto moved = [&](const std::string& entity, std::int64_t version) {
    const auto before = at.load(entity).row;
    auto item =
        shop::apply(pair_of(policies::sequence,
                            {.entity = entity, .id = std::to_string(version), .version = version}),
                    {});
    entity_row row = before;
    ++row.revision.value;
    row.version = message_version{version};
    item.after = row;
    return at.part({item}, before);
  };
  const auto parked = [&](const std::string& entity, std::int64_t version) {
    return at.part(
        {shop::park(pair_of(policies::sequence,
                            {.entity = entity, .id = std::to_string(version), .version = version}),
                    park_reason::gap)});
  };
  at.commit({moved("a", 1), moved("b", 1)});
  at.commit({parked("a", 3), parked("b", 4)});
  CHECK(must(janitor->undrained(10)).empty());
  at.commit({moved("a", 2), moved("b", 2)});
  const auto undrained = must(janitor->undrained(10));
  REQUIRE(undrained.size() == 1);
  CHECK(undrained[0].entity == entity_ref{"sku", "a"});
  CHECK(undrained[0].shard == at.part({shop::dead(pair_of(policies::ledger, {}))}).shard);
  CHECK(undrained[0].why == park_reason::gap);
}
