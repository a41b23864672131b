#pragma once

#include "storage/commit_session.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl_test {

/// A commit session whose steps fail when a test says so, and which tells what was asked of it. A
/// step that fails does nothing, but for `after`.
class faulty_session final : public pawl::commit_session {
 public:
  using failing = std::function<std::optional<pawl::error>(std::string_view step)>;

  explicit faulty_session(std::unique_ptr<pawl::commit_session> real) : real_(std::move(real)) {}

  failing before;  ///< asked before each step; an error is given instead of doing it
  failing after;   ///< asked after each step that passed; an error is given though it was done
  std::vector<std::string> steps;

  pawl::status begin() override {
    return say("begin", [&] { return real_->begin(); });
  }
  pawl::result<std::vector<pawl::shard_id>> fence(
      std::span<const pawl::shard_grant> shards) override {
    return say("fence", [&] { return real_->fence(shards); });
  }
  pawl::result<std::vector<bool>> claim(std::span<const pawl::stored_ref> refs) override {
    return say("claim", [&] { return real_->claim(refs); });
  }
  pawl::result<std::vector<std::optional<pawl::guard_trace>>> insert_ledger(
      std::span<const pawl::ledger_row> rows) override {
    return say("insert_ledger", [&] { return real_->insert_ledger(rows); });
  }
  pawl::result<std::vector<std::optional<pawl::guard_trace>>> find(
      std::span<const pawl::ledger_key> keys, bool in_ledger) override {
    return say("find", [&] { return real_->find(keys, in_ledger); });
  }
  pawl::result<std::vector<bool>> move_entities(
      std::span<const pawl::entity_write> writes) override {
    return say("move_entities", [&] { return real_->move_entities(writes); });
  }
  pawl::status lock_rows(const pawl::row_locks& locks) override {
    return say("lock_rows", [&] { return real_->lock_rows(locks); });
  }
  pawl::result<std::vector<pawl::row_verdict>> apply(
      const pawl::effect_statement& statement) override {
    return say("apply", [&] { return real_->apply(statement); });
  }
  pawl::result<std::vector<bool>> write_dead_letters(
      std::span<const pawl::dead_letter_row> rows) override {
    return say("write_dead_letters", [&] { return real_->write_dead_letters(rows); });
  }
  pawl::status write_parked(std::span<const pawl::parked_row> rows) override {
    return say("write_parked", [&] { return real_->write_parked(rows); });
  }
  pawl::status check_constraints() override {
    return say("check_constraints", [&] { return real_->check_constraints(); });
  }
  pawl::status commit() override {
    return say("commit", [&] { return real_->commit(); });
  }
  void rollback() noexcept override { real_->rollback(); }
  pawl::status savepoint() override {
    return say("savepoint", [&] { return real_->savepoint(); });
  }
  pawl::status release() override {
    return say("release", [&] { return real_->release(); });
  }
  pawl::status rollback_to() override {
    return say("rollback_to", [&] { return real_->rollback_to(); });
  }
  pawl::result<bool> was_committed() override {
    return say("was_committed", [&] { return real_->was_committed(); });
  }
  pawl::result<std::vector<pawl::entity_answer>> load(
      std::span<const pawl::entity_query> queries) override {
    return real_->load(queries);
  }
  pawl::result<std::vector<pawl::parked_row>> load_parked(const pawl::entity_ref& entity,
                                                          pawl::park_reason why,
                                                          std::size_t limit) override {
    return real_->load_parked(entity, why, limit);
  }
  pawl::result<std::optional<pawl::dead_letter_row>> load_dead_letter(std::int64_t id) override {
    return real_->load_dead_letter(id);
  }

  [[nodiscard]] std::size_t count(std::string_view step) const {
    std::size_t times = 0;
    for (const auto& each : steps) {
      times += each == step ? 1 : 0;
    }
    return times;
  }

 private:
  template <class Step>
  auto say(std::string_view step, Step&& run) -> decltype(run()) {
    steps.emplace_back(step);
    if (before) {
      if (auto failed = before(step)) {
        return *std::move(failed);
      }
    }
    auto came = run();
    if (came.ok() && after) {
      if (auto failed = after(step)) {
        return *std::move(failed);
      }
    }
    return came;
  }

  std::unique_ptr<pawl::commit_session> real_;
};

/// Fails the first `times` steps of that name.
inline faulty_session::failing fail_first(std::string step, int times, pawl::fault kind) {
  return [step = std::move(step), times, kind](std::string_view now) mutable {
    if (now != step || times <= 0) {
      return std::optional<pawl::error>();
    }
    --times;
    return std::optional(pawl::error{kind, "test", "the test says so"});
  };
}

}  // namespace pawl_test
