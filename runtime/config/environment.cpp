#include "runtime/config/environment.hpp"

#include <cstdlib>

namespace pawl {

environment_lookup process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* found = std::getenv(name.c_str());
    return found == nullptr ? std::nullopt : std::optional<std::string>(found);
  };
}

}  // namespace pawl
