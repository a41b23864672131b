#pragma once

#include "storage/memory_table.hpp"
#include "storage/store.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pawl_test {

/// A fresh store with the user's tables and one consumer whose leases this node has. The same tests
/// run over every kind: tables are given in the memory store's terms, and become SQL elsewhere.
class store_fixture {
 public:
  static constexpr std::uint32_t shards = 4;

  virtual ~store_fixture() = default;

  [[nodiscard]] pawl::store& store() { return *store_; }
  [[nodiscard]] const pawl::catalog& tables() const { return catalog_; }
  [[nodiscard]] const std::vector<pawl::shard_grant>& grants() const { return grants_; }
  [[nodiscard]] std::unique_ptr<pawl::commit_session> open_commit(std::uint32_t committer = 0);
  [[nodiscard]] std::unique_ptr<pawl::admin_session> open_admin();
  [[nodiscard]] std::unique_ptr<pawl::janitor_session> open_janitor();
  /// The leases once more: epochs rise, and what is committed under the old ones is refused.
  void take_leases_again();
  /// Rows of a user's table as text (`NULL` for null), cells in the order of the columns, sorted.
  [[nodiscard]] virtual std::vector<std::vector<std::string>> rows(const std::string& table);

 protected:
  /// For the makers: migrates, reads the catalog, registers and takes the leases.
  void start(std::unique_ptr<pawl::store> store, const std::vector<std::string>& tables);

 private:
  std::unique_ptr<pawl::store> store_;
  pawl::catalog catalog_;
  std::unique_ptr<pawl::keeper_session> keeper_;
  pawl::node_registration node_;
  std::vector<pawl::shard_grant> grants_;
};

struct on_memory {
  static constexpr int percent_of_cases = 100;
  static std::unique_ptr<store_fixture> open(const std::vector<pawl::memory_table>& tables);
};
struct on_sqlite {
  static constexpr int percent_of_cases = 50;
  static std::unique_ptr<store_fixture> open(const std::vector<pawl::memory_table>& tables);
  /// With tables that the memory store does not have: a script, and their names.
  static std::unique_ptr<store_fixture> open(const std::string& script,
                                             const std::vector<std::string>& tables);
};
struct on_postgres {
  static constexpr int percent_of_cases = 12;
  static std::unique_ptr<store_fixture> open(const std::vector<pawl::memory_table>& tables);
  /// With tables that the memory store does not have: a script, and their names.
  static std::unique_ptr<store_fixture> open(const std::string& script,
                                             const std::vector<std::string>& tables);
};

}  // namespace pawl_test

/// A test case for each kind of store; `TestType::open(tables)` makes it.
#define STORE_TEST_CASE(sentence)                                              \
  TEMPLATE_TEST_CASE(sentence, "", pawl_test::on_memory, pawl_test::on_sqlite, \
                     pawl_test::on_postgres)

/// Likewise where only SQL can say what the tables are like.
#define SQL_TEST_CASE(sentence) \
  TEMPLATE_TEST_CASE(sentence, "", pawl_test::on_sqlite, pawl_test::on_postgres)
