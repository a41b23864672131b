#pragma once

#include "actors/handler.hpp"
#include "protocol/shape_registry.hpp"
#include "runtime/config/node_config.hpp"
#include "runtime/scenario/scenario_config.hpp"
#include "storage/store.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// Where the stores of one scenario live: a new folder that is removed with its contents at the
/// end, or one that the caller keeps. A crash in a scenario ends the consumer and not the machine,
/// so a folder in memory will do where there is one with room.
class scenario_folder {
 public:
  /// `keep` empty: temporary. `refused` if it can't be made, or holds a store already.
  [[nodiscard]] static result<std::unique_ptr<scenario_folder>> make(
      const std::filesystem::path& keep);
  scenario_folder(const scenario_folder&) = delete;
  scenario_folder& operator=(const scenario_folder&) = delete;
  ~scenario_folder();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  scenario_folder(std::filesystem::path path, bool temporary);
  std::filesystem::path path_;
  bool temporary_;
};

/// A store with the user's tables and the probe table, as one consumer finds it.
struct scenario_store {
  std::shared_ptr<store> database;
  std::shared_ptr<const catalog> tables;
};

/// Opens the store of a consumer, fresh: migrated, `setup` run, probe table made. `url` empty: a
/// SQLite file in the folder; else `{consumer}` in it stands for the consumer's name.
[[nodiscard]] result<scenario_store> open_scenario_store(const std::string& url,
                                                         std::string_view consumer,
                                                         const scenario_folder& folder,
                                                         const scenario_config& scenario,
                                                         const node_config& node);

/// The node file's handlers, bound to a store.
struct scenario_handlers {
  std::shared_ptr<shape_registry> shapes;
  std::vector<handler_registration> handlers;
};
[[nodiscard]] result<scenario_handlers> bind_scenario_handlers(const node_config& node,
                                                               const scenario_store& at);

}  // namespace pawl
