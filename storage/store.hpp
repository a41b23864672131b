#pragma once

#include "protocol/catalog.hpp"
#include "storage/admin_session.hpp"
#include "storage/commit_session.hpp"
#include "storage/janitor_session.hpp"
#include "storage/keeper_session.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// Time-outs of a session, all below the lease time.
struct session_timeouts {
  std::int64_t lock_ms = 2000;
  std::int64_t statement_ms = 8000;
};

/// Who commits: fixes the fence lock and the token row.
struct commit_identity {
  node_registration node;
  std::string consumer;
  std::uint32_t committer = 0;  ///< 0 to the number of committers - 1
  session_timeouts timeouts;
};

/// Rows of a person's query, as text; NULL is nothing.
struct query_rows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;
};

/// A database that holds Pawl's tables beside the user's. Thread-safe; it only makes sessions, and
/// they are not.
class store {
 public:
  virtual ~store() = default;

  /// `postgresql`, `sqlite` or `memory`.
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
  /// True where folding several effects of one row into one write pays and is exact (PostgreSQL).
  [[nodiscard]] virtual bool folds() const noexcept = 0;
  /// True where more than one committer can write at a time.
  [[nodiscard]] virtual bool parallel_commits() const noexcept = 0;

  /// Version of Pawl's tables, 0 if there are none.
  virtual result<int> schema_version() = 0;
  /// The version this program needs.
  [[nodiscard]] virtual int wanted_version() const noexcept = 0;
  /// Applies the missing migrations under a lock; answers how many. `refused` for a version it does
  /// not know.
  virtual result<int> migrate() = 0;

  /// The named tables of the user, `table` or `schema.table`. Missing ones are left out. Also all
  /// column types, constraints and triggers.
  virtual result<catalog> read_catalog(std::span<const std::string> tables) = 0;
  /// Names of all the user's tables, for the nearest one in an error.
  virtual result<std::vector<std::string>> table_names() = 0;
  /// Runs a script of the user's (a scenario's `setup`), in one transaction.
  virtual status execute_script(const std::string& sql) = 0;
  /// Runs one reading query of the user's.
  virtual result<query_rows> query(const std::string& sql) = 0;

  /// The sessions keep a pointer to `tables`, which outlives them.
  virtual result<std::unique_ptr<commit_session>> open_commit(const commit_identity& identity,
                                                              const catalog* tables) = 0;
  virtual result<std::unique_ptr<keeper_session>> open_keeper() = 0;
  virtual result<std::unique_ptr<janitor_session>> open_janitor(const std::string& consumer) = 0;
  /// `refused` if the consumer has never run.
  virtual result<std::unique_ptr<admin_session>> open_admin(const std::string& consumer) = 0;
};

/// A store by its URL: `postgresql://...` or a libpq connection string (`host=...`), `sqlite:FILE`,
/// `memory:`. `refused` for another scheme. Passwords never appear in an error's text.
[[nodiscard]] result<std::unique_ptr<store>> open_store(const std::string& url);

}  // namespace pawl
