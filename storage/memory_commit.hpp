#pragma once

#include "storage/memory_disk.hpp"
#include "storage/store.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace pawl {

/// The commit over the memory store's disk: layers for the transaction and its savepoints, one
/// writer at a time. Dropping it is what a crash is: what was not committed is gone.
class memory_commit final : public commit_session {
 public:
  memory_commit(std::shared_ptr<memory_disk> disk, memory_consumer& consumer,
                const commit_identity& identity, std::function<store_time_ms()> now);
  memory_commit(const memory_commit&) = delete;
  memory_commit& operator=(const memory_commit&) = delete;
  ~memory_commit() override;

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
  [[nodiscard]] std::pair<std::int32_t, std::uint32_t> token() const;
  bool claim_parked(const stored_ref& ref);
  bool claim_dead_letter(const stored_ref& ref);

  std::shared_ptr<memory_disk> disk_;
  memory_consumer& consumer_;
  node_number node_;
  std::uint32_t committer_;
  std::function<store_time_ms()> now_;
  std::vector<layered*> open_;  ///< of the open transaction; empty outside of one
  std::size_t depth_ = 0;       ///< layers: the transaction and its savepoints
  std::int64_t raised_to_ = 0;  ///< the token that the last transaction wrote
};

}  // namespace pawl
