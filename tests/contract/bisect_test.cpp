// A poison message fails alone: commit.md section 4.
#include "tests/check.hpp"
#include "tests/support/shop.hpp"

using namespace pawl;
using namespace pawl_test;
using cells = std::vector<std::vector<std::string>>;

namespace {

addressed_ptr pair_for(const std::string& entity, int id) {
  return pair_of(policies::ledger, {.entity = entity, .id = std::to_string(id)});
}

}  // namespace

STORE_TEST_CASE("one poison message among many fails, and every other entity's takes effect") {
  shop at(TestType::open(shop_tables()));
  std::vector<commit_part> parts;
  for (int i = 0; i < 30; ++i) {
    const auto entity = "e" + std::to_string(10 + i);
    parts.push_back(
        at.part({shop::apply(pair_for(entity, i), {at.receive(entity, i == 17 ? -1 : i)})}));
  }
  const auto answers = at.commit(parts);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    CAPTURE(i);
    CHECK(answers[i].status == (i == 17 ? part_status::failed : part_status::done));
    CHECK(answers[i].outcomes.size() == (i == 17 ? 0 : 1));
  }
  CHECK(answers[17].why.kind == fault::poison);
  CHECK(at.fixture().rows("stock").size() == 29);
  CHECK_FALSE(at.trace(pair_for("e27", 17)).ledger.has_value());
}

STORE_TEST_CASE(
    "messages before the poison one of an entity commit, those behind it are not "
    "tried") {
  shop at(TestType::open(shop_tables()));
  std::vector<commit_item> items;
  for (int i = 0; i < 9; ++i) {
    items.push_back(shop::apply(pair_for("a", i), {at.receive("a", i == 5 ? -100 : 1)}));
  }
  const auto answer = at.commit({at.part(std::move(items))}).front();
  CHECK(answer.status == part_status::failed);
  CHECK(answer.outcomes == std::vector(5, outcome::applied));
  CHECK(at.fixture().rows("stock") == cells{{"a", "5", "0", "NULL"}});
  CHECK(at.trace(pair_for("a", 4)).ledger.has_value());
  CHECK_FALSE(at.trace(pair_for("a", 6)).ledger.has_value());
}

STORE_TEST_CASE("a prefix that commits moves its entity's row by its own messages alone") {
  shop at(TestType::open(shop_tables()));
  auto row = at.load("a").row;
  std::vector<commit_item> items;
  for (std::int64_t version = 1; version <= 4; ++version) {
    const auto pair =
        pair_of(policies::sequence, {.id = std::to_string(version), .version = version});
    items.push_back(shop::apply(pair, {at.receive("a", version == 3 ? -100 : 1)}));
    ++row.revision.value;
    row.version = message_version{version};
    items.back().after = row;
  }
  CHECK(at.commit({at.part(std::move(items))}).front().outcomes.size() == 2);
  CHECK(at.load("a").row.version == message_version{2});
  CHECK(at.load("a").row.revision == entity_revision{2});
}

STORE_TEST_CASE("more poison messages than a transaction takes savepoints") {
  shop at(TestType::open(shop_tables()));
  std::vector<commit_part> parts;
  for (int i = 0; i < 90; ++i) {
    const auto entity = "e" + std::to_string(100 + i);
    parts.push_back(at.part({shop::apply(pair_for(entity, i), {at.receive(entity, i % 2 - 1)})}));
  }
  const auto answers = at.commit(parts);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    CAPTURE(i);
    CHECK(answers[i].status == (i % 2 == 0 ? part_status::failed : part_status::done));
  }
  CHECK(at.fixture().rows("stock").size() == 45);
}

STORE_TEST_CASE("what fails only beside another fails as the later one") {
  shop at(TestType::open(shop_tables()));
  const auto ship = [&](const std::string& entity, std::int64_t quantity) {
    return at.part({shop::apply(pair_for(entity, 1), {at.ship("o1", "s", quantity)})});
  };
  const auto answers = at.commit({ship("a", 1), ship("b", 2), ship("c", 3)});
  CHECK(answers[0].status == part_status::done);
  CHECK(answers[1].status == part_status::failed);
  CHECK(answers[2].status == part_status::failed);
  CHECK(at.fixture().rows("shipments") == cells{{"o1", "s", "out", "1", "NULL"}});
}

STORE_TEST_CASE(
    "a dead letter, those parked behind it, and its blocked entity commit beside the "
    "rest") {
  shop at(TestType::open(shop_tables()));
  auto dead = shop::dead(pair_for("a", 1));
  dead.blocks = true;
  dead.after = at.load("a").row;
  ++dead.after->revision.value;
  dead.after->blocked = true;
  const auto answers =
      at.commit({at.part({dead, shop::park(pair_for("a", 2)), shop::park(pair_for("a", 3))}),
                 at.part({shop::apply(pair_for("b", 1), {at.receive("b", -1)})}),
                 at.part({shop::apply(pair_for("c", 1), {at.receive("c", 1)})})});
  CHECK(answers[0].outcomes == std::vector{outcome::dead, outcome::parked, outcome::parked});
  CHECK(answers[1].status == part_status::failed);
  CHECK(answers[2].status == part_status::done);
  CHECK(at.load("a").row.blocked);
  CHECK(at.load("a").parked_behind);
  const auto letters = at.dead_letters();
  REQUIRE(letters.size() == 1);
  CHECK(letters.front().blocks);
  CHECK(letters.front().reason == "handler");
  CHECK(letters.front().attempts == 5);
}

STORE_TEST_CASE("a part that has to reload doesn't fall with a poison one, nor it with the part") {
  shop at(TestType::open(shop_tables()));
  auto late = shop::apply(pair_for("a", 1), {at.receive("a", 1)});
  late.after = entity_row{};
  late.after->revision.value = 6;
  entity_row imagined;
  imagined.revision.value = 5;
  const auto answers = at.commit({at.part({shop::apply(pair_for("b", 1), {at.receive("b", -1)})}),
                                  at.part({late}, imagined),
                                  at.part({shop::apply(pair_for("c", 1), {at.receive("c", 1)})})});
  CHECK(answers[0].status == part_status::failed);
  CHECK(answers[1].status == part_status::reload);
  CHECK(answers[2].status == part_status::done);
  CHECK(at.fixture().rows("stock") == cells{{"c", "1", "0", "NULL"}});
}
