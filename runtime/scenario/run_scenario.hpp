#pragma once

#include "actors/source.hpp"
#include "runtime/config/environment.hpp"
#include "runtime/scenario/scenario_report.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pawl {

/// How far one consumer is.
struct scenario_progress {
  std::string consumer;         ///< `pawl`, `naive`
  std::uint64_t settled = 0;    ///< publications finished
  std::uint64_t published = 0;  ///< in all
  std::uint64_t redeliveries = 0;
  std::uint64_t crashes = 0;
};

struct scenario_run_options {
  std::optional<std::uint64_t> seed;  ///< instead of the file's
  std::filesystem::path keep;         ///< folder in which the stores are left; empty: none are
  /// Instead of fresh SQLite files: an empty database for each consumer; `{consumer}` in it is
  /// replaced by the consumer's name.
  std::string store_url;
  std::filesystem::path json;  ///< report files; empty: none
  std::filesystem::path junit;
  environment_lookup environment;  ///< for `${NAME}`; empty: the process's
  /// Called every 100 ms or so on the caller's thread.
  std::function<void(const scenario_progress&)> progress;

  /// Put around Pawl's store and source: how tests switch guards off.
  std::function<std::shared_ptr<store>(std::shared_ptr<store>)> wrap_store;
  std::function<std::unique_ptr<source>(std::unique_ptr<source>)> wrap_source;
};

/// Runs a scenario file: the same seeded deliveries and faults through Pawl and, if it says so, a
/// naive consumer, each over a fresh store; then checks what must hold. `refused` with a text for a
/// person, a line for each problem, if it can't be run; a broken promise is no error but in the
/// report. Blocks; one thread.
[[nodiscard]] result<scenario_report> run_scenario(const std::string& file,
                                                   const scenario_run_options& options);

}  // namespace pawl
