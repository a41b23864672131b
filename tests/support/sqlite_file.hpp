#pragma once

#include "storage/sqlite_store.hpp"

#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace pawl_test {

/// The value of a result that must be one; its error's text ends the test.
template <class T>
T must(pawl::result<T> answer) {
  if (!answer.ok()) {
    throw std::runtime_error(answer.error().code + ": " + answer.error().text);
  }
  return std::move(answer).value();
}
inline void must(const pawl::status& done) {
  if (!done.ok()) {
    throw std::runtime_error(done.error().code + ": " + done.error().text);
  }
}

/// A SQLite file in a directory of its own, deleted at the end.
class sqlite_file {
 public:
  sqlite_file() {
    std::string name = (std::filesystem::temp_directory_path() / "pawl-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    directory_ = name;
  }
  ~sqlite_file() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  sqlite_file(const sqlite_file&) = delete;
  sqlite_file& operator=(const sqlite_file&) = delete;

  [[nodiscard]] std::string path() const { return (directory_ / "store.db").string(); }
  [[nodiscard]] std::unique_ptr<pawl::store> open() const {
    return must(pawl::open_sqlite_store(path()));
  }

 private:
  std::filesystem::path directory_;
};

/// A migrated file with one consumer of four shards whose leases this node has.
class sqlite_node {
 public:
  explicit sqlite_node(const std::string& setup = "", const std::vector<std::string>& tables = {})
      : store(file.open()) {
    must(store->migrate());
    if (!setup.empty()) {
      must(store->execute_script(setup));
    }
    catalog = must(store->read_catalog(tables));
    keeper = must(store->open_keeper());
    node =
        must(keeper->register_node({.consumer = "c", .shards = 4, .node = "a", .lease_ms = 60000}));
    grants = must(keeper->take_leases(node));
  }

  [[nodiscard]] std::unique_ptr<pawl::commit_session> open_commit(std::int64_t lock_ms = 2000) {
    pawl::commit_identity identity;
    identity.node = node;
    identity.consumer = "c";
    identity.timeouts.lock_ms = lock_ms;
    return must(store->open_commit(identity, &catalog));
  }
  /// Begins, and passes the fence.
  void begin(pawl::commit_session& session) {
    must(session.begin());
    if (!must(session.fence(grants)).empty()) {
      throw std::runtime_error("the fence is closed");
    }
  }
  /// The first column of the first row, `NULL` for NULL.
  std::string ask(const std::string& sql) {
    const auto answer = must(store->query(sql));
    return answer.rows.at(0).at(0).value_or("NULL");
  }

  sqlite_file file;
  std::unique_ptr<pawl::store> store;
  pawl::catalog catalog;
  std::unique_ptr<pawl::keeper_session> keeper;
  pawl::node_registration node;
  std::vector<pawl::shard_grant> grants;
};

}  // namespace pawl_test
