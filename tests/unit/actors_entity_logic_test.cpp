#include "tests/check.hpp"
#include "tests/unit/actors_world.hpp"

#include <stdexcept>

using namespace pawl;
using namespace pawl::actors_test;

namespace {

const entity_ref entity_a{"e", "A"};

/// One worker over an entity as it was loaded.
struct worker {
  std::map<std::string, int> throws;
  handler_table handlers;
  catalog tables;
  shape_registry shapes;
  entity_logic logic{entity_a, shard_id{3}, lease_epoch{7}, {&handlers, &tables, &shapes}};

  explicit worker(loaded_entity loaded = {}) {
    const auto run = std::make_shared<planned_handler>(throws);
    const contracts& all = declared();
    for (const message_contract* one :
         {&all.ledger, &all.ledger_skip, &all.stateful, &all.sequence, &all.latest}) {
      handlers.enter(one, run);
    }
    logic.loaded({}, {std::move(loaded), {}});
  }
};

task_ptr task_of(addressed_ptr pair) {
  auto made = std::make_shared<task>();
  made->pair = std::move(pair);
  return made;
}
task_ptr ledger(const std::string& id) { return task_of(addressed(declared().ledger, "A", id)); }
task_ptr state(const std::string& id) { return task_of(addressed(declared().stateful, "A", id)); }
task_ptr sequence(std::int64_t version) {
  return task_of(addressed(declared().sequence, "A", "v" + std::to_string(version), version));
}

flight flight_of(std::vector<std::shared_ptr<const task>> tasks) {
  return {1, false, std::move(tasks)};
}

entity_row row_at(std::int64_t version) {
  return {{5}, message_version{version}, fingerprint{1}, false, {}};
}

std::string dispositions(const commit_part& part) {
  std::string all;
  for (const commit_item& one : part.items) {
    constexpr std::string_view names = "astpd";
    all += names[static_cast<std::size_t>(one.what)];
  }
  return all;
}

}  // namespace

TEST_CASE("a worker loads before its first flight, when told to, and to look ids up") {
  entity_logic fresh(entity_a, {}, {}, {});
  CHECK(fresh.needs_load(flight_of({ledger("1")})));
  worker w;
  CHECK_FALSE(w.logic.needs_load(flight_of({ledger("1")})));
  CHECK(w.logic.needs_load({1, true, {ledger("1")}}));
  const flight looking = flight_of({ledger("1"), state("2"), state("3")});
  CHECK(w.logic.needs_load(looking));
  const entity_query query = w.logic.query(looking);
  CHECK(query.entity == entity_a);
  CHECK(query.ledger == std::vector<ledger_key>{state("2")->pair->key, state("3")->pair->key});
}

TEST_CASE("a part carries shard, epoch and the row that it was decided against") {
  worker w({row_at(4), {}, false});
  const auto made = w.logic.build(flight_of({sequence(5), sequence(6)}));
  CHECK(made.part.entity == entity_a);
  CHECK(made.part.shard == shard_id{3});
  CHECK(made.part.epoch == lease_epoch{7});
  CHECK(made.part.before.revision == entity_revision{5});
  REQUIRE(made.part.items.size() == 2);
  CHECK(made.part.items[0].after->revision == entity_revision{6});
  CHECK(made.part.items[1].after->revision == entity_revision{7});
  CHECK(made.part.items[1].after->version == message_version{6});
}

TEST_CASE("a message that changes nothing of the row leaves it alone") {
  worker w;
  const auto made = w.logic.build(flight_of({ledger("1")}));
  CHECK(dispositions(made.part) == "a");
  CHECK_FALSE(made.part.items[0].after.has_value());
}

TEST_CASE("the next flight is decided against what the last one makes of the row") {
  worker w({row_at(4), {}, false});
  (void)w.logic.build(flight_of({sequence(5)}));
  const auto made = w.logic.build(flight_of({sequence(6), sequence(5), sequence(8)}));
  CHECK(made.part.before.version == message_version{5});
  CHECK(dispositions(made.part) == "asp");
  CHECK(made.part.items[1].settled == outcome::stale);
  CHECK(made.part.items[2].park_why == park_reason::gap);
}

TEST_CASE("a handler that throws ends the part before it and leaves no trace in the row") {
  worker w({row_at(4), {}, false});
  w.throws["v6"] = 1;
  const auto made = w.logic.build(flight_of({sequence(5), sequence(6), sequence(7)}));
  CHECK(dispositions(made.part) == "a");
  CHECK(made.note.failed_at == std::size_t{1});
  CHECK(made.note.failure == "no: v6");
  CHECK(dispositions(w.logic.build(flight_of({sequence(6)})).part) == "a");
}

TEST_CASE("whatever a handler throws is told, and a long text is cut") {
  struct throws_anything final : handler {
    void handle(const addressed_message& message, const std::optional<std::string>&,
                effect_list&) const override {
      if (message.id == "int") {
        throw 7;
      }
      throw std::runtime_error(std::string(10'000, 'x'));
    }
  };
  handler_table handlers;
  handlers.enter(&declared().ledger, std::make_shared<throws_anything>());
  catalog tables;
  shape_registry shapes;
  entity_logic logic(entity_a, {}, {}, {&handlers, &tables, &shapes});
  CHECK_FALSE(logic.build(flight_of({ledger("int")})).note.failure.empty());
  CHECK(logic.build(flight_of({ledger("long")})).note.failure.size() == 2048);
}

TEST_CASE("an effect that the catalog does not know fails its message like a handler") {
  struct writes_nowhere final : handler {
    void handle(const addressed_message&, const std::optional<std::string>&,
                effect_list& out) const override {
      out.add_insert("nowhere", {{"a", 1}}, {});
    }
  };
  handler_table handlers;
  handlers.enter(&declared().ledger, std::make_shared<writes_nowhere>());
  catalog tables;
  shape_registry shapes;
  entity_logic logic(entity_a, {}, {}, {&handlers, &tables, &shapes});
  const auto made = logic.build(flight_of({ledger("1")}));
  CHECK(made.note.failed_at == std::size_t{0});
  CHECK(made.note.failure.find("nowhere") != std::string::npos);
}

TEST_CASE("state is handed from message to message and to the commit") {
  worker w;
  const auto made = w.logic.build(flight_of({state("1"), state("2")}));
  CHECK(made.part.items[1].after->state == "12");
  CHECK(made.part.items[0].decided_fresh);
}

TEST_CASE("an id that the ledger knows is settled before a handler that reads state runs") {
  worker w;
  const flight work = flight_of({state("1"), state("2")});
  w.logic.loaded(work, {{}, {guard_trace{guard_trace::place::ledger, {1}}, std::nullopt}});
  const auto made = w.logic.build(work);
  CHECK(dispositions(made.part) == "sa");
  CHECK(made.part.items[0].settled == outcome::duplicate);
  CHECK(made.part.items[1].after->state == "2");
}

TEST_CASE("a blocked entity parks what is live and handles what was parked") {
  loaded_entity loaded{row_at(4), {}, true};
  loaded.row.blocked = true;
  worker w(loaded);
  auto drained = ledger("2");
  drained->stored = stored_ref{stored_ref::table::parked, drained->pair->key, {1}};
  const auto made = w.logic.build(flight_of({drained, ledger("3")}));
  CHECK(dispositions(made.part) == "ap");
  CHECK(made.part.items[1].park_why == park_reason::behind_dead);
}

TEST_CASE("a live message that has used its attempts waits if a dead letter holds its entity") {
  loaded_entity loaded;
  loaded.row.blocked = true;
  worker w(loaded);
  auto spent = ledger("1");
  spent->verdict = task_verdict::dead_letter;
  CHECK(dispositions(w.logic.build(flight_of({spent})).part) == "p");
}

TEST_CASE("a dead letter says itself whether it holds its entity") {
  worker w;
  auto spent = ledger("1");
  spent->verdict = task_verdict::dead_letter;
  spent->dead_reason = "handler";
  spent->attempts = 3;
  auto passed = task_of(addressed(declared().ledger_skip, "A", "2"));
  passed->verdict = task_verdict::dead_letter;
  const auto skip = w.logic.build(flight_of({passed}));
  CHECK_FALSE(skip.part.items[0].blocks);
  const auto park = w.logic.build(flight_of({spent, ledger("3")}));
  CHECK(park.part.items[0].blocks);
  CHECK(park.part.items[0].attempts == 3);
  CHECK(park.part.items[0].after->blocked);
  CHECK(dispositions(park.part) == "tp");
}

TEST_CASE("a closed gap is told once, from the version that goes on") {
  worker w({row_at(4), message_version{6}, false});
  const auto made = w.logic.build(flight_of({sequence(5)}));
  CHECK(made.note.gap_closed_at == message_version{6});
  CHECK_FALSE(w.logic.build(flight_of({ledger("x")})).note.gap_closed_at.has_value());
}

TEST_CASE("a gap that is still open is not told, nor one behind a dead letter") {
  worker open({row_at(4), message_version{7}, false});
  CHECK_FALSE(open.logic.build(flight_of({sequence(5)})).note.gap_closed_at.has_value());
  loaded_entity loaded{row_at(5), message_version{6}, false};
  loaded.row.blocked = true;
  worker held(loaded);
  CHECK_FALSE(held.logic.build(flight_of({ledger("x")})).note.gap_closed_at.has_value());
}
