#pragma once

#include "actors/source.hpp"
#include "runtime/config/node_config.hpp"

#include <memory>

namespace pawl {

/// The source that a node file declares. `once`: a file ends at its end, and is not followed.
[[nodiscard]] std::unique_ptr<source> make_source(const source_config& declared, bool once);

}  // namespace pawl
