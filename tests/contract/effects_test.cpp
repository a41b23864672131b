// What effects do to rows, alone and in the order of their messages: commit.md sections 1 and 3.
#include "tests/check.hpp"
#include "tests/support/shop.hpp"

#include <algorithm>
#include <limits>

using namespace pawl;
using namespace pawl_test;
using cells = std::vector<std::vector<std::string>>;

namespace {

/// One message with these effects for entity "a"; its part's answer.
part_answer apply_once(shop& at, std::vector<effect> effects, const std::string& id = "1") {
  return at
      .commit({at.part({shop::apply(pair_of(policies::ledger, {.id = id}), std::move(effects))})})
      .front();
}

/// One message an effect, each of its own entity, in one batch.
std::vector<part_answer> apply_each(shop& at, std::vector<effect> effects) {
  std::vector<commit_part> parts;
  for (auto& each : effects) {
    const auto entity = "e" + std::to_string(parts.size());
    parts.push_back(
        at.part({shop::apply(pair_of(policies::ledger, {.entity = entity}), {std::move(each)})}));
  }
  return at.commit(parts);
}

bool all_done(const std::vector<part_answer>& answers) {
  return std::all_of(answers.begin(), answers.end(), [](const part_answer& answer) {
    return answer.status == part_status::done && answer.outcomes.front() == outcome::applied;
  });
}

effect_shape failing_add() {
  return {effect_kind::add, "stock", {"sku"}, {"reserved"}, missing_row::fail};
}

}  // namespace

STORE_TEST_CASE("upsert updates the row that exists and inserts the one that doesn't") {
  shop at(TestType::open(shop_tables()));
  CHECK(apply_once(at, {at.count("a", 5)}, "1").status == part_status::done);
  CHECK(apply_once(at, {at.count("a", 7), at.count("b", 1)}, "2").status == part_status::done);
  CHECK(at.fixture().rows("stock") == cells{{"a", "7", "0", "NULL"}, {"b", "1", "0", "NULL"}});
}

STORE_TEST_CASE("upsert of an existing row is not judged as if it were inserted") {
  shop at(TestType::open(shop_tables()));
  apply_once(at, {at.ship("o1", "a", 2)}, "1");
  // Without a quantity, which is NOT NULL, the row could not be inserted.
  const effect_shape comment{
      effect_kind::upsert, "shipments", {"order_id", "sku", "kind"}, {"comment"}};
  const auto say = [&](const std::string& order) {
    return at.make(comment,
                   {value::text(order), value::text("a"), value::text("out"), value::text("late")});
  };
  CHECK(apply_once(at, {say("o1")}, "2").status == part_status::done);
  CHECK(apply_once(at, {say("o2")}, "3").status == part_status::failed);
  CHECK(at.fixture().rows("shipments") == cells{{"o1", "a", "out", "2", "late"}});
}

STORE_TEST_CASE("add to a missing row starts from the column defaults") {
  shop at(TestType::open(shop_tables()));
  CHECK(apply_once(at, {at.reserve("a", 3)}, "1").status == part_status::done);
  CHECK(apply_once(at, {at.reserve("a", -5)}, "2").status == part_status::done);
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "-2", "NULL"}});
}

STORE_TEST_CASE("add with `missing: fail` fails the message whose row is missing") {
  shop at(TestType::open(shop_tables()));
  const auto add = [&] { return at.make(failing_add(), {value::text("a"), value::integer(3)}); };
  CHECK(apply_once(at, {add()}, "1").status == part_status::failed);
  apply_once(at, {at.count("a", 1)}, "2");
  CHECK(apply_once(at, {add()}, "1").status == part_status::done);
  CHECK(at.fixture().rows("stock") == cells{{"a", "1", "3", "NULL"}});
}

STORE_TEST_CASE("add is judged by the row that it leaves, not by the delta") {
  shop at(TestType::open(shop_tables()));
  apply_once(at, {at.receive("a", 10)}, "1");
  CHECK(apply_once(at, {at.receive("a", -10)}, "2").status == part_status::done);
  const auto below = apply_once(at, {at.receive("a", -1)}, "3");
  CHECK(below.status == part_status::failed);
  CHECK(below.why.kind == fault::poison);
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "0", "NULL"}});
}

STORE_TEST_CASE("an add that overflows its column fails the message") {
  shop at(TestType::open(shop_tables()));
  const auto most = std::numeric_limits<std::int64_t>::max();
  CHECK(apply_once(at, {at.reserve("a", most)}, "1").status == part_status::done);
  CHECK(apply_once(at, {at.reserve("a", 1)}, "2").status == part_status::failed);
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", std::to_string(most), "NULL"}});
}

STORE_TEST_CASE("set writes the row that is there and fails the message whose row is missing") {
  shop at(TestType::open(shop_tables()));
  CHECK(apply_once(at, {at.note("a", value::text("x"))}, "1").status == part_status::failed);
  apply_once(at, {at.count("a", 1)}, "2");
  CHECK(apply_once(at, {at.note("a", value::text("x"))}, "3").status == part_status::done);
  CHECK(at.fixture().rows("stock") == cells{{"a", "1", "0", "x"}});
  CHECK(apply_once(at, {at.note("a", value::null())}, "4").status == part_status::done);
  CHECK(at.fixture().rows("stock") == cells{{"a", "1", "0", "NULL"}});
}

STORE_TEST_CASE("remove takes the row away, and is content where there is none") {
  shop at(TestType::open(shop_tables()));
  apply_once(at, {at.count("a", 1)}, "1");
  CHECK(apply_once(at, {at.forget("a")}, "2").status == part_status::done);
  CHECK(apply_once(at, {at.forget("a")}, "3").status == part_status::done);
  CHECK(at.fixture().rows("stock").empty());
}

STORE_TEST_CASE("an insert that is not the guard and conflicts fails its message") {
  shop at(TestType::open(shop_tables()));
  CHECK(apply_once(at, {at.ship("o1", "a", 2)}, "1").status == part_status::done);
  CHECK(apply_once(at, {at.ship("o1", "a", 2)}, "2").status == part_status::failed);
  CHECK(at.fixture().rows("shipments").size() == 1);
}

STORE_TEST_CASE("effects of one message on one row happen in the handler's order") {
  shop at(TestType::open(shop_tables()));
  apply_once(at, {at.count("a", 1), at.receive("a", 4), at.note("a", value::text("x")),
                  at.forget("a"), at.receive("a", 2), at.reserve("a", 7)});
  CHECK(at.fixture().rows("stock") == cells{{"a", "2", "7", "NULL"}});
}

STORE_TEST_CASE("effects of many messages on one row happen in the order of the messages") {
  shop at(TestType::open(shop_tables()));
  CHECK(all_done(apply_each(
      at, {at.receive("a", 4), at.receive("a", 4), at.count("a", 1), at.receive("a", 2),
           at.note("a", value::text("x")), at.note("a", value::text("y")), at.receive("a", -3),
           at.receive("b", 1), at.forget("b"), at.receive("b", 5)})));
  CHECK(at.fixture().rows("stock") == cells{{"a", "0", "0", "y"}, {"b", "5", "0", "NULL"}});
}

STORE_TEST_CASE("a delta that only a later message makes legal still fails") {
  shop at(TestType::open(shop_tables()));
  const auto answers = apply_each(at, {at.receive("a", -3), at.receive("a", 5)});
  CHECK(answers[0].status == part_status::failed);
  CHECK(answers[1].status == part_status::done);
  CHECK(at.fixture().rows("stock") == cells{{"a", "5", "0", "NULL"}});
}

STORE_TEST_CASE("many entities add to one shared row and no delta is lost") {
  shop at(TestType::open(shop_tables()));
  std::vector<effect> effects;
  for (std::int64_t i = 1; i <= 100; ++i) {
    effects.push_back(at.total("sold", i % 7 == 0 ? -i : i));
    effects.push_back(at.total("day " + std::to_string(i % 3), 1));
  }
  CHECK(all_done(apply_each(at, std::move(effects))));
  CHECK(at.fixture().rows("totals") ==
        cells{{"day 0", "33"}, {"day 1", "34"}, {"day 2", "33"}, {"sold", "3580"}});
}

STORE_TEST_CASE("a value of another unique key changes hands in the order of the messages") {
  shop at(TestType::open(shop_tables()));
  CHECK(all_done(apply_each(at, {at.label("1", "x"), at.label("2", "y")})));
  // The last two would collide if they came before the ones in front of them.
  CHECK(all_done(at.commit(
      {at.part({shop::apply(pair_of(policies::ledger, {.id = "s"}),
                            {at.label("1", "z"), at.label("2", "x"), at.label("1", "y")})})})));
  CHECK(at.fixture().rows("labels") == cells{{"1", "y"}, {"2", "x"}});
}

STORE_TEST_CASE(
    "a value of another unique key that is taken fails the message, even if a later one "
    "frees it") {
  shop at(TestType::open(shop_tables()));
  at.commit({at.part({shop::apply(pair_of(policies::ledger, {.id = "s"}),
                                  {at.label("1", "x"), at.label("2", "y")})})});
  const auto answers = apply_each(at, {at.label("3", "x"), at.label("1", "free")});
  CHECK(answers[0].status == part_status::failed);
  CHECK(answers[1].status == part_status::done);
  CHECK(at.fixture().rows("labels") == cells{{"1", "free"}, {"2", "y"}});
}

STORE_TEST_CASE("values are never read as SQL, whatever is in them") {
  shop at(TestType::open(shop_tables()));
  const std::string odd = R"(a'b"c\d,{e} NULL; DROP TABLE stock; -- %s $1 ?1)"
                          "\n\t\xC3\xA4";
  apply_once(at, {at.count(odd, 1), at.note(odd, value::text(odd)), at.count("", 2)});
  CHECK(at.fixture().rows("stock") == cells{{"", "2", "0", "NULL"}, {odd, "1", "0", odd}});
}

STORE_TEST_CASE("a table that does not exist is the deployment's fault, never the message's") {
  shop at(TestType::open(shop_tables()));
  const auto lost = at.make({effect_kind::upsert, "nowhere", {"id"}, {"n"}},
                            {value::text("a"), value::integer(1)});
  const auto came =
      at.run({at.part({shop::apply(pair_of(policies::ledger, {.id = "1"}), {lost})})});
  REQUIRE(came.failure.has_value());
  CHECK(came.failure->kind == fault::deployment);
  CHECK_FALSE(came.answers.front().has_value());
}
