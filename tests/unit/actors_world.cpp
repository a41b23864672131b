#include "tests/unit/actors_world.hpp"

#include "protocol/hash.hpp"
#include "protocol/invariant.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pawl::actors_test {
namespace {

message_contract make_contract(std::string type, policy pair, on_dead_policy on_dead) {
  message_contract made;
  made.type = std::move(type);
  made.entity_type = "e";
  made.pair = pair;
  made.on_dead = on_dead;
  return made;
}

constexpr std::size_t steps_max = 100'000;

}  // namespace

contracts::contracts()
    : ledger(make_contract("ledger", policies::ledger, on_dead_policy::park)),
      ledger_skip(make_contract("ledger_skip", policies::ledger, on_dead_policy::skip)),
      stateful(make_contract("stateful", policies::ledger, on_dead_policy::park)),
      sequence(make_contract("sequence", policies::sequence, on_dead_policy::park)),
      sequence_skip(make_contract("sequence_skip", policies::sequence, on_dead_policy::skip)),
      latest(make_contract("latest", policies::latest, on_dead_policy::park)),
      natural(make_contract("natural", policies::natural, on_dead_policy::park)) {
  stateful.reads_state = true;
}

const contracts& declared() {
  static const contracts all;
  return all;
}

addressed_ptr addressed(const message_contract& contract, const std::string& entity,
                        const std::string& id, std::optional<std::int64_t> version,
                        std::uint64_t content) {
  auto made = std::make_shared<addressed_message>();
  made->source = std::make_shared<message>();
  made->contract = &contract;
  made->type = contract.type;
  made->id = id;
  made->entity = {"e", entity};
  if (version.has_value()) {
    made->version = message_version{*version};
  }
  made->key = make_ledger_key("c", made->entity, id);
  made->content = fingerprint{content};
  made->elements.emplace_back();
  return made;
}

void planned_handler::handle(const addressed_message& message,
                             const std::optional<std::string>& state, effect_list& out) const {
  const auto planned = throws_->find(message.id);
  if (planned != throws_->end() && planned->second > 0) {
    --planned->second;
    throw std::runtime_error("no: " + message.id);
  }
  if (message.contract->reads_state) {
    out.state(state.value_or("") + message.id);
  }
}

shard_settings world::default_settings() {
  shard_settings settings;
  settings.retry = {3, 100, 1000};
  settings.flight_tasks_max = 8;
  settings.seen_keys = 64;
  return settings;
}

world::world(shard_settings given)
    : lanes(std::make_unique<shard_lanes>(given, counters_, alarms_)),
      settings_(given),
      alarms_([] { return std::int64_t{0}; }, {}) {
  const auto run_all = std::make_shared<planned_handler>(throws);
  const contracts& all = declared();
  for (const message_contract* one : {&all.ledger, &all.ledger_skip, &all.stateful, &all.sequence,
                                      &all.sequence_skip, &all.latest, &all.natural}) {
    handlers_.enter(one, run_all);
  }
}

std::vector<task_ptr> world::make_tasks(const std::vector<addressed_ptr>& pairs,
                                        std::size_t& number) {
  number = deliveries.size();
  deliveries.push_back(pairs);
  acks_.push_back(0);
  auto delivered = std::make_shared<delivery>();
  delivered->origin.position = static_cast<std::int64_t>(number);
  delivered->open.store(static_cast<std::uint32_t>(pairs.size()));
  std::vector<task_ptr> tasks;
  for (const addressed_ptr& pair : pairs) {
    auto made = std::make_shared<task>();
    made->pair = pair;
    made->waiting.push_back(delivered);
    tasks.push_back(std::move(made));
  }
  counters_.pairs(pairs.size());
  return tasks;
}

std::size_t world::deliver(const std::vector<addressed_ptr>& pairs) {
  std::size_t number = 0;
  const std::vector<task_ptr> tasks = make_tasks(pairs, number);
  shard_output out;
  lanes->accept(tasks, now_ms, out);
  act(out);
  return number;
}

void world::deliver_together(const std::vector<addressed_ptr>& pairs) {
  std::vector<task_ptr> tasks;
  for (const addressed_ptr& pair : pairs) {
    std::size_t number = 0;
    tasks.push_back(make_tasks({pair}, number).front());
  }
  shard_output out;
  lanes->accept(tasks, now_ms, out);
  act(out);
}

void world::act(shard_output& out) {
  lost = lost || out.lost;
  ended_workers += out.ended_workers.size();
  for (const entity_ref& one : out.ended_workers) {
    workers_.erase(one);
  }
  for (auto& one : out.dispatches) {
    invariant(flying_.emplace(one.entity, one.work->number).second,
              "an entity has two flights at a time");
    invariant(one.new_worker != workers_.contains(one.entity), "a worker was lost, or made twice");
    if (one.new_worker) {
      workers_.emplace(one.entity, entity_logic(one.entity, {}, lease_epoch{1},
                                                {&handlers_, &tables_, &shapes_}));
    }
    flight_sizes.push_back(one.work->tasks.size());
    event next;
    next.entity = one.entity;
    next.flight = one.work->number;
    next.work_to_do = std::move(one.work);
    waiting.push_back(std::move(next));
  }
  for (auto& one : out.wakes) {
    event next;
    next.kind = event::what::wake;
    next.entity = one.entity;
    next.flight = one.flight;
    next.due_ms = now_ms + one.after_ms;
    waiting.push_back(std::move(next));
  }
  for (auto& one : out.fetches) {
    event next;
    next.kind = event::what::fetched;
    next.entity = one.entity;
    next.wanted = one;
    waiting.push_back(std::move(next));
  }
  for (auto& one : out.dead_fetches) {
    event next;
    next.kind = event::what::fetched_dead;
    next.entity = one.entity;
    next.wanted_dead = one;
    waiting.push_back(std::move(next));
  }
  for (const delivery_ptr& one : out.finished) {
    const auto number = static_cast<std::size_t>(one->origin.position);
    ++acks_[number];
    invariant(acks_[number] == 1, "a delivery was acknowledged twice");
  }
}

void world::work(event& one) {
  const auto worker = workers_.find(one.entity);
  invariant(worker != workers_.end(), "a flight reached no worker");
  const flight& next = *one.work_to_do;
  if (worker->second.needs_load(next)) {
    worker->second.loaded(next, store.load(worker->second.query(next)));
  }
  entity_logic::built made = worker->second.build(next);
  if (made.note.failed_at.has_value() || made.note.gap_closed_at.has_value()) {
    event told;
    told.kind = event::what::note;
    told.entity = one.entity;
    told.flight = one.flight;
    told.told = made.note;
    waiting.push_back(std::move(told));
  }
  if (made.part.items.empty()) {
    flying_.erase(one.entity);
    return;
  }
  event handed;
  handed.kind = event::what::commit;
  handed.entity = one.entity;
  handed.flight = one.flight;
  handed.part = std::move(made.part);
  waiting.push_back(std::move(handed));
}

void world::commit(event& one) {
  event answer;
  answer.kind = event::what::answer;
  answer.entity = one.entity;
  answer.flight = one.flight;
  const auto other = interfere ? interfere(one.part) : std::nullopt;
  answer.answered = other.has_value() ? *other : store.commit(one.part);
  waiting.push_back(std::move(answer));
}

task_ptr world::stored_task(const fake_store::kept& row, stored_ref::table from) const {
  auto made = std::make_shared<task>();
  made->pair = row.pair;
  made->stored = stored_ref{from, row.pair->key, row.content};
  return made;
}

bool world::happen(std::size_t index) {
  if (waiting[index].kind == event::what::answer) {
    for (const event& other : waiting) {
      if (other.kind == event::what::note && other.entity == waiting[index].entity &&
          other.flight == waiting[index].flight) {
        return false;  // sent before, so it comes before
      }
    }
  }
  event one = std::move(waiting[index]);
  waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(index));
  shard_output out;
  switch (one.kind) {
    case event::what::work:
      work(one);
      break;
    case event::what::commit:
      commit(one);
      break;
    case event::what::note:
      lanes->note(one.entity, one.told, out);
      break;
    case event::what::answer:
      flying_.erase(one.entity);
      lanes->settle(one.entity, one.flight, one.answered, now_ms, out);
      break;
    case event::what::wake:
      now_ms = std::max(now_ms, one.due_ms);
      lanes->wake(one.entity, one.flight, out);
      break;
    case event::what::fetched: {
      auto rows = store.load_parked(one.entity, one.wanted.why, fetch_max + 1);
      const bool last = rows.size() <= fetch_max;
      rows.resize(std::min(rows.size(), fetch_max));
      std::vector<task_ptr> tasks;
      for (const auto& row : rows) {
        tasks.push_back(stored_task(row, stored_ref::table::parked));
      }
      lanes->fetched(one.entity, one.wanted.why, std::move(tasks), last, out);
      break;
    }
    case event::what::fetched_dead: {
      task_ptr found;
      const auto letter = store.letters.find(one.wanted_dead.id);
      if (letter != store.letters.end() && letter->second.mark != dead_letter_mark::none) {
        found = stored_task(letter->second, stored_ref::table::dead_letter);
        found->held_entity = letter->second.blocks;
        if (one.wanted_dead.mark == dead_letter_mark::discard) {
          found->verdict = task_verdict::discard;
        }
      }
      lanes->fetched_dead(one.entity, std::move(found), out);
      break;
    }
  }
  act(out);
  return true;
}

void world::run() {
  for (std::size_t step = 0; !waiting.empty(); ++step) {
    invariant(step < steps_max, "the shard never comes to rest");
    run_without_time();
    if (!waiting.empty()) {
      happen(0);
    }
  }
}

void world::run_without_time() {
  for (std::size_t step = 0;; ++step) {
    invariant(step < steps_max, "the shard never comes to rest");
    bool any = false;
    for (std::size_t i = 0; i < waiting.size() && !any; ++i) {
      any = waiting[i].kind != event::what::wake && happen(i);
    }
    if (!any) {
      return;
    }
  }
}

void world::sweep() {
  shard_output out;
  for (const auto& [id, one] : store.letters) {
    if (one.mark != dead_letter_mark::none) {
      lanes->redrive(one.pair->entity, id, one.mark, now_ms, out);
    }
  }
  for (const undrained_entity& one : store.undrained()) {
    lanes->drain(one.entity, one.why, now_ms, out);
  }
  act(out);
}

std::vector<std::size_t> world::crash() {
  waiting.clear();
  workers_.clear();
  flying_.clear();
  lanes = std::make_unique<shard_lanes>(settings_, counters_, alarms_);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < acks_.size(); ++i) {
    if (acks_[i] == 0) {
      open.push_back(i);
    }
  }
  return open;
}

void world::mark(const std::string& id, dead_letter_mark mark) {
  bool any = false;
  for (auto& [number, one] : store.letters) {
    if (one.pair->id == id && one.reason != "conflict") {
      one.mark = mark;
      any = true;
    }
  }
  invariant(any, "no dead letter has that id");
}

std::string world::applied(const std::string& entity) const {
  std::string all;
  const auto found = store.applied.find({"e", entity});
  if (found == store.applied.end()) {
    return all;
  }
  for (const addressed_ptr& one : found->second) {
    all += (all.empty() ? "" : " ") + one->id;
  }
  return all;
}

std::set<std::string> world::alarms() const {
  std::set<std::string> names;
  for (const alarm& one : alarms_.raised()) {
    names.insert(one.name);
  }
  return names;
}

}  // namespace pawl::actors_test
