#pragma once

#include "protocol/shape_registry.hpp"
#include "storage/postgres_store.hpp"
#include "tests/support/postgres_database.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pawl::test {

/// The value, or the test ends with the error's text.
template <class T>
T take(result<T> given, const std::string& what) {
  if (!given) {
    throw std::runtime_error(what + ": " + given.error().code + " " + given.error().text);
  }
  return std::move(given).value();
}
inline void take(const status& given, const std::string& what) {
  if (!given) {
    throw std::runtime_error(what + ": " + given.error().code + " " + given.error().text);
  }
}

/// A store in a database of its own with tables of the test's, one consumer and one node that holds
/// its shards.
struct postgres_node {
  explicit postgres_node(const std::string& tables_sql = {},
                         const std::vector<std::string>& table_names = {});

  /// A session of the node that was registered last.
  [[nodiscard]] std::unique_ptr<commit_session> committer(std::uint32_t number = 0,
                                                          session_timeouts timeouts = {});
  /// Registers the node's name anew, as a restarted process would, and takes its leases.
  void restart();
  [[nodiscard]] const effect_shape* shape(effect_shape wanted) {
    return shapes.intern(std::move(wanted));
  }

  postgres_database database;
  std::unique_ptr<store> opened;
  std::unique_ptr<keeper_session> keeper;
  catalog tables;
  shape_registry shapes;
  node_registration node;
  std::vector<shard_grant> grants;
};

/// Runs one effect statement in a transaction of its own.
result<std::vector<row_verdict>> apply_alone(commit_session& session,
                                             const std::vector<shard_grant>& grants,
                                             const effect_statement& statement);

}  // namespace pawl::test
