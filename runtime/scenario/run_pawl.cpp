#include "runtime/node.hpp"
#include "runtime/scenario/broker_source.hpp"
#include "runtime/scenario/probe_table.hpp"
#include "runtime/scenario/scenario_stage.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace pawl {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds step{20};
constexpr std::chrono::seconds stall_max{60};
constexpr std::chrono::seconds drain_max{10};

/// Pawl over one set of deliveries: a runtime, and another over the same store after each crash.
class pawl_runs {
 public:
  pawl_runs(const scenario_stage& stage, const scenario_run_options& options)
      : stage_(stage),
        options_(options),
        broker_(std::make_shared<in_process_broker>(stage.broker, stage.workload, stage.plan)),
        crashes_(
            stage.scenario.faults.crash, [this] { return broker_->counts().settled; },
            [this] { broker_->end(run_); }),
        throws_(stage.seed, stage.scenario.faults.worker_throws, stage.node.retry.attempts,
                stage.workload.size()),
        progress_(options, "pawl", *broker_, crashes_) {
    database_ = options.wrap_store ? options.wrap_store(stage.pawl_store.database)
                                   : stage.pawl_store.database;
  }

  result<consumer_report> run() {
    const auto begin = clock::now();
    for (bool finished = false; !finished;) {
      auto done = run_once();
      if (!done) {
        return done.error();
      }
      finished = *done;
    }
    report_.seconds = std::chrono::duration<double>(clock::now() - begin).count();
    progress_.report();
    return check();
  }

 private:
  /// Until everything is finished (true) or a crash strikes (false).
  result<bool> run_once() {
    ++run_;
    crashes_.next_run();
    auto config = configure();
    if (!config) {
      return config.error();
    }
    auto started = runtime::start(std::move(*config));
    if (!started) {
      return started.error();
    }
    runtime& node = **started;
    auto outcome = watch(node);
    add_counts(node.count());
    if (outcome && *outcome) {
      if (!node.drain(drain_max)) {
        return failed("everything was finished, but the runtime did not stop");
      }
    } else {
      node.abandon();
    }
    return outcome;
  }

  result<bool> watch(runtime& node) {
    std::uint64_t settled = 0;
    auto moved = clock::now();
    for (;;) {
      const bool finished = node.wait_finished(step);
      progress_.maybe_report();
      if (crashes_.has_struck()) {
        return false;
      }
      if (finished) {
        return true;
      }
      if (const runtime_end end = node.ended(); !end.text.empty()) {
        return failed(end.text);
      }
      if (const std::uint64_t now = broker_->counts().settled; now != settled) {
        settled = now;
        moved = clock::now();
      } else if (clock::now() - moved > stall_max) {
        return failed(stalled(node));
      }
    }
  }

  [[nodiscard]] std::string stalled(const runtime& node) const {
    std::string text =
        fmt::format("nothing moved for {} s, {} of {} publications finished", stall_max.count(),
                    broker_->counts().settled, broker_->counts().published);
    for (const alarm& raised : node.alarms()) {
      text += fmt::format("; alarm {}: {}", raised.name, raised.text);
    }
    return text;
  }

  static error failed(std::string text) {
    return {fault::refused, "runtime", "pawl: " + std::move(text)};
  }

  result<runtime_config> configure() {
    auto bound = bind_scenario_handlers(stage_.node, stage_.pawl_store);
    if (!bound) {
      return bound.error();
    }
    add_probes(bound->handlers, *bound->shapes, throws_, run_);
    runtime_config config = runtime_options(stage_.node);
    config.node_name = "scenario";
    config.database = database_;
    config.tables = stage_.pawl_store.tables;
    config.shapes = std::move(bound->shapes);
    config.handlers = std::move(bound->handlers);
    config.at_fault_point = [this](fault_point point) { return crashes_.reached(point); };
    std::unique_ptr<source> from = std::make_unique<broker_source>(broker_);
    if (options_.wrap_source) {
      from = options_.wrap_source(std::move(from));
    }
    config.sources.push_back(
        {std::move(from), stage_.ignore_types, stage_.node.sources.front().type_path});
    return config;
  }

  void add_counts(const counts& seen) {
    for (std::size_t at = 0; at < report_.outcomes.size(); ++at) {
      report_.outcomes[at] += seen.outcomes[at];
    }
  }

  result<consumer_report> check() {
    evidence found;
    found.deliveries = broker_->records();
    auto probes = read_probes(*stage_.pawl_store.database);
    if (!probes) {
      return probes.error();
    }
    found.probes = std::move(*probes);
    if (auto read =
            read_traces(*stage_.pawl_store.database, stage_.node.consumer, *stage_.truth, found);
        !read) {
      return read.error();
    }
    report_.name = "pawl";
    report_.broker = broker_->counts();
    report_.crashes = crashes_.crashes();
    report_.threw = throws_.thrown();
    report_.effects = found.probes.size();
    report_.results =
        check_expectations(stage_.expectations, *stage_.truth, found, *stage_.pawl_store.database);
    return std::move(report_);
  }

  const scenario_stage& stage_;
  const scenario_run_options& options_;
  std::shared_ptr<in_process_broker> broker_;
  std::uint32_t run_ = 0;
  crash_switch crashes_;
  throw_plan throws_;
  progress_reporter progress_;
  std::shared_ptr<store> database_;
  consumer_report report_;
};

}  // namespace

result<consumer_report> run_pawl(const scenario_stage& stage, const scenario_run_options& options) {
  return pawl_runs(stage, options).run();
}

}  // namespace pawl
