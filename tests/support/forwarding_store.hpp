#pragma once

#include "storage/store.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pawl {

/// A commit session that passes everything on. Tests derive from it and change one answer.
class forwarding_commit_session : public commit_session {
 public:
  explicit forwarding_commit_session(std::unique_ptr<commit_session> inner)
      : inner_(std::move(inner)) {}

  status begin() override { return inner_->begin(); }
  result<std::vector<shard_id>> fence(std::span<const shard_grant> shards) override {
    return inner_->fence(shards);
  }
  result<std::vector<bool>> claim(std::span<const stored_ref> refs) override {
    return inner_->claim(refs);
  }
  result<std::vector<std::optional<guard_trace>>> insert_ledger(
      std::span<const ledger_row> rows) override {
    return inner_->insert_ledger(rows);
  }
  result<std::vector<std::optional<guard_trace>>> find(std::span<const ledger_key> keys,
                                                       bool in_ledger) override {
    return inner_->find(keys, in_ledger);
  }
  result<std::vector<bool>> move_entities(std::span<const entity_write> writes) override {
    return inner_->move_entities(writes);
  }
  status lock_rows(const row_locks& locks) override { return inner_->lock_rows(locks); }
  result<std::vector<row_verdict>> apply(const effect_statement& statement) override {
    return inner_->apply(statement);
  }
  result<std::vector<bool>> write_dead_letters(std::span<const dead_letter_row> rows) override {
    return inner_->write_dead_letters(rows);
  }
  status write_parked(std::span<const parked_row> rows) override {
    return inner_->write_parked(rows);
  }
  status check_constraints() override { return inner_->check_constraints(); }
  status commit() override { return inner_->commit(); }
  void rollback() noexcept override { inner_->rollback(); }
  status savepoint() override { return inner_->savepoint(); }
  status release() override { return inner_->release(); }
  status rollback_to() override { return inner_->rollback_to(); }
  result<bool> was_committed() override { return inner_->was_committed(); }
  result<std::vector<entity_answer>> load(std::span<const entity_query> queries) override {
    return inner_->load(queries);
  }
  result<std::vector<parked_row>> load_parked(const entity_ref& entity, park_reason why,
                                              std::size_t limit) override {
    return inner_->load_parked(entity, why, limit);
  }
  result<std::optional<dead_letter_row>> load_dead_letter(std::int64_t id) override {
    return inner_->load_dead_letter(id);
  }

 private:
  std::unique_ptr<commit_session> inner_;
};

/// A store that passes everything on, and puts `wrap` around its commit sessions.
class forwarding_store : public store {
 public:
  using wrapper = std::function<std::unique_ptr<commit_session>(std::unique_ptr<commit_session>)>;
  forwarding_store(std::shared_ptr<store> inner, wrapper wrap)
      : inner_(std::move(inner)), wrap_(std::move(wrap)) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return inner_->kind(); }
  [[nodiscard]] bool folds() const noexcept override { return inner_->folds(); }
  [[nodiscard]] bool parallel_commits() const noexcept override {
    return inner_->parallel_commits();
  }
  result<int> schema_version() override { return inner_->schema_version(); }
  [[nodiscard]] int wanted_version() const noexcept override { return inner_->wanted_version(); }
  result<int> migrate() override { return inner_->migrate(); }
  result<catalog> read_catalog(std::span<const std::string> tables) override {
    return inner_->read_catalog(tables);
  }
  result<std::vector<std::string>> table_names() override { return inner_->table_names(); }
  status execute_script(const std::string& sql) override { return inner_->execute_script(sql); }
  result<query_rows> query(const std::string& sql) override { return inner_->query(sql); }
  result<std::unique_ptr<commit_session>> open_commit(const commit_identity& identity,
                                                      const catalog* tables) override {
    auto session = inner_->open_commit(identity, tables);
    if (!session) {
      return session.error();
    }
    return wrap_(std::move(*session));
  }
  result<std::unique_ptr<keeper_session>> open_keeper() override { return inner_->open_keeper(); }
  result<std::unique_ptr<janitor_session>> open_janitor(const std::string& consumer) override {
    return inner_->open_janitor(consumer);
  }
  result<std::unique_ptr<admin_session>> open_admin(const std::string& consumer) override {
    return inner_->open_admin(consumer);
  }

 private:
  std::shared_ptr<store> inner_;
  wrapper wrap_;
};

}  // namespace pawl
