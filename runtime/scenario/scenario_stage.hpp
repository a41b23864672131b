#pragma once

#include "runtime/scenario/crash_switch.hpp"
#include "runtime/scenario/expectations.hpp"
#include "runtime/scenario/run_scenario.hpp"
#include "runtime/scenario/scenario_store.hpp"

#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

namespace pawl {

/// Everything that all consumers of a scenario share: files read, messages and deliveries planned,
/// expected values worked out. Immutable while they run.
struct scenario_stage {
  scenario_config scenario;
  node_config node;
  std::uint64_t seed = 0;
  broker_options broker;
  std::vector<std::string> ignore_types;
  std::unique_ptr<scenario_folder> folder;
  scenario_store pawl_store;    ///< fresh; its catalog typed the workload
  scenario_handlers reference;  ///< bound to it: the truth's contracts are these
  std::vector<scenario_message> workload;
  std::vector<planned_delivery> plan;
  std::unique_ptr<ground_truth> truth;
  std::vector<prepared_expectation> expectations;
};

[[nodiscard]] result<std::unique_ptr<scenario_stage>> set_stage(
    const std::string& file, const scenario_run_options& options);

/// Says how far a consumer is, not too often.
class progress_reporter {
 public:
  progress_reporter(const scenario_run_options& options, std::string_view consumer,
                    const in_process_broker& broker, const crash_switch& crashes);
  void maybe_report();
  void report();

 private:
  const scenario_run_options& options_;
  std::string consumer_;
  const in_process_broker& broker_;
  const crash_switch& crashes_;
  std::chrono::steady_clock::time_point last_{};
};

/// Runs Pawl, over as many crashes as come.
[[nodiscard]] result<consumer_report> run_pawl(const scenario_stage& stage,
                                               const scenario_run_options& options);
/// Runs the naive consumer over the same deliveries.
[[nodiscard]] result<consumer_report> run_naive(const scenario_stage& stage,
                                                const scenario_run_options& options);

}  // namespace pawl
