#include "storage/memory_store.hpp"

#include "storage/memory_admin.hpp"
#include "storage/memory_commit.hpp"
#include "storage/memory_janitor.hpp"
#include "storage/memory_keeper.hpp"

#include <chrono>
#include <utility>

namespace pawl {
namespace {

constexpr int tables_version = 1;

error no_sql() {
  return {fault::refused, "sql", "the memory store has no SQL: use `sqlite:` or `postgresql:`"};
}

}  // namespace

memory_store::memory_store(std::function<store_time_ms()> now, std::shared_ptr<memory_disk> disk)
    : now_(std::move(now)), disk_(std::move(disk)) {}

status memory_store::create_table(memory_table table) {
  auto& definition = table.definition;
  for (auto& column : definition.columns) {
    if (column.type != column_type::integer && column.type != column_type::text) {
      return error{fault::refused, "type",
                   "column " + column.name + ": the memory store knows integer and text"};
    }
    column.sql_type = column.type == column_type::integer ? "bigint" : "text";
    column.canonical = true;
    column.has_default = table.defaults.contains(column.name);
  }
  for (const auto& [column, bound] : table.lower_bounds) {
    definition.checks.push_back({definition.name + "_" + column, {column}, true});
  }
  const std::unique_lock lock(disk_->mutex);
  if (disk_->tables.contains(definition.name)) {
    return error{fault::refused, "table", "there is a table " + definition.name + " already"};
  }
  auto name = definition.name;
  disk_->tables.emplace(std::move(name), std::make_unique<memory_rows>(std::move(table)));
  return {};
}

std::vector<std::vector<value>> memory_store::rows(std::string_view table) const {
  const std::unique_lock lock(disk_->mutex);
  const auto found = disk_->tables.find(table);
  return found == disk_->tables.end() ? std::vector<std::vector<value>>{}
                                      : found->second->committed();
}

result<int> memory_store::schema_version() { return tables_version; }
int memory_store::wanted_version() const noexcept { return tables_version; }
result<int> memory_store::migrate() { return 0; }

result<catalog> memory_store::read_catalog(std::span<const std::string> tables) {
  const std::unique_lock lock(disk_->mutex);
  catalog known;
  for (const auto& name : tables) {
    if (const auto found = disk_->tables.find(name); found != disk_->tables.end()) {
      known.tables.emplace(name, found->second->definition());
    }
  }
  return known;
}

result<std::vector<std::string>> memory_store::table_names() {
  const std::unique_lock lock(disk_->mutex);
  std::vector<std::string> names;
  for (const auto& [name, table] : disk_->tables) {
    names.push_back(name);
  }
  return names;
}

status memory_store::execute_script(const std::string& /*sql*/) { return no_sql(); }
result<query_rows> memory_store::query(const std::string& /*sql*/) { return no_sql(); }

result<memory_consumer*> memory_store::find(const std::string& consumer) {
  const std::unique_lock lock(disk_->mutex);
  auto* found = disk_->find(consumer);
  if (found == nullptr) {
    return error{fault::refused, "consumer", "consumer " + consumer + " has never run"};
  }
  return found;
}

result<std::unique_ptr<commit_session>> memory_store::open_commit(const commit_identity& identity,
                                                                  const catalog* /*tables*/) {
  auto consumer = find(identity.consumer);
  if (!consumer.ok()) {
    return consumer.error();
  }
  return std::unique_ptr<commit_session>(
      std::make_unique<memory_commit>(disk_, *consumer.value(), identity, now_));
}

result<std::unique_ptr<keeper_session>> memory_store::open_keeper() {
  return std::unique_ptr<keeper_session>(std::make_unique<memory_keeper>(disk_, now_));
}

result<std::unique_ptr<janitor_session>> memory_store::open_janitor(const std::string& consumer) {
  auto found = find(consumer);
  if (!found.ok()) {
    return found.error();
  }
  return std::unique_ptr<janitor_session>(std::make_unique<memory_janitor>(disk_, *found.value()));
}

result<std::unique_ptr<admin_session>> memory_store::open_admin(const std::string& consumer) {
  auto found = find(consumer);
  if (!found.ok()) {
    return found.error();
  }
  return std::unique_ptr<admin_session>(
      std::make_unique<memory_admin>(disk_, *found.value(), now_));
}

result<std::unique_ptr<store>> open_memory_store() {
  const auto now = [] {
    return static_cast<store_time_ms>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                          std::chrono::system_clock::now().time_since_epoch())
                                          .count());
  };
  return std::unique_ptr<store>(std::make_unique<memory_store>(now));
}

}  // namespace pawl
