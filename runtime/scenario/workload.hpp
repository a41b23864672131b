#pragma once

#include "protocol/catalog.hpp"
#include "protocol/result.hpp"
#include "runtime/config/node_config.hpp"
#include "runtime/scenario/scenario_config.hpp"
#include "runtime/scenario/scenario_message.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pawl {

/// The distinct messages of a scenario, in the order in which they are published first: the
/// workloads' own orders, interleaved by the seed. The same seed, files and catalog give the same
/// bytes everywhere. `refused` for a type that the node file does not declare, or a file that can't
/// be read.
[[nodiscard]] result<std::vector<scenario_message>> make_workload(
    const scenario_config& scenario, std::span<const declared_message> declared,
    const catalog& tables, std::uint64_t seed);

}  // namespace pawl
