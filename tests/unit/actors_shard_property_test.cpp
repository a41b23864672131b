#include "actors/credits.hpp"
#include "actors/frontier.hpp"
#include "tests/check.hpp"
#include "tests/unit/actors_world.hpp"

#include <algorithm>
#include <random>

using namespace pawl;
using namespace pawl::actors_test;

namespace {

/// What a schedule is made of.
struct shape {
  std::size_t entities = 3;
  int messages = 30;
  bool parks = true;     ///< dead letters hold their entity; else they are passed by
  bool crashes = false;  ///< memory is lost now and then
};

/// Random deliveries, failures and interleavings, then a time without faults in which everything
/// must finish. Every random choice comes from one seed.
class schedule {
 public:
  schedule(std::uint64_t seed, shape given) : random_(seed), shape_(given) {
    world_.fetch_max = 1 + below(4);
    world_.interfere = [this](const commit_part&) { return interfere(); };
    make_messages();
  }

  void run() {
    std::size_t next = 0;
    while (next < plan_.size() || !world_.waiting.empty()) {
      const std::size_t dice = below(100);
      if (dice < 25 && next < plan_.size()) {
        deliver(plan_[next++]);
      } else if (dice < 30 && next > 0) {
        deliver(plan_[below(next)]);  // a redelivery of anything that has come
      } else if (dice < 34) {
        mark_any();
      } else if (dice < 37) {
        world_.sweep();
      } else if (dice < 38 && shape_.crashes) {
        crash();
      } else if (!world_.waiting.empty()) {
        world_.happen(below(world_.waiting.size()));
      }
      check_acks();
    }
    finish();
  }

  void check() {
    RC_ASSERT(world_.lanes->tasks() == 0U);
    RC_ASSERT(world_.store.parked.empty());
    for (const auto& [entity, row] : world_.store.rows) {
      RC_ASSERT(!row.blocked);
      check_effects(entity);
    }
    check_acks();
    RC_ASSERT(credits_.messages_held() == 0U);
    RC_ASSERT(credits_.bytes_held() == 0U);
    if (!world_.deliveries.empty()) {
      RC_ASSERT(frontier_.position() == static_cast<std::int64_t>(world_.deliveries.size()));
    }
    if (!shape_.crashes) {
      check_counts();
    }
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  void make_messages() {
    const contracts& all = declared();
    std::vector<std::int64_t> versions(shape_.entities, 0);
    for (int i = 0; i < shape_.messages; ++i) {
      const std::size_t entity = below(shape_.entities);
      const std::string key(1, static_cast<char>('A' + entity));
      const std::string id = key + std::to_string(i);
      const std::size_t kind = below(3);
      if (kind == 0) {
        plan_.push_back(addressed(shape_.parks ? all.sequence : all.sequence_skip, key, id,
                                  ++versions[entity]));
      } else {
        const message_contract& arrival = shape_.parks ? all.ledger : all.ledger_skip;
        plan_.push_back(addressed(kind == 1 && shape_.parks ? all.stateful : arrival, key, id));
      }
      const std::size_t fate = below(10);
      auto& failing = below(2) == 0 ? world_.throws : world_.store.refusals;
      failing[id] = fate < 2 ? 1 : fate == 2 ? 1000 : 0;
    }
    // Versions come out of order: some pairs change places.
    for (std::size_t i = 1; i < plan_.size(); ++i) {
      if (below(4) == 0) {
        std::swap(plan_[i - 1], plan_[i]);
      }
    }
  }

  void deliver(const addressed_ptr& pair) {
    if (std::find(received_.begin(), received_.end(), pair) == received_.end()) {
      received_.push_back(pair);
    }
    const auto number = static_cast<std::int64_t>(world_.deliveries.size());
    frontier_.deliver(number, number + 1);
    credits_.take(10);
    finished_.push_back(false);
    world_.deliver(pair);
  }

  /// Tells frontier and credits of new acknowledgements, and that none was passed over.
  void check_acks() {
    std::optional<std::int64_t> lowest;
    for (std::size_t i = 0; i < finished_.size(); ++i) {
      const auto position = static_cast<std::int64_t>(i);
      if (!finished_[i] && world_.acked(i)) {
        finished_[i] = true;
        RC_ASSERT(frontier_.finish(position));
        credits_.give_back(10);
      }
      if (!finished_[i] && !lowest.has_value()) {
        lowest = position;
      }
    }
    if (lowest.has_value()) {
      RC_ASSERT(frontier_.position() == lowest);
    }
  }

  std::optional<part_answer> interfere() {
    if (calm_) {
      return std::nullopt;
    }
    switch (below(12)) {
      case 0:
        return part_answer{part_status::reload, {}, {}, {}};
      case 1:
        return part_answer{part_status::held, {}, {fault::contended, "55P03", "locked"}, {}};
      default:
        return std::nullopt;
    }
  }

  void mark_any() {
    for (auto& [id, one] : world_.store.letters) {
      if (below(2) == 0) {
        one.mark =
            shape_.parks && below(4) == 0 ? dead_letter_mark::discard : dead_letter_mark::retry;
        if (one.mark == dead_letter_mark::discard) {
          discarded_.insert(one.pair->id);
        }
      }
    }
  }

  /// What was not acknowledged comes again, in the order in which it came first.
  void crash() {
    for (const std::size_t open : world_.crash()) {
      if (finished_[open]) {
        continue;  // of an earlier crash
      }
      finished_[open] = true;  // its place is taken by the redelivery
      RC_ASSERT(frontier_.finish(static_cast<std::int64_t>(open)));
      credits_.give_back(10);
      deliver(world_.deliveries[open].front());
    }
  }

  void finish() {
    calm_ = true;
    world_.throws.clear();
    world_.store.refusals.clear();
    world_.run();
    for (int round = 0; round < 200; ++round) {
      for (auto& [id, one] : world_.store.letters) {
        if (one.mark == dead_letter_mark::none) {
          one.mark = dead_letter_mark::retry;
        }
      }
      world_.sweep();
      world_.run();
    }
    RC_ASSERT(world_.store.letters.empty());
  }

  void check_effects(const entity_ref& entity) {
    const std::vector<addressed_ptr>& applied = world_.store.applied[entity];
    std::set<std::string> once;
    std::vector<std::string> arrivals;
    std::string state;
    std::int64_t version = 0;
    for (const addressed_ptr& one : applied) {
      RC_ASSERT(once.insert(one->id).second);
      if (one->version.has_value()) {
        RC_ASSERT(one->version->value > version);
        version = one->version->value;
      } else {
        arrivals.push_back(one->id);
      }
      state += one->contract->reads_state ? one->id : "";
    }
    RC_ASSERT(world_.store.rows[entity].state.value_or("") == state);
    std::vector<std::string> expected;
    for (const addressed_ptr& one : received_) {
      if (one->entity != entity) {
        continue;
      }
      const bool given_up = discarded_.contains(one->id) && !once.contains(one->id);
      if (!one->version.has_value() && !given_up) {
        expected.push_back(one->id);
      }
      // A skipped version is passed for good; all others take effect or were discarded.
      RC_ASSERT(
          (once.contains(one->id) || given_up || (one->version.has_value() && !shape_.parks)));
    }
    if (!shape_.parks) {
      std::sort(expected.begin(), expected.end());
      std::sort(arrivals.begin(), arrivals.end());
    }
    RC_ASSERT(arrivals == expected);
  }

  void check_counts() {
    const counts seen = world_.counted();
    std::uint64_t final_ones = 0;
    for (const outcome one : all_outcomes) {
      final_ones += one == outcome::parked ? 0 : seen.of(one);
    }
    RC_ASSERT(final_ones == seen.pairs);
    RC_ASSERT(seen.of(outcome::conflict) == 0U);
  }

  std::mt19937_64 random_;
  shape shape_;
  world world_;
  std::vector<addressed_ptr> plan_;
  std::vector<addressed_ptr> received_;  ///< in order of first receipt
  std::set<std::string> discarded_;
  std::vector<bool> finished_;
  frontier frontier_;
  credits credits_{1'000'000, 100'000'000};
  bool calm_ = false;
};

void holds_for(shape given) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  given.entities = *rc::gen::inRange<std::size_t>(1, 4);
  given.messages = *rc::gen::inRange(1, 40);
  schedule one(seed, given);
  one.run();
  one.check();
}

}  // namespace

TEST_CASE("whatever fails in whatever order, every message takes effect once and in its order") {
  property("a dead letter holds its entity", [] { holds_for({}); });
  property("memory is lost now and then", [] { holds_for({3, 30, true, true}); });
  property("a dead letter is passed by", [] { holds_for({3, 30, false, false}); });
}
