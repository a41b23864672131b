#include "runtime/scenario/run_scenario.hpp"
#include "tests/check.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/scenario_files.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

// Each guard is switched off in turn, and the checker that watches over it must say no. With all of
// them on, over the same deliveries, every checker says yes.

namespace pawl {
namespace {

/// A small scenario in which every guard is needed.
const std::string small_scenario = R"(scenario: guards
seed: 11
node: ROOT/configs/stock.yaml
setup: ROOT/configs/stock.sql
broker: BROKER
workload:
  - generate: OrderPlaced
    count: 1500
    entities: 40
    skew: zipf
  - generate: StockCounted
    count: 600
    entities: 40
  - generate: ShipmentCreated
    count: 400
    entities: 40
faults:
  duplicate: 10%
  reorder: {share: 5%, distance: 30}
  lost_ack: LOST
  crash: {at: CRASH_POINT, every: 300}
expect:
  - effects_once
  - order_per_entity
  - nothing_lost
  - query: SELECT sum(reserved) FROM inventory
    equals: sum($.quantity)
  - query: SELECT count(*) FROM shipments
    equals: count()
    type: ShipmentCreated
)";

consumer_report run_small(const scenario_run_options& options,
                          const std::string& crash_point = "after_commit_before_ack") {
  // Only a log has a position to be written, and no acknowledgement to lose.
  const bool log = crash_point == "after_ack_before_position";
  std::string text = small_scenario;
  for (const auto& [name, instead] :
       std::vector<std::pair<std::string, std::string>>{{"ROOT", test_root()},
                                                        {"ROOT", test_root()},
                                                        {"BROKER", log ? "log" : "queue"},
                                                        {"LOST", log ? "0%" : "5%"},
                                                        {"CRASH_POINT", crash_point}}) {
    text.replace(text.find(name), name.size(), instead);
  }
  const scenario_files files;
  const auto report = run_scenario(files.write("guards.yaml", text), options);
  INFO((report ? std::string() : report.error().text));
  REQUIRE(report.ok());
  CHECK(report->consumers.at(0).crashes >= 1);
  return report->consumers.at(0);
}

bool holds(const consumer_report& report, const std::string& name) {
  const auto found = std::find_if(report.results.begin(), report.results.end(),
                                  [&](const auto& one) { return one.name == name; });
  REQUIRE(found != report.results.end());
  return found->answer.holds;
}

scenario_run_options with_store(forwarding_store::wrapper wrap) {
  scenario_run_options options;
  options.wrap_store = [wrap = std::move(wrap)](std::shared_ptr<store> inner) {
    return std::make_shared<forwarding_store>(std::move(inner), wrap);
  };
  return options;
}

template <class Session>
scenario_run_options with_session() {
  return with_store([](std::unique_ptr<commit_session> inner) {
    return std::make_unique<Session>(std::move(inner));
  });
}

/// Every message is new to this one.
class forgets_the_ledger : public forwarding_commit_session {
 public:
  using forwarding_commit_session::forwarding_commit_session;
  result<std::vector<std::optional<guard_trace>>> insert_ledger(
      std::span<const ledger_row> rows) override {
    return std::vector<std::optional<guard_trace>>(rows.size());
  }
};

/// Entities start anew whenever they are loaded.
class forgets_versions : public forwarding_commit_session {
 public:
  using forwarding_commit_session::forwarding_commit_session;
  result<std::vector<entity_answer>> load(std::span<const entity_query> queries) override {
    auto answers = forwarding_commit_session::load(queries);
    if (answers) {
      for (entity_answer& one : *answers) {
        one.entity.row = {};
      }
    }
    return answers;
  }
  result<std::vector<bool>> move_entities(std::span<const entity_write> writes) override {
    auto moved = forwarding_commit_session::move_entities(writes);
    if (moved) {
      moved->assign(writes.size(), true);
    }
    return moved;
  }
};

/// Says of every unique key that it was not there.
class forgets_unique_keys : public forwarding_commit_session {
 public:
  using forwarding_commit_session::forwarding_commit_session;
  result<std::vector<row_verdict>> apply(const effect_statement& statement) override {
    auto verdicts = forwarding_commit_session::apply(statement);
    if (verdicts) {
      verdicts->assign(verdicts->size(), row_verdict::written);
    }
    return verdicts;
  }
};

/// A source that passes everything on.
class forwarding_source : public source {
 public:
  explicit forwarding_source(std::unique_ptr<source> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] const std::string& name() const noexcept override { return inner_->name(); }
  [[nodiscard]] bool is_log() const noexcept override { return inner_->is_log(); }
  status start(std::span<const source_position> stored) override { return inner_->start(stored); }
  result<poll_answer> poll(const poll_limits& limits) override { return inner_->poll(limits); }
  void ack(std::span<const message_origin> finished) override { inner_->ack(finished); }
  [[nodiscard]] source_position stored_form(const std::string& partition,
                                            std::int64_t position) const override {
    return inner_->stored_form(partition, position);
  }
  [[nodiscard]] std::int64_t lag() const override { return inner_->lag(); }
  void stop() override { inner_->stop(); }

 private:
  std::unique_ptr<source> inner_;
};

/// Acknowledges what it has received and not what is finished.
class acks_at_once : public forwarding_source {
 public:
  using forwarding_source::forwarding_source;
  result<poll_answer> poll(const poll_limits& limits) override {
    auto answer = forwarding_source::poll(limits);
    if (answer) {
      for (const message_ptr& one : answer->messages) {
        forwarding_source::ack(std::span(&one->origin, 1));
      }
    }
    return answer;
  }
  void ack(std::span<const message_origin>) override {}
};

/// Hands each poll's messages over backwards.
class hands_over_backwards : public forwarding_source {
 public:
  using forwarding_source::forwarding_source;
  result<poll_answer> poll(const poll_limits& limits) override {
    auto answer = forwarding_source::poll(limits);
    if (answer) {
      std::reverse(answer->messages.begin(), answer->messages.end());
    }
    return answer;
  }
};

template <class Source>
scenario_run_options with_source() {
  scenario_run_options options;
  options.wrap_source = [](std::unique_ptr<source> inner) {
    return std::make_unique<Source>(std::move(inner));
  };
  return options;
}

}  // namespace

TEST_CASE("with every guard on, every checker says yes, wherever the crashes strike") {
  const auto point =
      GENERATE(as<std::string>(), "before_fence", "after_fence", "after_guards", "after_effects",
               "before_commit", "after_commit_before_ack", "after_ack_before_position");
  const consumer_report report = run_small({}, point);
  for (const expectation_result& one : report.results) {
    INFO(point << ": " << one.name << ": " << one.answer.got << " "
               << (one.answer.counterexamples.empty() ? "" : one.answer.counterexamples.front()));
    CHECK(one.answer.holds);
  }
}

TEST_CASE("without the ledger, effects happen twice and the sum is wrong") {
  const consumer_report report = run_small(with_session<forgets_the_ledger>());
  CHECK_FALSE(holds(report, "effects_once"));
  CHECK_FALSE(holds(report, "SELECT sum(reserved) FROM inventory"));
}

TEST_CASE("without versions, an entity goes backwards") {
  CHECK_FALSE(holds(run_small(with_session<forgets_versions>()), "order_per_entity"));
}

TEST_CASE("without unique guards, effects happen twice") {
  const consumer_report report = run_small(with_session<forgets_unique_keys>());
  CHECK_FALSE(holds(report, "effects_once"));
  CHECK(holds(report, "SELECT count(*) FROM shipments"));
}

TEST_CASE("acknowledging before the commit loses messages") {
  const consumer_report report = run_small(with_source<acks_at_once>(), "before_commit");
  CHECK_FALSE(holds(report, "nothing_lost"));
}

TEST_CASE("messages that are handed over in another order take effect out of order") {
  CHECK_FALSE(holds(run_small(with_source<hands_over_backwards>()), "order_per_entity"));
}

}  // namespace pawl
