#include "actors/lane.hpp"
#include "tests/check.hpp"
#include "tests/unit/actors_world.hpp"

using namespace pawl;
using namespace pawl::actors_test;

namespace {

task_ptr task_of(const std::string& id, std::optional<stored_ref::table> from = std::nullopt) {
  auto made = std::make_shared<task>();
  made->pair = addressed(declared().ledger, "A", id);
  if (from.has_value()) {
    made->stored = stored_ref{*from, made->pair->key, made->pair->content};
  }
  return made;
}

constexpr auto parked = stored_ref::table::parked;
constexpr auto dead_letter = stored_ref::table::dead_letter;

std::string ids(const flight& one) {
  std::string all;
  for (const auto& each : one.tasks) {
    all += each->pair->id;
  }
  return all;
}

std::string undone(const lane& at) {
  std::string all;
  for (const task_ptr& one : at.undone()) {
    all += one->pair->id;
  }
  return all;
}

lane lane_of(const std::vector<task_ptr>& tasks) {
  lane at;
  for (const task_ptr& one : tasks) {
    at.push_back(one);
  }
  return at;
}

}  // namespace

TEST_CASE("a flight takes the head of its lane, up to its most") {
  lane at = lane_of({task_of("1"), task_of("2"), task_of("3")});
  const auto first = at.start(2);
  CHECK(ids(*first) == "12");
  CHECK(undone(at) == "3");
  CHECK(at.now == lane::phase::flying);
  (void)at.finish();
  CHECK(at.start(2)->number == first->number + 1);
}

TEST_CASE("a message that has failed goes alone, and waits while others are in front of it") {
  lane at = lane_of({task_of("1"), task_of("2"), task_of("3")});
  at.undone()[1]->attempts = 1;
  CHECK(ids(*at.start(10)) == "1");
  (void)at.finish();
  CHECK(ids(*at.start(10)) == "2");
  (void)at.finish();
  CHECK(ids(*at.start(10)) == "3");
}

TEST_CASE("a live message that is set aside takes its successors along, a parked one does not") {
  for (const bool live : {true, false}) {
    lane at = lane_of({task_of("1", live ? std::nullopt : std::optional(parked)), task_of("2")});
    at.undone()[0]->attempts = 3;
    at.undone()[0]->verdict = task_verdict::dead_letter;
    CHECK(ids(*at.start(10)) == (live ? "12" : "1"));
  }
}

TEST_CASE("a redriven dead letter goes alone, parked messages go together") {
  lane letter = lane_of({task_of("1", dead_letter), task_of("2")});
  CHECK(ids(*letter.start(10)) == "1");
  lane waiting = lane_of({task_of("1", parked), task_of("2", parked), task_of("3")});
  CHECK(ids(*waiting.start(10)) == "123");
}

TEST_CASE("the first flight loads, and so does each that carries stored messages") {
  lane at = lane_of({task_of("1")});
  CHECK(at.start(10)->reload);
  (void)at.finish();
  at.push_back(task_of("2"));
  CHECK_FALSE(at.start(10)->reload);
  (void)at.finish();
  at.push_back(task_of("3", parked));
  CHECK(at.start(10)->reload);
}

TEST_CASE("what was not done goes back to the head in its order") {
  lane at = lane_of({task_of("1"), task_of("2"), task_of("3"), task_of("4")});
  (void)at.start(3);
  at.put_back(1);
  CHECK(undone(at) == "234");
  const auto done = at.finish();
  REQUIRE(done.size() == 1);
  CHECK(done[0]->pair->id == "1");
  CHECK(at.now == lane::phase::idle);
}

TEST_CASE("stored messages are put in front and can be forgotten, live ones stay") {
  lane at = lane_of({task_of("3")});
  at.push_front({task_of("1", parked), task_of("2", parked)});
  CHECK(undone(at) == "123");
  CHECK(at.has_stored());
  CHECK(at.drop_stored().size() == 2);
  CHECK(undone(at) == "3");
  CHECK_FALSE(at.has_stored());
}
