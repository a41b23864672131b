#pragma once

#include "runtime/config/environment.hpp"
#include "runtime/config/problem.hpp"
#include "runtime/scenario/scenario_config.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// A scenario file as far as it could be read. `config` is there only if there are no problems.
struct scenario_file {
  std::optional<scenario_config> config;
  std::vector<config_problem> problems;  ///< by place in the file
};

/// A fault that can't happen with a kind of broker.
struct fault_refusal {
  std::string_view option;
  std::string what;
  std::string fix;
};

/// Nothing if the broker can have all of these faults.
[[nodiscard]] std::optional<fault_refusal> refuse_faults(const fault_config& faults,
                                                         broker_kind broker);

/// Reads a scenario file; neither its node file nor any other is touched.
[[nodiscard]] scenario_file read_scenario_file(const std::string& file,
                                               const environment_lookup& environment);

/// The same for a text in memory that calls itself `file`.
[[nodiscard]] scenario_file parse_scenario_file(const std::string& file, std::string_view text,
                                                const environment_lookup& environment);

}  // namespace pawl
