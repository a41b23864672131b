#include "runtime/config/database_file.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace pawl {
namespace {

constexpr std::string_view sqlite_scheme = "sqlite:";

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

std::string script_beside(std::filesystem::path database, std::filesystem::path node_file) {
  for (std::filesystem::path* one : {&database, &node_file}) {
    one->replace_extension(".sql");
    if (is_there(*one)) {
      return one->string();
    }
  }
  return "YOUR-TABLES.sql";
}

}  // namespace

std::optional<config_problem> missing_database(const node_config& config) {
  if (!config.store_url.starts_with(sqlite_scheme)) {
    return std::nullopt;
  }
  const std::string file = config.store_url.substr(sqlite_scheme.size());
  if (is_there(file)) {
    return std::nullopt;
  }
  return config_problem{config.store_where, "there is no database file " + file,
                        "make it with your tables: pawl migrate " + config.file.string() +
                            " --setup " + script_beside(file, config.file)};
}

}  // namespace pawl
