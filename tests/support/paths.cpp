#include "tests/support/paths.hpp"

namespace pawl {

std::string test_root() { return PAWL_TEST_ROOT; }
std::string test_binary() { return PAWL_TEST_BINARY; }

}  // namespace pawl
