#include "tests/check.hpp"
#include "tests/unit/actors_world.hpp"

using namespace pawl;
using namespace pawl::actors_test;

namespace {

addressed_ptr ledger(const std::string& id) { return addressed(declared().ledger, "A", id); }
addressed_ptr skipping(const std::string& id) { return addressed(declared().ledger_skip, "A", id); }
addressed_ptr sequence(std::int64_t version) {
  return addressed(declared().sequence, "A", "v" + std::to_string(version), version);
}

/// Message 1 is a dead letter, 2 to `last` are parked behind it.
void block(world& w, int last) {
  w.throws["1"] = 1000;
  for (int i = 1; i <= last; ++i) {
    w.deliver(ledger(std::to_string(i)));
  }
  w.run();
  REQUIRE(w.counted().of(outcome::dead) == 1);
  REQUIRE(w.store.parked.size() == static_cast<std::size_t>(last - 1));
}

void redrive(world& w, const std::string& id, dead_letter_mark mark = dead_letter_mark::retry) {
  w.throws.erase(id);
  w.mark(id, mark);
  w.sweep();
}

}  // namespace

TEST_CASE("a redrive brings the dead letter first, then the parked in order") {
  world w;
  block(w, 4);
  redrive(w, "1");
  w.run();
  CHECK(w.applied("A") == "1 2 3 4");
  CHECK_FALSE(w.row("A").blocked);
  CHECK(w.store.parked.empty());
  CHECK(w.store.letters.empty());
  CHECK(w.alarms().empty());
  CHECK(w.lanes->tasks() == 0);
}

TEST_CASE("a redrive that needs several readings ends with the entity free") {
  for (const std::size_t reading : {1U, 2U, 3U, 4U}) {
    world w;
    w.fetch_max = reading;
    block(w, 5);
    redrive(w, "1");
    w.run();
    CHECK(w.applied("A") == "1 2 3 4 5");
    CHECK_FALSE(w.row("A").blocked);
  }
}

TEST_CASE("live traffic joins the tail of a redrive at whatever moment it comes") {
  for (std::size_t moment = 0; moment < 25; ++moment) {
    world w;
    w.fetch_max = 2;
    block(w, 5);
    redrive(w, "1");
    for (std::size_t i = 0; i < moment && !w.waiting.empty(); ++i) {
      w.happen(0);
    }
    w.deliver(ledger("6"));
    w.deliver(ledger("7"));
    w.run();
    CHECK(w.applied("A") == "1 2 3 4 5 6 7");
    CHECK_FALSE(w.row("A").blocked);
    CHECK(w.store.parked.empty());
  }
}

TEST_CASE("a redriven dead letter that nothing waits behind frees its entity at once") {
  world w;
  block(w, 1);
  redrive(w, "1");
  w.deliver(ledger("2"));
  w.run();
  CHECK(w.applied("A") == "1 2");
  CHECK_FALSE(w.row("A").blocked);
}

TEST_CASE("a redriven message that fails again is a dead letter again and still holds the rest") {
  world w;
  block(w, 3);
  w.mark("1", dead_letter_mark::retry);
  w.sweep();
  w.run();
  w.deliver(ledger("4"));
  w.run();
  CHECK(w.applied("A").empty());
  CHECK(w.store.letters.size() == 1);
  CHECK(w.store.parked.size() == 3);
  CHECK(w.alarms() == std::set<std::string>{"dead-letter:e/A"});
  redrive(w, "1");
  w.run();
  CHECK(w.applied("A") == "1 2 3 4");
}

TEST_CASE("a parked message that becomes a dead letter holds those that were parked behind it") {
  for (const std::size_t reading : {1U, 2U, 256U}) {
    world w;
    w.fetch_max = reading;
    block(w, 4);
    w.throws["2"] = 1000;
    redrive(w, "1");
    w.deliver(ledger("5"));
    w.run();
    CHECK(w.applied("A") == "1");
    CHECK(w.store.letters.size() == 1);
    CHECK(w.row("A").blocked);
    w.sweep();
    w.run();
    CHECK(w.applied("A") == "1");
    redrive(w, "2");
    w.run();
    CHECK(w.applied("A") == "1 2 3 4 5");
  }
}

TEST_CASE("the last parked message may become a dead letter too") {
  world w;
  block(w, 2);
  w.throws["2"] = 1000;
  redrive(w, "1");
  w.run();
  CHECK(w.row("A").blocked);
  redrive(w, "2");
  w.run();
  CHECK(w.applied("A") == "1 2");
  CHECK_FALSE(w.row("A").blocked);
}

TEST_CASE("a parked message of a skipped type dies alone, and the entity goes on and is freed") {
  for (const std::size_t reading : {1U, 256U}) {
    world w;
    w.fetch_max = reading;
    w.throws["1"] = 1000;
    w.deliver_together({ledger("1"), ledger("2"), skipping("s"), ledger("3"), skipping("t")});
    w.run();
    w.throws["s"] = 1000;
    w.throws["t"] = 1000;
    redrive(w, "1");
    w.run();
    CHECK(w.applied("A") == "1 2 3");
    CHECK_FALSE(w.row("A").blocked);
    CHECK(w.counted().of(outcome::dead) == 3);
  }
}

TEST_CASE("a late request to drain does not bring messages past a dead letter that came since") {
  world w;
  block(w, 4);
  w.throws["2"] = 1000;
  redrive(w, "1");
  w.run();
  REQUIRE(w.row("A").blocked);
  shard_output out;
  w.lanes->passivate(w.now_ms, out);
  w.lanes->drain({"e", "A"}, park_reason::behind_dead, w.now_ms, out);
  CHECK(out.fetches.empty());
}

TEST_CASE("that a dead letter holds an entity is not forgotten in a crowd") {
  shard_settings settings = world::default_settings();
  settings.idle_lanes_max = 0;
  world w(settings);
  block(w, 2);
  shard_output out;
  w.lanes->passivate(w.now_ms, out);
  CHECK(w.lanes->lanes() == 1);
  w.lanes->passivate(w.now_ms + settings.passivate_ms, out);
  CHECK(w.lanes->lanes() == 0);
}

TEST_CASE("a discarded dead letter has no effect, and the parked go on without it") {
  world w;
  block(w, 3);
  redrive(w, "1", dead_letter_mark::discard);
  w.run();
  CHECK(w.applied("A") == "2 3");
  CHECK(w.alarms().empty());
  CHECK(w.store.letters.empty());
  w.deliver(ledger("1"));
  w.run();
  CHECK(w.applied("A") == "2 3");
  CHECK(w.counted().of(outcome::duplicate) == 1);
}

TEST_CASE("a discarded version moves its sequence on, and what it held follows") {
  world w;
  w.throws["v2"] = 1000;
  for (const int v : {1, 2, 4, 3}) {
    w.deliver(sequence(v));
  }
  w.run();
  redrive(w, "v2", dead_letter_mark::discard);
  w.run();
  CHECK(w.applied("A") == "v1 v3 v4");
}

TEST_CASE("an undecodable dead letter can be discarded") {
  world w;
  auto broken = std::make_shared<addressed_message>(*skipping("b"));
  broken->undecodable = error{fault::poison, "json", "not JSON"};
  w.deliver(broken);
  w.run();
  CHECK(w.counted().of(outcome::dead) == 1);
  CHECK(w.store.letters.begin()->second.reason == "undecodable");
  CHECK_FALSE(w.row("A").blocked);
  redrive(w, "b", dead_letter_mark::discard);
  w.run();
  CHECK(w.store.letters.empty());
  CHECK(w.counted().redriven == 1);
}

TEST_CASE("a dead letter that the types of today can't read holds nothing any more") {
  world w;
  block(w, 3);
  auto unread = std::make_shared<addressed_message>(*ledger("1"));
  unread->undecodable = error{fault::poison, "type", "nobody declared it"};
  w.store.letters.begin()->second.pair = unread;
  redrive(w, "1");
  w.run();
  CHECK(w.applied("A") == "2 3");
  CHECK(w.store.letters.size() == 1);
  CHECK_FALSE(w.row("A").blocked);
}

TEST_CASE("a redrive is counted apart from the outcomes of the pairs") {
  world w;
  block(w, 3);
  redrive(w, "1");
  w.run();
  const counts seen = w.counted();
  CHECK(seen.of(outcome::dead) == 1);
  CHECK(seen.of(outcome::applied) == 2);
  CHECK(seen.of(outcome::parked) == 2);
  CHECK(seen.redriven == 1);
}

TEST_CASE("a redelivery during a redrive shares the outcome of the stored message") {
  for (std::size_t moment = 0; moment < 20; ++moment) {
    world w;
    block(w, 3);
    redrive(w, "1");
    for (std::size_t i = 0; i < moment && !w.waiting.empty(); ++i) {
      w.happen(0);
    }
    const auto first = w.deliver(ledger("1"));
    const auto third = w.deliver(ledger("3"));
    w.run();
    CHECK(w.applied("A") == "1 2 3");
    CHECK(w.counted().of(outcome::duplicate) == 2);
    CHECK(w.acked(first));
    CHECK(w.acked(third));
  }
}

TEST_CASE("a mark that comes twice, or for a dead letter that is gone, does nothing") {
  world w;
  block(w, 2);
  redrive(w, "1");
  w.sweep();
  w.run();
  shard_output out;
  w.lanes->redrive({"e", "A"}, 1, dead_letter_mark::retry, w.now_ms, out);
  REQUIRE(out.dead_fetches.size() == 1);
  w.lanes->fetched_dead({"e", "A"}, nullptr, out);
  w.deliver(ledger("3"));
  w.run();
  CHECK(w.applied("A") == "1 2 3");
}

TEST_CASE(
    "a dead letter that other lanes handle is asked for once, and given up when they are done") {
  world w;
  block(w, 1);
  w.mark("1", dead_letter_mark::retry);
  const entity_ref entity{"e", "A"};
  shard_output out;
  w.lanes->redrive(entity, 1, dead_letter_mark::retry, w.now_ms, out);
  REQUIRE(out.dead_fetches.size() == 1);
  CHECK(w.lanes->hand_over(entity, out));
  // The mark stays in the store meanwhile, and the janitor brings it every round.
  w.lanes->redrive(entity, 1, dead_letter_mark::retry, w.now_ms, out);
  w.now_ms += 1'000'000;
  w.lanes->passivate(w.now_ms, out);
  w.lanes->redrive(entity, 1, dead_letter_mark::retry, w.now_ms, out);
  CHECK(out.dead_fetches.size() == 1);
  w.lanes->handled_elsewhere(entity, 1, w.now_ms, out);
  REQUIRE(out.dead_fetches.size() == 2);
  CHECK(out.dead_fetches.back().mark == dead_letter_mark::discard);
  CHECK_FALSE(w.lanes->hand_over({"e", "Z"}, out));
}

TEST_CASE("a redrive waits for the flight of its entity") {
  world w;
  block(w, 2);
  w.deliver(ledger("3"));
  redrive(w, "1");
  CHECK(w.waiting.size() == 1);
  w.run();
  CHECK(w.applied("A") == "1 2 3");
}

TEST_CASE("after a crash in the middle of a drain the parked go on where they stopped") {
  for (std::size_t moment = 0; moment < 25; ++moment) {
    world w;
    w.fetch_max = 2;
    block(w, 6);
    redrive(w, "1");
    for (std::size_t i = 0; i < moment && !w.waiting.empty(); ++i) {
      w.happen(0);
    }
    w.crash();
    w.deliver(ledger("7"));
    w.run();
    w.sweep();
    w.run();
    CHECK(w.applied("A") == "1 2 3 4 5 6 7");
    CHECK_FALSE(w.row("A").blocked);
  }
}

TEST_CASE("live traffic does not keep an undrained entity from its drain") {
  world w;
  block(w, 3);
  w.store.letters.clear();  // retried, and then the process died
  w.crash();
  for (int i = 4; i < 8; ++i) {
    w.deliver(ledger(std::to_string(i)));
    w.sweep();
    w.happen(0);
  }
  w.run();
  CHECK(w.applied("A") == "2 3 4 5 6 7");
}

TEST_CASE("after a crash before its drain a closed gap is drained") {
  world w;
  w.deliver_together({sequence(2), sequence(3), sequence(5)});
  w.run();
  w.deliver(sequence(1));
  while (w.applied("A").empty()) {
    w.happen(0);
  }
  w.crash();
  w.sweep();
  w.run();
  CHECK(w.applied("A") == "v1 v2 v3");
  CHECK(w.store.parked.size() == 1);
}

TEST_CASE("a late request to drain a gap that is open again leaves the message parked once") {
  world w;
  w.deliver_together({sequence(1), sequence(4)});
  w.run();
  shard_output out;
  w.lanes->drain({"e", "A"}, park_reason::gap, w.now_ms, out);
  REQUIRE(out.fetches.size() == 1);
  auto row = std::make_shared<task>();
  row->pair = sequence(4);
  row->stored = stored_ref{stored_ref::table::parked, row->pair->key, row->pair->content};
  w.lanes->fetched({"e", "A"}, park_reason::gap, {row}, true, out);
  REQUIRE(out.dispatches.size() == 1);
  w.lanes->settle({"e", "A"}, out.dispatches[0].work->number,
                  {part_status::done, {outcome::parked}, {}, {}}, w.now_ms, out);
  CHECK(w.counted().of(outcome::parked) == 1);
  CHECK(w.lanes->tasks() == 0);
}

TEST_CASE("what a gap held waits behind a dead letter that came since") {
  world w;
  w.deliver(sequence(2));
  w.run();
  w.deliver(sequence(1));
  while (w.applied("A").empty()) {
    w.happen(0);
  }
  w.crash();
  w.store.rows[{"e", "A"}].blocked = true;
  w.store.letters[99] = {ledger("x"), fingerprint{1}, {}, "handler", true, {}};
  w.sweep();
  w.run();
  CHECK(w.applied("A") == "v1");
  redrive(w, "x");
  w.run();
  w.sweep();
  w.run();
  CHECK(w.applied("A") == "v1 x v2");
}

TEST_CASE("stored messages of a part to be reloaded stay in the store and are found again") {
  world w;
  block(w, 3);
  bool once = true;
  w.interfere = [&once](const commit_part& part) -> std::optional<part_answer> {
    const bool drained = part.items.front().pair->id == "2";
    return drained && std::exchange(once, false)
               ? std::optional(part_answer{part_status::reload, {}, {}, {}})
               : std::nullopt;
  };
  redrive(w, "1");
  w.run();
  CHECK(w.applied("A") == "1");
  CHECK(w.lanes->tasks() == 0);
  const auto live = w.deliver(ledger("2"));
  w.run();
  CHECK(w.acked(live));
  w.sweep();
  w.run();
  CHECK(w.applied("A") == "1 2 3");
}

TEST_CASE("a redelivery that waited for a stored message is not lost when that is forgotten") {
  world w;
  block(w, 3);
  bool once = true;
  w.interfere = [&once](const commit_part& part) -> std::optional<part_answer> {
    const bool drained = part.items.front().pair->id == "2";
    return drained && std::exchange(once, false)
               ? std::optional(part_answer{part_status::reload, {}, {}, {}})
               : std::nullopt;
  };
  redrive(w, "1");
  while (w.applied("A").empty()) {
    w.happen(0);
  }
  while (once) {
    w.happen(0);
  }
  const auto live = w.deliver(ledger("3"));
  w.run();
  CHECK(w.acked(live));
  CHECK(w.counted().of(outcome::duplicate) == 1);
  w.sweep();
  w.run();
  CHECK(w.applied("A") == "1 2 3");
}

TEST_CASE("a redelivery of a parked message does not take its place in the order") {
  // The live one comes while the parked are being read; `2` reads state, so the ledger is asked
  // before, and the store still knows it as parked.
  for (const std::uint64_t content : {1U, 2U}) {
    world w;
    const auto state = [](const std::string& id, std::uint64_t said) {
      return addressed(declared().stateful, "A", id, std::nullopt, said);
    };
    w.throws["1"] = 1000;
    w.deliver_together({ledger("1"), state("2", 1), state("3", 1)});
    w.run();
    redrive(w, "1");
    while (w.applied("A").empty()) {
      w.happen(0);
    }
    w.deliver(state("2", content));
    w.run();
    CHECK(w.applied("A") == "1 2 3");
    CHECK(w.row("A").state == "23");
    CHECK(w.counted().of(content == 1 ? outcome::duplicate : outcome::conflict) == 1);
  }
}

TEST_CASE("parked messages are not read again while some of those read before are undone") {
  world w;
  w.deliver_together({sequence(2), sequence(3), sequence(4)});
  w.run();
  w.throws["v2"] = 1;
  w.deliver(sequence(1));
  while (w.applied("A") != "v1 v2") {
    w.happen(0);
  }
  w.happen(0);  // the answer of the flight that v2 made alone
  REQUIRE(w.waiting.size() == 1);
  CHECK(w.waiting[0].kind == world::event::what::work);
  w.run();
  CHECK(w.applied("A") == "v1 v2 v3 v4");
}
