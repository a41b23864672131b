#include "tests/check.hpp"
#include "tests/unit/actors_world.hpp"

using namespace pawl;
using namespace pawl::actors_test;

namespace {

addressed_ptr ledger(const std::string& id, const std::string& entity = "A",
                     std::uint64_t content = 1) {
  return addressed(declared().ledger, entity, id, std::nullopt, content);
}
addressed_ptr skipping(const std::string& id) { return addressed(declared().ledger_skip, "A", id); }
addressed_ptr sequence(std::int64_t version, std::uint64_t content = 1) {
  return addressed(
      declared().sequence, "A",
      "v" + std::to_string(version) + (content == 1 ? "" : "/" + std::to_string(content)), version,
      content);
}
addressed_ptr latest(std::int64_t version, std::uint64_t content = 1) {
  return addressed(declared().latest, "A",
                   "v" + std::to_string(version) + "/" + std::to_string(content), version, content);
}

/// Answers as the store would not, once for each status in the list; then the store decides.
void answer_first(world& w, std::vector<part_status> statuses) {
  auto left = std::make_shared<std::vector<part_status>>(std::move(statuses));
  w.interfere = [left](const commit_part&) -> std::optional<part_answer> {
    if (left->empty()) {
      return std::nullopt;
    }
    const part_status now = left->front();
    left->erase(left->begin());
    return part_answer{now, {}, {fault::contended, "55P03", "row locked"}, {}};
  };
}

std::uint64_t final_outcomes(const counts& seen) {
  return seen.of(outcome::applied) + seen.of(outcome::duplicate) + seen.of(outcome::stale) +
         seen.of(outcome::conflict) + seen.of(outcome::dead);
}

}  // namespace

TEST_CASE("an entity's messages take effect in the order of receipt") {
  world w;
  w.deliver_together({ledger("1"), ledger("2"), ledger("3")});
  w.deliver(ledger("4"));
  w.run();
  CHECK(w.applied("A") == "1 2 3 4");
  CHECK(w.lanes->tasks() == 0);
}

TEST_CASE(
    "what comes together goes together, and what comes during a flight waits for its answer") {
  world w;
  w.deliver_together({ledger("1"), ledger("2")});
  w.deliver(ledger("3"));
  w.deliver(ledger("4"));
  CHECK(w.waiting.size() == 1);
  w.run();
  CHECK(w.flight_sizes == std::vector<std::size_t>{2, 2});
}

TEST_CASE("a flight carries no more messages than it may") {
  world w;
  std::vector<addressed_ptr> many;
  for (int i = 0; i < 20; ++i) {
    many.push_back(ledger(std::to_string(i)));
  }
  w.deliver_together(many);
  w.run();
  CHECK(w.flight_sizes == std::vector<std::size_t>{8, 8, 4});
  CHECK(w.counted().of(outcome::applied) == 20);
}

TEST_CASE("entities do not wait for each other") {
  world w;
  w.throws["1"] = 1000;
  w.deliver_together({ledger("1", "A"), ledger("2", "B")});
  w.run_without_time();
  CHECK(w.applied("A").empty());
  CHECK(w.applied("B") == "2");
}

TEST_CASE("an acknowledgement waits for every entity that the message addresses") {
  world w;
  w.throws["1b"] = 1;
  const auto both = w.deliver({ledger("1a", "A"), ledger("1b", "B")});
  w.run_without_time();
  CHECK(w.applied("A") == "1a");
  CHECK_FALSE(w.acked(both));
  w.run();
  CHECK(w.acked(both));
}

TEST_CASE("a duplicate of an unfinished message shares its outcome and its ack") {
  world w;
  const auto first = w.deliver(ledger("1"));
  const auto second = w.deliver(ledger("1"));
  CHECK_FALSE(w.acked(second));
  w.run();
  CHECK(w.acked(first));
  CHECK(w.acked(second));
  CHECK(w.applied("A") == "1");
  CHECK(w.counted().of(outcome::applied) == 1);
  CHECK(w.counted().of(outcome::duplicate) == 1);
}

TEST_CASE("a duplicate is not acknowledged while its twin fails") {
  world w;
  w.throws["1"] = 1;
  w.deliver(ledger("1"));
  w.run_without_time();
  const auto second = w.deliver(ledger("1"));
  w.run_without_time();
  CHECK_FALSE(w.acked(second));
  w.run();
  CHECK(w.acked(second));
}

TEST_CASE("a duplicate of a committed message is acknowledged without another flight") {
  world w;
  w.deliver(ledger("1"));
  w.run();
  const auto again = w.deliver(ledger("1"));
  CHECK(w.waiting.empty());
  CHECK(w.acked(again));
  CHECK(w.counted().of(outcome::duplicate) == 1);
}

TEST_CASE("a message that contradicts its unfinished twin is not taken for a duplicate") {
  world w;
  w.deliver(ledger("1", "A", 1));
  w.deliver(ledger("1", "A", 2));
  w.run();
  CHECK(w.counted().of(outcome::applied) == 1);
  CHECK(w.counted().of(outcome::conflict) == 1);
  CHECK(w.alarms() == std::set<std::string>{"conflict:e/A"});
}

TEST_CASE("a message that contradicts a committed one is not taken for a duplicate") {
  world w;
  w.deliver(ledger("1", "A", 1));
  w.run();
  w.deliver(ledger("1", "A", 2));
  w.run();
  CHECK(w.counted().of(outcome::conflict) == 1);
}

TEST_CASE("two versions under one id are two messages") {
  world w;
  w.deliver(addressed(declared().latest, "A", "same", 1));
  w.deliver(addressed(declared().latest, "A", "same", 2));
  w.run();
  CHECK(w.row("A").version == message_version{2});
  CHECK(w.counted().of(outcome::applied) == 2);
}

TEST_CASE("messages before one whose handler throws commit first, and it tries again alone") {
  world w;
  w.throws["2"] = 1;
  w.deliver_together({ledger("1"), ledger("2"), ledger("3")});
  w.run_without_time();
  CHECK(w.applied("A") == "1");
  w.run();
  CHECK(w.applied("A") == "1 2 3");
  CHECK(w.flight_sizes == std::vector<std::size_t>{3, 1, 1});
  CHECK(w.counted().attempts_failed == 1);
  CHECK(w.now_ms >= 50);
}

TEST_CASE("a handler that throws at once hands no part to the committer") {
  world w;
  w.throws["1"] = 1;
  w.deliver(ledger("1"));
  w.run();
  CHECK(w.applied("A") == "1");
  CHECK(w.ended_workers == 1);
}

TEST_CASE("what the store refuses fails like a handler, behind its committed prefix") {
  world w;
  w.store.refusals["2"] = 2;
  w.deliver_together({ledger("1"), ledger("2"), ledger("3")});
  w.run_without_time();
  CHECK(w.applied("A") == "1");
  w.run();
  CHECK(w.applied("A") == "1 2 3");
  CHECK(w.counted().attempts_failed == 2);
}

TEST_CASE("a message that fails as often as it may becomes a dead letter and parks what follows") {
  world w;
  w.throws["2"] = 1000;
  w.deliver_together({ledger("1"), ledger("2"), ledger("3")});
  w.run();
  const auto later = w.deliver(ledger("4"));
  w.run();
  CHECK(w.applied("A") == "1");
  CHECK(w.counted().of(outcome::dead) == 1);
  CHECK(w.counted().of(outcome::parked) == 2);
  CHECK(w.counted().attempts_failed == 3);
  CHECK(w.acked(later));
  CHECK(w.row("A").blocked);
  CHECK(w.alarms() == std::set<std::string>{"dead-letter:e/A"});
  CHECK(w.lanes->tasks() == 0);
}

TEST_CASE("a dead letter whose type is skipped lets its successors go on") {
  world w;
  w.store.refusals["2"] = 1000;
  w.deliver_together({skipping("1"), skipping("2"), skipping("3")});
  w.run();
  CHECK(w.applied("A") == "1 3");
  CHECK(w.counted().of(outcome::dead) == 1);
  CHECK_FALSE(w.row("A").blocked);
  CHECK(w.alarms().empty());
}

TEST_CASE("a redelivery of a dead letter or of a parked message is a duplicate") {
  world w;
  w.throws["1"] = 1000;
  w.deliver_together({ledger("1"), ledger("2")});
  w.run();
  w.deliver(ledger("1"));
  w.deliver(ledger("2"));
  w.run();
  CHECK(w.counted().of(outcome::duplicate) == 2);
  CHECK(w.counted().of(outcome::dead) == 1);
  CHECK(w.counted().of(outcome::parked) == 1);
}

TEST_CASE("a gap parks what is ahead, and its predecessor brings it on in order") {
  world w;
  w.deliver_together({sequence(1), sequence(4), sequence(3), sequence(6)});
  w.run();
  CHECK(w.applied("A") == "v1");
  CHECK(w.counted().of(outcome::parked) == 3);
  w.deliver(sequence(2));
  w.run();
  CHECK(w.applied("A") == "v1 v2 v3 v4");
  w.deliver(sequence(5));
  w.run();
  CHECK(w.applied("A") == "v1 v2 v3 v4 v5 v6");
  CHECK(w.counted().of(outcome::applied) == 6);
  CHECK(w.store.parked.empty());
}

TEST_CASE("a gap that closes longer than one reading of parked messages is drained to its end") {
  world w;
  w.fetch_max = 2;
  for (int v = 9; v > 1; --v) {
    w.deliver(sequence(v));
  }
  w.run();
  w.deliver(sequence(1));
  w.run();
  CHECK(w.applied("A") == "v1 v2 v3 v4 v5 v6 v7 v8 v9");
}

TEST_CASE("a message drained from a gap is done once, though it fails and goes alone") {
  world w;
  w.deliver_together({sequence(2), sequence(3), sequence(4)});
  w.run();
  w.throws["v2"] = 1;
  w.deliver(sequence(1));
  w.run();
  CHECK(w.applied("A") == "v1 v2 v3 v4");
  CHECK(w.counted().of(outcome::duplicate) == 0);
  CHECK(w.counted().of(outcome::applied) == 4);
  CHECK(w.lanes->tasks() == 0);
}

TEST_CASE("a gap that a flight closes is drained though a later message of the flight fails") {
  world w;
  w.deliver(sequence(2));
  w.run();
  w.throws["x"] = 2;
  w.deliver_together({sequence(1), ledger("x")});
  w.run();
  CHECK(w.applied("A") == "v1 v2 x");
}

TEST_CASE("the last version of all ends a sequence") {
  world w;
  w.store.rows[{"e", "A"}] = {{1}, message_version{INT64_MAX - 2}, {1}, false, {}};
  w.deliver_together({sequence(INT64_MAX)});
  w.run();
  w.deliver(sequence(INT64_MAX - 1));
  w.run();
  CHECK(w.row("A").version == message_version{INT64_MAX});
  CHECK(w.store.parked.empty());
}

TEST_CASE("versions decide: lower is stale, equal is a duplicate or a conflict") {
  world w;
  w.deliver(latest(5));
  w.run();
  w.deliver_together({latest(4), latest(5), latest(5, 2), latest(9)});
  w.run();
  const counts seen = w.counted();
  CHECK(seen.of(outcome::applied) == 2);
  CHECK(seen.of(outcome::stale) == 1);
  CHECK(seen.of(outcome::duplicate) == 1);
  CHECK(seen.of(outcome::conflict) == 1);
  CHECK(w.row("A").version == message_version{9});
}

TEST_CASE("a dead letter that is skipped or discarded moves its sequence on") {
  world w;
  w.throws["v2"] = 1000;
  for (int v = 1; v <= 3; ++v) {
    w.deliver(addressed(declared().sequence_skip, "A", "v" + std::to_string(v), v));
  }
  w.run();
  CHECK(w.applied("A") == "v1 v3");
}

TEST_CASE("a sequence that moves on by a skipped dead letter closes the gap behind it") {
  world w;
  const auto skip = [](int v) {
    return addressed(declared().sequence_skip, "A", "v" + std::to_string(v), v);
  };
  w.throws["v1"] = 1000;
  w.deliver(skip(2));
  w.run();
  w.deliver(skip(1));
  w.run();
  CHECK(w.applied("A") == "v2");
  CHECK(w.store.parked.empty());
}

TEST_CASE("a part that is to be reloaded is decided again and done once") {
  world w;
  answer_first(w, {part_status::reload, part_status::reload});
  w.deliver_together({ledger("1"), ledger("2")});
  w.run();
  CHECK(w.applied("A") == "1 2");
  CHECK(w.counted().of(outcome::applied) == 2);
}

TEST_CASE("what a guard said of a reloaded part is kept, so that it does not loop") {
  world w;
  const auto state = [](const std::string& id) { return addressed(declared().stateful, "A", id); };
  w.deliver(state("1"));
  w.run();
  // The look-up misses what the guard finds, as if it had been committed in between.
  const auto key = state("2")->key;
  w.deliver_together({state("2"), state("3")});
  REQUIRE(w.happen(0));
  w.store.ledger[key] = fingerprint{1};
  w.run();
  CHECK(w.applied("A") == "1 3");
  CHECK(w.row("A").state == "13");
  CHECK(w.counted().of(outcome::duplicate) == 1);
}

TEST_CASE("reloads without progress slow down, and the first progress ends that") {
  world w;
  answer_first(w, std::vector<part_status>(6, part_status::reload));
  w.deliver(ledger("1"));
  w.run_without_time();
  CHECK(w.flight_sizes.size() == 4);
  w.run();
  CHECK(w.applied("A") == "1");
}

TEST_CASE("a handler that reads state sees each message once, also within one flight") {
  world w;
  const auto state = [](const std::string& id, std::uint64_t content) {
    return addressed(declared().stateful, "A", id, std::nullopt, content);
  };
  w.deliver_together({state("1", 1), state("1", 2), state("2", 1)});
  w.run();
  CHECK(w.row("A").state == "12");
  CHECK(w.counted().of(outcome::conflict) == 1);
}

TEST_CASE("a part that somebody's row lock holds is tried again and alarms until it is through") {
  world w;
  answer_first(w, {part_status::held, part_status::held});
  const auto one = w.deliver(ledger("1"));
  w.run_without_time();
  CHECK(w.alarms() == std::set<std::string>{"row-locked:e/A"});
  CHECK_FALSE(w.acked(one));
  w.run();
  CHECK(w.acked(one));
  CHECK(w.alarms().empty());
  CHECK(w.counted().attempts_failed == 0);
}

TEST_CASE(
    "a part held by a failed batch is tried again, and no row lock is said to be the reason") {
  world w;
  bool first = true;
  w.interfere = [&first](const commit_part&) -> std::optional<part_answer> {
    if (!std::exchange(first, false)) {
      return std::nullopt;
    }
    return part_answer{part_status::held, {}, {fault::retry, "08006", "connection lost"}, {}};
  };
  const auto one = w.deliver(ledger("1"));
  w.run_without_time();
  CHECK(w.alarms().empty());
  w.run();
  CHECK(w.acked(one));
}

TEST_CASE("a lost lease acknowledges nothing and tries nothing again") {
  world w;
  answer_first(w, {part_status::lost});
  const auto first = w.deliver(ledger("1"));
  const auto second = w.deliver(ledger("2"));
  w.run();
  CHECK(w.lost);
  CHECK_FALSE(w.acked(first));
  CHECK_FALSE(w.acked(second));
  CHECK(w.flight_sizes.size() == 1);
  CHECK(final_outcomes(w.counted()) == 0);
}

TEST_CASE("an answer to an old flight means nothing") {
  world w;
  w.throws["1"] = 1;
  const auto one = w.deliver(ledger("1"));
  w.run_without_time();
  shard_output out;
  w.lanes->settle({"e", "A"}, 0, {part_status::done, {outcome::applied}, {}, {}}, 0, out);
  w.lanes->settle({"e", "A"}, 1, {part_status::done, {outcome::applied}, {}, {}}, 0, out);
  w.lanes->settle({"e", "Z"}, 1, {part_status::done, {outcome::applied}, {}, {}}, 0, out);
  CHECK(out.finished.empty());
  w.run();
  CHECK(w.acked(one));
}

TEST_CASE("an idle entity is passivated after its time, a busy one is not") {
  world w;
  w.throws["2"] = 1000;
  w.deliver_together({ledger("1", "A"), ledger("2", "B")});
  w.run_without_time();
  shard_output out;
  w.lanes->passivate(59'999, out);
  CHECK(out.ended_workers.empty());
  w.lanes->passivate(60'000, out);
  CHECK(out.ended_workers == std::vector<entity_ref>{{"e", "A"}});
  CHECK(w.lanes->lanes() == 1);
}

TEST_CASE("past the most idle lanes idle entities are passivated at once") {
  shard_settings settings = world::default_settings();
  settings.idle_lanes_max = 2;
  world w(settings);
  w.deliver_together({ledger("1", "A"), ledger("2", "B"), ledger("3", "C")});
  w.run();
  shard_output out;
  w.lanes->passivate(w.now_ms, out);
  CHECK(out.ended_workers.size() == 3);
  CHECK(w.lanes->lanes() == 0);
}

TEST_CASE("a passivated entity comes back as its last commit left it") {
  world w;
  w.deliver(sequence(1));
  w.run();
  w.crash();
  w.deliver(sequence(2));
  w.deliver(sequence(1));
  w.run();
  CHECK(w.applied("A") == "v1 v2");
  CHECK(w.counted().of(outcome::stale) == 1);
}

TEST_CASE("every accepted pair ends in one counted outcome") {
  world w;
  w.throws["3"] = 1000;
  w.deliver_together({ledger("1"), ledger("1"), ledger("1", "A", 2), ledger("2"), ledger("3"),
                      ledger("4"), ledger("4"), ledger("5")});
  w.run();
  const counts seen = w.counted();
  CHECK(seen.pairs == final_outcomes(seen) + w.store.parked.size());
  for (std::size_t i = 0; i < w.deliveries.size(); ++i) {
    CHECK(w.acked(i));
  }
}
