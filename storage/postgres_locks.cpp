#include "storage/postgres_locks.hpp"

#include <algorithm>
#include <vector>

namespace pawl {

namespace {

std::string keys_of(node_number node) {
  return std::to_string(postgres_fence_class) + ", " + std::to_string(node.value);
}

}  // namespace

std::string share_fence_sql(node_number node) {
  return "SELECT pg_advisory_xact_lock_shared(" + keys_of(node) + ")";
}

status take_fences(postgres_connection& connection, std::span<const node_number> nodes) {
  std::vector<node_number> ordered(nodes.begin(), nodes.end());
  std::sort(ordered.begin(), ordered.end());
  for (const node_number node : ordered) {
    if (auto taken = connection.exec("SELECT pg_advisory_xact_lock(" + keys_of(node) + ")");
        !taken) {
      return taken.error();
    }
  }
  return {};
}

status end_sessions_of(postgres_connection& connection, node_number node) {
  auto ended = connection.exec(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = "
      "(SELECT oid FROM pg_database WHERE datname = current_database()) AND classid::bigint = " +
      std::to_string(postgres_fence_class) + " AND objid::bigint = " + std::to_string(node.value) +
      " AND objsubid = 2 AND pid <> pg_backend_pid()");
  if (!ended) {
    return ended.error();
  }
  return {};
}

}  // namespace pawl
