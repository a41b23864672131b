#include "runtime/cli/commands.hpp"
#include "runtime/scenario/run_scenario.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace pawl {
namespace {

/// A line a second: written over on a terminal, a line each into a file.
class scenario_ticker {
 public:
  void show(const scenario_progress& at) {
    const std::uint64_t percent = at.published == 0 ? 0 : at.settled * 100 / at.published;
    if (at.consumer == consumer_ && percent / step() == percent_ / step()) {
      return;
    }
    consumer_ = at.consumer;
    percent_ = percent;
    fmt::print(stderr, "{}{}: {:3}% of {} deliveries, {} redelivered, {} crashes{}",
               terminal_ ? "\r\x1b[K" : "", at.consumer, percent, at.published, at.redeliveries,
               at.crashes, terminal_ ? "" : "\n");
    std::fflush(stderr);
    dirty_ = terminal_;
  }
  void clear() {
    if (std::exchange(dirty_, false)) {
      fmt::print(stderr, "\r\x1b[K");
    }
  }

 private:
  [[nodiscard]] std::uint64_t step() const { return terminal_ ? 1 : 25; }

  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool dirty_ = false;
  std::string consumer_;
  std::uint64_t percent_ = 0;
};

}  // namespace

exit_code command_run(const console& out, const run_arguments& given) {
  scenario_ticker ticker;
  scenario_run_options options;
  options.seed = given.seed;
  options.keep = given.keep;
  options.store_url = given.store;
  options.junit = given.junit;
  options.environment = process_environment();
  options.progress = [&ticker](const scenario_progress& at) { ticker.show(at); };
  const auto report = run_scenario(given.file, options);
  ticker.clear();
  if (!report.ok()) {
    return out.fail(report.error());
  }
  out.as_it_is(report_text(*report, isatty(STDOUT_FILENO) != 0) + '\n');
  if (out.json()) {
    out.document(nlohmann::json::parse(report_json(*report)));
  }
  return report->passed() ? exit_code::good : exit_code::failed;
}

}  // namespace pawl
