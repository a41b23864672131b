#pragma once

#include "storage/commit_session.hpp"
#include "storage/postgres_connection.hpp"
#include "storage/postgres_effects.hpp"
#include "storage/postgres_ledger.hpp"
#include "storage/postgres_waiting.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pawl {

/// One committer's session (commit.md). Owned and used by one committer's thread; connects at the
/// first `begin` or `load` and again after a loss.
class postgres_commit_session final : public commit_session {
 public:
  postgres_commit_session(postgres_link link, const commit_identity& identity,
                          const catalog* tables);

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
  /// The connection, made ready for this committer if it is new.
  result<postgres_connection*> ready();
  status prepare_token(postgres_connection& connection);
  status read_deferred_constraints(postgres_connection& connection);
  /// Runs a step inside the open transaction and remembers whether it failed.
  template <class Step>
  auto inside(Step&& step) -> decltype(step(std::declval<postgres_connection&>()));
  status send_inside(const std::string& sql);
  /// Text in front of BEGIN that drops outgrown plans, mostly none.
  std::string replan();
  status read_generations(postgres_connection& connection);

  postgres_link link_;
  commit_identity identity_;
  bool prepared_ = false;  ///< the connection knows this committer's token row
  std::string fence_text_;
  std::string deferred_;          ///< names of constraints that are initially deferred
  std::int64_t begun_ = 0;        ///< transactions on this connection
  std::int64_t next_replan_ = 0;  ///< number of the transaction that plans anew
  std::int64_t token_ = 0;        ///< this committer's number in the last transaction
  int savepoints_ = 0;
  bool open_ = false;
  bool aborted_ = false;  ///< a statement failed: COMMIT would roll back and call it success
  postgres_ledger ledger_;
  postgres_effects effects_;
  postgres_waiting waiting_;
};

}  // namespace pawl
