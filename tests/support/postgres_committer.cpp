#include "tests/support/postgres_committer.hpp"

namespace pawl::test {

postgres_node::postgres_node(const std::string& tables_sql,
                             const std::vector<std::string>& table_names) {
  opened = take(open_postgres_store(database.url()), "open");
  take(opened->migrate(), "migrate");
  if (!tables_sql.empty()) {
    take(opened->execute_script(tables_sql), "tables");
  }
  tables = take(opened->read_catalog(table_names), "catalog");
  keeper = take(opened->open_keeper(), "keeper");
  restart();
}

void postgres_node::restart() {
  node = take(keeper->register_node({"stock", 4, "node-1", 5000}), "register");
  grants = take(keeper->take_leases(node), "leases");
}

std::unique_ptr<commit_session> postgres_node::committer(std::uint32_t number,
                                                         session_timeouts timeouts) {
  return take(opened->open_commit({node, "stock", number, timeouts}, &tables), "session");
}

result<std::vector<row_verdict>> apply_alone(commit_session& session,
                                             const std::vector<shard_grant>& grants,
                                             const effect_statement& statement) {
  take(session.begin(), "begin");
  take(session.fence(grants), "fence");
  auto applied = session.apply(statement);
  if (applied) {
    take(session.check_constraints(), "constraints");
    take(session.commit(), "commit");
  } else {
    session.rollback();
  }
  return applied;
}

}  // namespace pawl::test
