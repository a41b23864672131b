#include "runtime/scenario/scenario_store.hpp"

#include "runtime/config/bind.hpp"
#include "runtime/scenario/probe_table.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace pawl {
namespace {

constexpr std::string_view consumer_placeholder = "{consumer}";
constexpr const char* memory_folder = "/dev/shm";
constexpr std::uintmax_t memory_folder_bytes_min = 1U << 30U;

std::filesystem::path temporary_base() {
  std::error_code failed;
  const auto space = std::filesystem::space(memory_folder, failed);
  if (!failed && space.available >= memory_folder_bytes_min) {
    return memory_folder;
  }
  return std::filesystem::temp_directory_path();
}

result<std::string> read_script(const std::filesystem::path& file, const file_position& where) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) {
    return error{fault::refused, "setup",
                 fmt::format("{}: `setup`: {} can't be read", to_text(where), file.string())};
  }
  return text.str();
}

std::string url_of(const std::string& wanted, std::string_view consumer,
                   const scenario_folder& folder) {
  if (wanted.empty()) {
    return fmt::format("sqlite:{}/{}.db", folder.path().string(), consumer);
  }
  std::string url = wanted;
  if (const auto at = url.find(consumer_placeholder); at != std::string::npos) {
    url.replace(at, consumer_placeholder.size(), consumer);
  }
  return url;
}

status prepare(store& database, const scenario_config& scenario) {
  if (auto migrated = database.migrate(); !migrated) {
    return migrated.error();
  }
  if (!scenario.setup.empty()) {
    const auto script = read_script(scenario.setup, scenario.where);
    if (!script) {
      return script.error();
    }
    if (auto ran = database.execute_script(*script); !ran) {
      return error{fault::refused, "setup",
                   fmt::format("{}: {} (`setup` runs in a fresh store; for another kind of "
                               "database than SQLite give an empty one with --store)",
                               scenario.setup.string(), ran.error().text)};
    }
  }
  return database.execute_script(probe_table_script(database.kind()));
}

}  // namespace

scenario_folder::scenario_folder(std::filesystem::path path, bool temporary)
    : path_(std::move(path)), temporary_(temporary) {}

result<std::unique_ptr<scenario_folder>> scenario_folder::make(const std::filesystem::path& keep) {
  std::error_code failed;
  if (!keep.empty()) {
    std::filesystem::create_directories(keep, failed);
    if (failed) {
      return error{fault::refused, "keep",
                   fmt::format("{} can't be made: {}", keep.string(), failed.message())};
    }
    for (const auto& entry : std::filesystem::directory_iterator(keep, failed)) {
      if (entry.path().extension() == ".db") {
        return error{fault::refused, "keep",
                     fmt::format("{} is there already: name a folder without stores in it",
                                 entry.path().string())};
      }
    }
    return std::unique_ptr<scenario_folder>(new scenario_folder(keep, false));
  }
  std::string name = (temporary_base() / "pawl-scenario-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    return error{fault::refused, "keep",
                 fmt::format("no temporary folder can be made in {}", temporary_base().string())};
  }
  return std::unique_ptr<scenario_folder>(new scenario_folder(name, true));
}

scenario_folder::~scenario_folder() {
  if (temporary_) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
}

result<scenario_store> open_scenario_store(const std::string& url, std::string_view consumer,
                                           const scenario_folder& folder,
                                           const scenario_config& scenario,
                                           const node_config& node) {
  auto opened = open_store(url_of(url, consumer, folder));
  if (!opened) {
    return opened.error();
  }
  scenario_store fresh;
  fresh.database = std::move(*opened);
  if (auto prepared = prepare(*fresh.database, scenario); !prepared) {
    return prepared.error();
  }
  std::vector<std::string> tables = tables_of(node);
  tables.emplace_back(probe_table);
  auto read = fresh.database->read_catalog(tables);
  if (!read) {
    return read.error();
  }
  fresh.tables = std::make_shared<const catalog>(std::move(*read));
  return fresh;
}

result<scenario_handlers> bind_scenario_handlers(const node_config& node,
                                                 const scenario_store& at) {
  scenario_handlers bound;
  bound.shapes = std::make_shared<shape_registry>();
  const auto names = at.database->table_names();
  if (!names) {
    return names.error();
  }
  auto made =
      bind_handlers(node, {at.tables.get(), bound.shapes.get(), *names, at.database->kind()});
  if (!made.problems.empty()) {
    return error{fault::refused, "node", to_text(made.problems)};
  }
  bound.handlers = std::move(made.handlers);
  return bound;
}

}  // namespace pawl
