#include "runtime/cli/console.hpp"

#include "runtime/config/database_file.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace pawl {
namespace {

std::string harmless(const std::string& text) {
  std::string shown;
  shown.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20U && c != '\n' && c != '\t') || byte == 0x7fU) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace

void console::line(const std::string& text) const {
  if (!json_) {
    fmt::print("{}\n", harmless(text));
  }
}

void console::as_it_is(const std::string& text) const {
  if (!json_) {
    fmt::print("{}", text);
  }
}

void console::document(const nlohmann::json& one) const {
  if (json_) {
    // Text from a message may be any bytes: what is not UTF-8 is shown replaced, never thrown at a
    // person.
    fmt::print("{}\n", one.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

exit_code console::fail(const error& why) const {
  fmt::print(stderr, "pawl: {}\n", harmless(why.text));
  document({{"error", why.text}});
  const bool may_pass = why.kind == fault::retry || why.kind == fault::contended;
  return may_pass ? exit_code::unreachable : exit_code::refused;
}

exit_code console::fail(const std::vector<config_problem>& problems) const {
  nlohmann::json all = nlohmann::json::array();
  for (const config_problem& one : problems) {
    fmt::print(stderr, "{}\n", to_text(one));
    all.push_back(to_text(one));
  }
  document({{"problems", all}});
  return exit_code::refused;
}

admin_access open_admin(const console& out, const std::string& file) {
  admin_access access;
  auto opened = open_node(file, process_environment());
  if (!opened.value.has_value()) {
    access.failed =
        opened.failure.has_value() ? out.fail(*opened.failure) : out.fail(opened.problems);
    return access;
  }
  if (auto missing = missing_database(opened.value->config)) {
    access.failed = out.fail({*missing});
    return access;
  }
  if (const status schema = require_schema(*opened.value); !schema.ok()) {
    access.failed = out.fail(schema.error());
    return access;
  }
  auto admin = opened.value->database->open_admin(opened.value->config.consumer);
  if (!admin.ok()) {
    access.failed = out.fail(admin.error());
    return access;
  }
  access.node = std::move(opened.value);
  access.admin = std::move(*admin);
  return access;
}

result<entity_ref> parse_entity(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) {
    return error{
        fault::refused, "entity",
        "`" + text + "` is not an entity; write its type and key as TYPE/KEY, like sku/A-1"};
  }
  return entity_ref{text.substr(0, slash), text.substr(slash + 1)};
}

std::string duration_text(std::int64_t ms) {
  constexpr std::int64_t second = 1000;
  constexpr std::int64_t minute = 60 * second;
  constexpr std::int64_t hour = 60 * minute;
  if (ms < minute) {
    return fmt::format("{} s", ms / second);
  }
  if (ms < 2 * hour) {
    return fmt::format("{} min", ms / minute);
  }
  if (ms < 48 * hour) {
    return fmt::format("{} h", ms / hour);
  }
  return fmt::format("{} days", ms / (24 * hour));
}

}  // namespace pawl
