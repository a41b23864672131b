#pragma once

#include "storage/memory_disk.hpp"
#include "storage/memory_table.hpp"
#include "storage/store.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pawl {

/// A store in memory: the oracle of the contract tests and the simulator's disk. It has the small
/// catalog of `memory_table` and no SQL; tables are made by `create_table`. One writer at a time.
/// Its disk outlives it: a second store over the same disk is the database after a crash.
class memory_store final : public store {
 public:
  explicit memory_store(std::function<store_time_ms()> now,
                        std::shared_ptr<memory_disk> disk = std::make_shared<memory_disk>());

  /// Makes a table of the user's; `refused` if the name is taken or a column's type is neither
  /// integer nor text. Before any transaction.
  status create_table(memory_table table);
  /// Committed rows, cells in the order of the table's columns, sorted.
  [[nodiscard]] std::vector<std::vector<value>> rows(std::string_view table) const;
  [[nodiscard]] const std::shared_ptr<memory_disk>& disk() const noexcept { return disk_; }

  [[nodiscard]] std::string_view kind() const noexcept override { return "memory"; }
  [[nodiscard]] bool folds() const noexcept override { return false; }
  [[nodiscard]] bool parallel_commits() const noexcept override { return false; }
  result<int> schema_version() override;
  [[nodiscard]] int wanted_version() const noexcept override;
  result<int> migrate() override;
  result<catalog> read_catalog(std::span<const std::string> tables) override;
  result<std::vector<std::string>> table_names() override;
  status execute_script(const std::string& sql) override;
  result<query_rows> query(const std::string& sql) override;
  result<std::unique_ptr<commit_session>> open_commit(const commit_identity& identity,
                                                      const catalog* tables) override;
  result<std::unique_ptr<keeper_session>> open_keeper() override;
  result<std::unique_ptr<janitor_session>> open_janitor(const std::string& consumer) override;
  result<std::unique_ptr<admin_session>> open_admin(const std::string& consumer) override;

 private:
  result<memory_consumer*> find(const std::string& consumer);

  std::function<store_time_ms()> now_;
  std::shared_ptr<memory_disk> disk_;
};

/// An empty memory store under the system's clock.
[[nodiscard]] result<std::unique_ptr<store>> open_memory_store();

}  // namespace pawl
