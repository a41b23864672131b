#include "runtime/log.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace pawl {
namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> made = [] {
    auto fresh =
        std::make_shared<spdlog::logger>("pawl", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    fresh->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    fresh->flush_on(spdlog::level::info);
    return fresh;
  }();
  return *made;
}

std::string escaped(const std::string& text) {
  std::string shown;
  shown.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20U || byte == 0x7fU) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace

void log_info(const std::string& text) { logger().info("{}", escaped(text)); }
void log_warning(const std::string& text) { logger().warn("{}", escaped(text)); }
void log_error(const std::string& text) { logger().error("{}", escaped(text)); }

}  // namespace pawl
