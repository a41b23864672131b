// Many messages in one transaction do what one message a transaction would have done: the same
// rows, the same outcomes, whatever the batch.
#include "protocol/hash.hpp"
#include "tests/check.hpp"
#include "tests/support/shop.hpp"
#include "tests/support/sqlite_file.hpp"

#include <algorithm>
#include <set>

using namespace pawl;
using namespace pawl_test;

namespace {

/// One message, in small numbers, so that batches are full of repeats and a counterexample shrinks.
struct drawn {
  int batch = 0;
  int entity = 0;
  int id = 0;
  int content = 0;
  int policy = 0;
  int what = 0;
  std::vector<std::pair<int, int>> effects;  ///< which, and with what number
};

void showValue(const drawn& d, std::ostream& out) {
  out << "{batch " << d.batch << ", entity " << d.entity << ", id " << d.id << ", content "
      << d.content << ", policy " << d.policy << ", what " << d.what << ", effects";
  for (const auto& [which, number] : d.effects) {
    out << " (" << which << ", " << number << ")";
  }
  out << "}";
}

rc::Gen<drawn> a_message() {
  return rc::gen::build<drawn>(
      rc::gen::set(&drawn::batch, rc::gen::inRange(0, 3)),
      rc::gen::set(&drawn::entity, rc::gen::inRange(0, 5)),
      rc::gen::set(&drawn::id, rc::gen::inRange(0, 6)),
      rc::gen::set(&drawn::content, rc::gen::weightedElement<int>({{6, 0}, {1, 1}})),
      rc::gen::set(&drawn::policy, rc::gen::inRange(0, 5)),
      rc::gen::set(&drawn::what, rc::gen::weightedElement<int>(
                                     {{16, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {2, 5}})),
      rc::gen::set(&drawn::effects,
                   rc::gen::container<std::vector<std::pair<int, int>>>(
                       3, rc::gen::pair(rc::gen::inRange(0, 11), rc::gen::inRange(-3, 9)))));
}

/// One of two shops that are given the same messages.
class twin {
 public:
  twin(std::unique_ptr<store_fixture> fixture, shop_options options)
      : at_(std::move(fixture), options) {}

  void use_names(std::string prefix) { prefix_ = std::move(prefix); }

  /// Commits one batch; what became of its parts, in words.
  std::vector<std::string> commit(const std::vector<drawn>& messages, int batch) {
    std::vector<commit_part> parts;
    for (int entity = 0; entity < 5; ++entity) {
      std::vector<commit_item> items;
      const auto before = at_.load(name("e", entity)).row;
      auto row = before;
      for (const auto& each : messages) {
        if (each.batch == batch && each.entity == entity) {
          items.push_back(item(each, row));
        }
      }
      if (!items.empty()) {
        parts.push_back(at_.part(std::move(items), before));
      }
    }
    std::vector<std::string> words;
    for (const auto& answer : at_.commit(parts)) {
      words.push_back(std::to_string(static_cast<int>(answer.status)));
      for (const auto outcome : answer.outcomes) {
        words.back() += " " + std::string(name_of(outcome));
      }
    }
    return words;
  }

  /// Every row that this run's names appear in, the user's and Pawl's.
  std::vector<std::string> rows(const std::vector<drawn>& messages) {
    std::vector<std::string> all;
    for (const auto* table : {"stock", "shipments", "totals", "labels"}) {
      for (const auto& row : at_.fixture().rows(table)) {
        if (row.front().starts_with(prefix_)) {
          std::string text = table;
          for (const auto& cell : row) {
            text += "|" + cell;
          }
          all.push_back(std::move(text));
        }
      }
    }
    for (int entity = 0; entity < 5; ++entity) {
      all.push_back(entity_text(name("e", entity)));
    }
    std::set<ledger_key> keys;
    for (const auto& each : messages) {
      keys.insert(make_ledger_key("c", {"sku", name("e", each.entity)}, id_of(each)));
    }
    auto admin = at_.fixture().open_admin();
    for (const auto& key : keys) {
      all.push_back(trace_text(must(admin->trace(key))));
    }
    return all;
  }

 private:
  std::string name(const std::string& of, int number) const {
    return prefix_ + of + std::to_string(number);
  }

  /// Messages that have read state come once: else the part would be reloaded, which is the
  /// caller's to repeat.
  static std::string id_of(const drawn& d) {
    return (d.what == 5 ? "once " + std::to_string(d.batch) + "/" : "id ") + std::to_string(d.id);
  }

  commit_item item(const drawn& d, entity_row& row) {
    static constexpr std::array policies{policies::ledger, policies::natural, policies::unique,
                                         policies::latest, policies::sequence};
    auto pair_policy = policies.at(static_cast<std::size_t>(d.policy));
    const bool once = d.what == 5;
    const bool first = !once || used_.insert({d.entity, id_of(d) + prefix_}).second;
    if (once) {
      pair_policy = policies::ledger;
    }
    const auto pair = pair_of(pair_policy, {.entity = name("e", d.entity),
                                            .id = id_of(d),
                                            .content = d.content == 0 ? "x" : "y",
                                            .version = row.revision.value + 1});
    commit_item made = shop::apply(pair, {});
    switch (d.what) {
      case 1:
        return shop::dead(pair);
      case 2:
        return shop::park(pair);
      case 3:
        made.what = disposition::discard;
        return made;
      case 4:
        made.what = disposition::settle;
        made.settled = d.content == 0 ? outcome::stale : outcome::conflict;
        return made;
      default:
        break;
    }
    made.effects = effects(d, pair_policy);
    if (once && first) {
      made.decided_fresh = true;
      ++row.revision.value;
      row.state = row.state.value_or("") + std::to_string(d.id);
      made.after = row;
    }
    return made;
  }

  std::vector<effect> effects(const drawn& d, policy pair) {
    std::vector<effect> all;
    if (pair == policies::unique) {
      all.push_back(at_.ship(name("o", d.id % 2), name("s", d.content), d.id % 3));
    }
    for (const auto& [which, number] : d.effects) {
      auto made = one_effect(d, which, number);
      if (allows(pair, made.shape->kind)) {
        all.push_back(std::move(made));
      }
    }
    return all;
  }

  effect one_effect(const drawn& d, int which, int number) {
    const auto own = name("e", d.entity);
    const auto shared = name("t", number % 2);
    switch (which) {
      case 0:
        return at_.reserve(own, number);
      case 1:
        return at_.receive(own, number);
      case 2:
        return at_.count(own, number);
      case 3:
        return at_.note(own, number < 0 ? value::null() : value::text(std::to_string(number)));
      case 4:
        return at_.forget(number < 5 ? own : name("e", number - 4));
      case 5:
      case 6:
        return at_.total(shared, number * 15);
      case 7:
        return at_.label(name("l", d.id % 3), number < -1 ? "" : name("x", number % 4));
      case 8:
        return at_.ship(name("o", number), own, number);
      case 9:
        return at_.make({effect_kind::upsert, "totals", {"name"}, {"amount"}},
                        {value::text(shared), value::integer(number * 50)});
      default:
        return at_.make({effect_kind::set, "labels", {"id"}, {"label"}},
                        {value::text(name("l", d.id % 3)),
                         number < 0 ? value::null() : value::text(name("x", number % 4))});
    }
  }

  std::string entity_text(const std::string& key) {
    const auto loaded = at_.load(key);
    std::string text = "entity " + std::to_string(loaded.row.revision.value) + " " +
                       loaded.row.state.value_or("-") + " parked";
    for (const auto& row :
         must(at_.session().load_parked({"sku", key}, park_reason::behind_dead, 100))) {
      text += " " + to_hex(row.key);
    }
    return text;
  }

  static std::string trace_text(const message_traces& trace) {
    std::string text = "trace";
    if (trace.ledger) {
      text += " ledger " + std::to_string(trace.ledger->content.value);
    }
    if (trace.parked) {
      text += " parked " + std::to_string(trace.parked->content.value);
    }
    std::vector<std::string> letters;
    for (const auto& letter : trace.dead_letters) {
      letters.push_back(" " + letter.reason + " " + std::to_string(letter.content.value) + " x" +
                        std::to_string(letter.count));
    }
    std::sort(letters.begin(), letters.end());
    for (const auto& letter : letters) {
      text += letter;
    }
    return text;
  }

  shop at_;
  std::string prefix_;
  std::set<std::pair<int, std::string>> used_;
};

template <class Kind>
void compare(const std::string& sentence, bool declared) {
  // Both see all the cases, each under names of its own: making stores is what takes long.
  twin grouped(Kind::open(shop_tables()), {.grouped = true, .declared = declared});
  twin single(Kind::open(shop_tables()), {.grouped = false, .declared = declared});
  int run = 0;
  const auto check = [&] {
    const auto messages = *rc::gen::resize(30, rc::gen::container<std::vector<drawn>>(a_message()));
    const auto prefix = "r" + std::to_string(++run) + " ";
    grouped.use_names(prefix);
    single.use_names(prefix);
    for (int batch = 0; batch < 3; ++batch) {
      RC_ASSERT(grouped.commit(messages, batch) == single.commit(messages, batch));
    }
    RC_ASSERT(grouped.rows(messages) == single.rows(messages));
  };
  property(sentence, check, Kind::percent_of_cases);
}

}  // namespace

STORE_TEST_CASE("a grouped commit leaves the rows and outcomes of one message a transaction") {
  compare<TestType>("with shapes that are met on the way", false);
}

STORE_TEST_CASE(
    "a grouped commit equals single ones where the shapes are declared, and the stock "
    "is private") {
  compare<TestType>("with declared shapes", true);
}
