#include "runtime/scenario/run_scenario.hpp"

#include "runtime/scenario/scenario_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace pawl {
namespace {

status write_file(const std::filesystem::path& file, const std::string& text) {
  if (file.empty()) {
    return {};
  }
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    return error{fault::refused, "report", fmt::format("{} can't be written", file.string())};
  }
  return {};
}

}  // namespace

result<scenario_report> run_scenario(const std::string& file, const scenario_run_options& options) {
  auto set = set_stage(file, options);
  if (!set) {
    return set.error();
  }
  const scenario_stage& stage = **set;
  scenario_report report;
  report.name = stage.scenario.name;
  report.file = file;
  report.seed = stage.seed;
  report.store = stage.pawl_store.database->kind();
  report.broker = name_of(stage.broker.kind);
  report.messages = stage.workload.size();
  report.duplicates = static_cast<std::uint64_t>(
      std::count_if(stage.plan.begin(), stage.plan.end(),
                    [](const planned_delivery& one) { return one.duplicate; }));
  auto pawl = run_pawl(stage, options);
  if (!pawl) {
    return pawl.error();
  }
  report.consumers.push_back(std::move(*pawl));
  if (stage.scenario.compare_naive) {
    auto naive = run_naive(stage, options);
    if (!naive) {
      return naive.error();
    }
    report.consumers.push_back(std::move(*naive));
  }
  for (const auto& [path, text] : {std::pair(options.json, report_json(report)),
                                   std::pair(options.junit, report_junit(report))}) {
    if (auto written = write_file(path, text); !written) {
      return written.error();
    }
  }
  return report;
}

}  // namespace pawl
