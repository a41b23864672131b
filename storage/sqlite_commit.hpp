#pragma once

#include "storage/sqlite_effects.hpp"
#include "storage/sqlite_ledger.hpp"
#include "storage/store.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace pawl {

/// The commit over SQLite. BEGIN IMMEDIATE is the fence: one writer at a time, and what it reads
/// stays true until its COMMIT. A connection that had an I/O error is closed and opened again.
class sqlite_commit_session final : public commit_session {
 public:
  /// Throws `sqlite_failure`.
  sqlite_commit_session(std::string file, const commit_identity& identity, const catalog* tables);

  status begin() override;
  result<std::vector<shard_id>> fence(std::span<const shard_grant> shards) override;
  result<std::vector<bool>> claim(std::span<const stored_ref> refs) override;
  result<std::vector<std::optional<guard_trace>>> insert_ledger(
      std::span<const ledger_row> rows) override;
  result<std::vector<std::optional<guard_trace>>> find(std::span<const ledger_key> keys,
                                                       bool in_ledger) override;
  result<std::vector<bool>> move_entities(std::span<const entity_write> writes) override;
  status lock_rows(const row_locks& locks) override;
  result<std::vector<row_verdict>> apply(const effect_statement& statement) override;
  result<std::vector<bool>> write_dead_letters(std::span<const dead_letter_row> rows) override;
  status write_parked(std::span<const parked_row> rows) override;
  status check_constraints() override;
  status commit() override;
  void rollback() noexcept override;

  status savepoint() override;
  status release() override;
  status rollback_to() override;

  result<bool> was_committed() override;

  result<std::vector<entity_answer>> load(std::span<const entity_query> queries) override;
  result<std::vector<parked_row>> load_parked(const entity_ref& entity, park_reason why,
                                              std::size_t limit) override;
  result<std::optional<dead_letter_row>> load_dead_letter(std::int64_t id) override;

 private:
  /// The connection, opened anew if it was dropped.
  sqlite_db& connected();
  void drop() noexcept;
  /// Throws `retry` if the transaction is gone: the next statement would commit by itself, without
  /// guards.
  void require_transaction() const;
  /// One step inside the transaction.
  template <class Work>
  auto step(Work&& work) -> result<decltype(work(std::declval<sqlite_db&>()))> {
    return answered([&] {
      require_transaction();
      return work(*db_);
    });
  }

  std::string file_;
  consumer_number consumer_;
  node_number node_;
  std::uint32_t committer_;
  std::int64_t lock_ms_;
  sqlite_effects effects_;
  sqlite_ledger ledger_;
  std::unique_ptr<sqlite_db> db_;
  bool broken_ = false;
  std::int64_t token_ = 0;  ///< raised by the last fence
};

}  // namespace pawl
