// Failures that are not a message's: commit.md section 4, the fault points, and commits in doubt.
#include "tests/check.hpp"
#include "tests/support/shop.hpp"

using namespace pawl;
using namespace pawl_test;
using cells = std::vector<std::vector<std::string>>;

namespace {

commit_part one(shop& at, const std::string& entity, std::int64_t quantity = 1) {
  return at.part(
      {shop::apply(pair_of(policies::ledger, {.entity = entity}), {at.receive(entity, quantity)})});
}

}  // namespace

STORE_TEST_CASE(
    "a lost connection at any step is retried as a whole, and makes nothing a dead "
    "letter") {
  for (const auto* step : {"begin", "fence", "insert_ledger", "apply", "commit"}) {
    CAPTURE(step);
    shop at(TestType::open(shop_tables()));
    const auto parts = std::vector{one(at, "a"), one(at, "b")};
    at.session().before = fail_first(step, 1, fault::retry);
    const auto came = at.run(parts);
    REQUIRE(came.failure.has_value());
    CHECK(came.failure->kind == fault::retry);
    CHECK_FALSE(came.answers[0].has_value());
    CHECK(at.fixture().rows("stock").empty());
    CHECK(at.commit(parts)[1].outcomes.front() == outcome::applied);
    CHECK(at.fixture().rows("stock").size() == 2);
  }
}

STORE_TEST_CASE("a failure between two transactions keeps what the first one committed") {
  shop at(TestType::open(shop_tables()));
  std::vector<commit_part> parts;
  for (int i = 0; i < 60; ++i) {
    parts.push_back(one(at, "e" + std::to_string(100 + i), i % 2 - 1));
  }
  // The first try of all together doesn't come to its commit, the first fifty units do.
  int commits = 0;
  at.session().before = [&](std::string_view step) {
    return step == "commit" && ++commits == 2
               ? std::optional(error{fault::retry, "test", "the test says so"})
               : std::nullopt;
  };
  const auto came = at.run(parts);
  REQUIRE(came.failure.has_value());
  std::vector<commit_part> undecided;
  std::size_t applied = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!came.answers[i]) {
      undecided.push_back(parts[i]);
    } else {
      applied += came.answers[i]->outcomes.size();
    }
  }
  CHECK(applied > 0);
  CHECK(applied == at.fixture().rows("stock").size());
  CHECK_FALSE(undecided.empty());
  for (const auto& answer : at.commit(undecided)) {
    applied += answer.outcomes.size();
    CHECK((answer.outcomes.empty() || answer.outcomes.front() == outcome::applied));
  }
  CHECK(applied == 30);
  CHECK(at.fixture().rows("stock").size() == 30);
}

STORE_TEST_CASE("a row that somebody holds is tried again, then only its entity is held") {
  shop at(TestType::open(shop_tables()));
  const auto parts = std::vector{one(at, "a"), one(at, "b")};
  at.session().before = fail_first("apply", 1, fault::contended);
  CHECK(at.commit(parts)[0].status == part_status::done);

  const auto later = std::vector{one(at, "x"), one(at, "y"), one(at, "z")};
  int tries = 0;
  // Three times all together, then x alone passes, y and z don't, y passes, z doesn't.
  at.session().before = [&](std::string_view step) {
    const bool held = step == "apply" && (++tries <= 3 || tries == 5 || tries == 7);
    return held ? std::optional(error{fault::contended, "test", "held"}) : std::nullopt;
  };
  const auto answers = at.commit(later);
  CHECK(answers[0].status == part_status::done);
  CHECK(answers[1].status == part_status::done);
  CHECK(answers[2].status == part_status::held);
  CHECK(answers[2].why.kind == fault::contended);
  CHECK(at.fixture().rows("stock").size() == 4);
}

STORE_TEST_CASE(
    "an unknown error is the message's only if it fails alone and a commit without it "
    "passes") {
  shop at(TestType::open(shop_tables()));
  const auto part = one(at, "a");
  at.session().before = fail_first("apply", 1, fault::unknown);
  const auto answer = at.commit({part}).front();
  CHECK(answer.status == part_status::failed);
  CHECK(answer.why.kind == fault::poison);
  CHECK(at.session().count("commit") == 1);

  at.session().before = [](std::string_view step) {
    return step == "apply" || step == "commit"
               ? std::optional(error{fault::unknown, "test", "the test says so"})
               : std::nullopt;
  };
  const auto came = at.run({part});
  REQUIRE(came.failure.has_value());
  CHECK(came.failure->kind == fault::retry);
  CHECK_FALSE(came.answers.front().has_value());
}

STORE_TEST_CASE("a commit in doubt that happened is not done again") {
  shop at(TestType::open(shop_tables()));
  at.session().after = fail_first("commit", 1, fault::in_doubt);
  CHECK(at.commit({one(at, "a")}).front().outcomes.front() == outcome::applied);
  CHECK(at.session().count("was_committed") == 1);
  CHECK(at.fixture().rows("stock") == cells{{"a", "1", "0", "NULL"}});
}

STORE_TEST_CASE("a commit in doubt that did not happen is run again") {
  shop at(TestType::open(shop_tables()));
  at.session().before = [&, first = true](std::string_view step) mutable {
    if (step != "commit" || !std::exchange(first, false)) {
      return std::optional<error>();
    }
    at.session().rollback();
    return std::optional(error{fault::in_doubt, "test", "the connection was lost"});
  };
  CHECK(at.commit({one(at, "a")}).front().outcomes.front() == outcome::applied);
  CHECK(at.session().count("commit") == 2);
  CHECK(at.fixture().rows("stock") == cells{{"a", "1", "0", "NULL"}});
}

STORE_TEST_CASE(
    "a commit in doubt while the database is down is settled before anything else is "
    "run") {
  shop at(TestType::open(shop_tables()));
  const auto parts = std::vector{one(at, "a"), one(at, "b")};
  at.session().after = fail_first("commit", 1, fault::in_doubt);
  at.session().before = fail_first("was_committed", 2, fault::retry);
  for (int i = 0; i < 2; ++i) {
    const auto came = at.run(parts);
    REQUIRE(came.failure.has_value());
    CHECK(came.failure->kind == fault::retry);
    CHECK_FALSE(came.answers.front().has_value());
  }
  const auto answers = at.commit({parts[1], one(at, "c")});
  CHECK(answers[0].outcomes.front() == outcome::applied);
  CHECK(answers[1].outcomes.front() == outcome::applied);
  CHECK(at.session().count("begin") == 2);
  CHECK(at.fixture().rows("stock").size() == 3);
}

STORE_TEST_CASE(
    "where savepoints don't survive an error, each part gets a transaction of its own") {
  shop at(TestType::open(shop_tables()));
  const auto parts = std::vector{one(at, "a"), one(at, "b", -1), one(at, "c")};
  at.session().before = [&](std::string_view step) {
    return step == "rollback_to" ? std::optional(error{fault::retry, "test", "it is gone"})
                                 : std::nullopt;
  };
  const auto answers = at.commit(parts);
  CHECK(answers[0].status == part_status::done);
  CHECK(answers[1].status == part_status::failed);
  CHECK(answers[2].status == part_status::done);
  CHECK(at.fixture().rows("stock").size() == 2);
}

STORE_TEST_CASE("a message that only COMMIT refuses fails, and the rest commits") {
  shop at(TestType::open(shop_tables()));
  const auto parts = std::vector{one(at, "a"), one(at, "b"), one(at, "c")};
  int commits = 0;
  at.session().before = [&](std::string_view step) {
    // All together; under savepoints; then "a", "b" and "c" apart, of which "b" is refused.
    const bool refused = step == "commit" && (++commits <= 2 || commits == 4);
    return refused ? std::optional(error{fault::poison, "test", "refused"}) : std::nullopt;
  };
  const auto answers = at.commit(parts);
  CHECK(answers[0].status == part_status::done);
  CHECK(answers[1].status == part_status::failed);
  CHECK(answers[2].status == part_status::done);
  CHECK(at.fixture().rows("stock").size() == 2);
}

STORE_TEST_CASE("a run that a fault point stops has committed everything or nothing") {
  using enum fault_point;
  for (const auto point : {before_fence, after_fence, after_guards, after_effects, before_commit,
                           after_commit_before_ack}) {
    CAPTURE(name_of(point));
    shop at(TestType::open(shop_tables()));
    const auto parts = std::vector{one(at, "a"), one(at, "b")};
    at.at_fault_point = [&](fault_point now) { return now == point; };
    const auto came = at.run(parts);
    REQUIRE(came.failure.has_value());
    CHECK(came.failure->kind == fault::stopped);
    CHECK(came.failure->code == name_of(point));
    const bool done = point == after_commit_before_ack;
    CHECK(at.fixture().rows("stock").size() == (done ? 2 : 0));
    at.at_fault_point = nullptr;
    CHECK(at.commit(parts)[0].outcomes.front() == (done ? outcome::duplicate : outcome::applied));
    CHECK(at.fixture().rows("stock").size() == 2);
  }
}

TEST_CASE("fault points have names, and names are found again") {
  CHECK(name_of(fault_point::after_commit_before_ack) == "after_commit_before_ack");
  CHECK(fault_point_from("before_fence") == fault_point::before_fence);
  CHECK_FALSE(fault_point_from("elsewhere").has_value());
}
