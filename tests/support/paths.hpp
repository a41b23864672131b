#pragma once

#include <string>

namespace pawl {

/// Where the repository's files are that tests read (configs, docs, examples).
[[nodiscard]] std::string test_root();
/// The program under test.
[[nodiscard]] std::string test_binary();

}  // namespace pawl
