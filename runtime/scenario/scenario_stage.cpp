#include "runtime/scenario/scenario_stage.hpp"

#include "runtime/config/node_file.hpp"
#include "runtime/scenario/scenario_file.hpp"
#include "runtime/scenario/workload.hpp"

#include <fmt/format.h>

#include <utility>

namespace pawl {
namespace {

constexpr std::chrono::milliseconds report_interval{100};

/// Fills in a stage, step by step.
class stage_builder {
 public:
  stage_builder(const std::string& file, const scenario_run_options& options)
      : file_(file),
        options_(options),
        environment_(options.environment ? options.environment : process_environment()),
        stage_(std::make_unique<scenario_stage>()) {}

  result<std::unique_ptr<scenario_stage>> build() {
    for (auto step :
         {&stage_builder::read_files, &stage_builder::open_store, &stage_builder::plan_messages}) {
      if (auto done = (this->*step)(); !done) {
        return done.error();
      }
    }
    return std::move(stage_);
  }

 private:
  status read_files() {
    auto scenario = read_scenario_file(file_, environment_);
    if (!scenario.config) {
      return refuse(to_text(scenario.problems));
    }
    stage_->scenario = std::move(*scenario.config);
    auto node = read_node_file(stage_->scenario.node.string(), environment_);
    if (!node.config) {
      return refuse(to_text(node.problems));
    }
    stage_->node = std::move(*node.config);
    stage_->seed = options_.seed.value_or(stage_->scenario.seed);
    choose_broker();
    if (const auto wrong = refuse_faults(stage_->scenario.faults, stage_->broker.kind)) {
      return refuse(fmt::format("{}: `{}`: {} (the declared source is a {}); {}", file_,
                                wrong->option, wrong->what, name_of(stage_->broker.kind),
                                wrong->fix));
    }
    return {};
  }

  void choose_broker() {
    const source_config& declared = stage_->node.sources.front();
    stage_->broker.source = declared.name;
    stage_->broker.kind = stage_->scenario.broker.value_or(
        declared.kind == source_kind::file ? broker_kind::log : broker_kind::queue);
    for (const source_config& one : stage_->node.sources) {
      stage_->ignore_types.insert(stage_->ignore_types.end(), one.ignore_types.begin(),
                                  one.ignore_types.end());
    }
  }

  status open_store() {
    const std::string& url = options_.store_url;
    if (stage_->scenario.compare_naive && !url.empty() && url != "memory:" &&
        url.find("{consumer}") == std::string::npos) {
      return refuse(
          fmt::format("`{}`: two consumers are compared and each needs an empty store; "
                      "write {{consumer}} where their names should stand",
                      url));
    }
    auto folder = scenario_folder::make(options_.keep);
    if (!folder) {
      return folder.error();
    }
    stage_->folder = std::move(*folder);
    auto opened = open_scenario_store(url, "pawl", *stage_->folder, stage_->scenario, stage_->node);
    if (!opened) {
      return opened.error();
    }
    stage_->pawl_store = std::move(*opened);
    auto bound = bind_scenario_handlers(stage_->node, stage_->pawl_store);
    if (!bound) {
      return bound.error();
    }
    stage_->reference = std::move(*bound);
    return {};
  }

  status plan_messages() {
    auto made = make_workload(stage_->scenario, stage_->node.messages, *stage_->pawl_store.tables,
                              stage_->seed);
    if (!made) {
      return made.error();
    }
    stage_->workload = std::move(*made);
    stage_->plan = plan_deliveries(stage_->workload.size(), stage_->scenario.faults, stage_->seed);
    const decoder_config decoding = reference_decoding();
    stage_->truth =
        std::make_unique<ground_truth>(stage_->workload, decoding, stage_->broker.source);
    auto expected = prepare_expectations(stage_->scenario, stage_->workload, decoding);
    if (!expected) {
      return expected.error();
    }
    stage_->expectations = std::move(*expected);
    return {};
  }

  [[nodiscard]] decoder_config reference_decoding() const {
    decoder_config config;
    config.consumer = stage_->node.consumer;
    config.type_path = stage_->node.sources.front().type_path;
    for (const handler_registration& one : stage_->reference.handlers) {
      config.contracts.push_back(one.contract.get());
    }
    return config;
  }

  static error refuse(std::string text) { return {fault::refused, "scenario", std::move(text)}; }

  const std::string& file_;
  const scenario_run_options& options_;
  environment_lookup environment_;
  std::unique_ptr<scenario_stage> stage_;
};

}  // namespace

result<std::unique_ptr<scenario_stage>> set_stage(const std::string& file,
                                                  const scenario_run_options& options) {
  return stage_builder(file, options).build();
}

progress_reporter::progress_reporter(const scenario_run_options& options, std::string_view consumer,
                                     const in_process_broker& broker, const crash_switch& crashes)
    : options_(options), consumer_(consumer), broker_(broker), crashes_(crashes) {}

void progress_reporter::maybe_report() {
  if (std::chrono::steady_clock::now() - last_ >= report_interval) {
    report();
  }
}

void progress_reporter::report() {
  last_ = std::chrono::steady_clock::now();
  if (options_.progress) {
    const broker_counts counts = broker_.counts();
    options_.progress(
        {consumer_, counts.settled, counts.published, counts.redeliveries, crashes_.crashes()});
  }
}

}  // namespace pawl
