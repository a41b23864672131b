#include "runtime/scenario/naive_consumer.hpp"
#include "runtime/scenario/probe_table.hpp"
#include "runtime/scenario/scenario_stage.hpp"

#include <chrono>
#include <utility>

namespace pawl {

result<consumer_report> run_naive(const scenario_stage& stage,
                                  const scenario_run_options& options) {
  auto opened =
      open_scenario_store(options.store_url, "naive", *stage.folder, stage.scenario, stage.node);
  if (!opened) {
    return opened.error();
  }
  const scenario_store& at = *opened;
  in_process_broker broker(stage.broker, stage.workload, stage.plan);
  std::uint32_t run = 0;
  crash_switch crashes(
      stage.scenario.faults.crash, [&] { return broker.counts().settled; },
      [&] { broker.end(run); });
  throw_plan throws(stage.seed, stage.scenario.faults.worker_throws, stage.node.retry.attempts,
                    stage.workload.size());
  progress_reporter progress(options, "naive", broker, crashes);

  consumer_report report;
  report.name = "naive";
  const auto begin = std::chrono::steady_clock::now();
  do {
    ++run;
    crashes.next_run();
    auto bound = bind_scenario_handlers(stage.node, at);
    if (!bound) {
      return bound.error();
    }
    add_probes(bound->handlers, *bound->shapes, throws, run);
    naive_setup setup;
    setup.database = at.database;
    setup.tables = at.tables;
    setup.shapes = bound->shapes;
    setup.handlers = bound->handlers;
    setup.consumer = stage.node.consumer;
    setup.type_path = stage.node.sources.front().type_path;
    setup.attempts = stage.node.retry.attempts;
    auto consumer = naive_consumer::start(setup, broker, crashes);
    if (!consumer) {
      return consumer.error();
    }
    if (auto ran = (*consumer)->run([&] { progress.maybe_report(); }); !ran) {
      return ran.error();
    }
    report.swallowed += (*consumer)->counts().swallowed;
  } while (crashes.has_struck());
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  progress.report();

  evidence found;
  found.deliveries = broker.records();
  auto probes = read_probes(*at.database);
  if (!probes) {
    return probes.error();
  }
  found.probes = std::move(*probes);
  report.broker = broker.counts();
  report.crashes = crashes.crashes();
  report.threw = throws.thrown();
  report.effects = found.probes.size();
  report.results = check_expectations(stage.expectations, *stage.truth, found, *at.database);
  return report;
}

}  // namespace pawl
