#pragma once

#include "storage/batch.hpp"
#include "storage/commit_session.hpp"
#include "storage/row_index.hpp"
#include "storage/shape_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pawl {

/// One statement of a plan, its operations in the order of their messages.
struct planned_statement {
  const shape_facts* facts = nullptr;
  bool guard = false;
  int phase = 0;
  std::size_t first = 0;  ///< of its operations in the plan's order
  std::size_t count = 0;
};

/// Orders the effects of many messages so that few statements do what one by one would have done
/// (commit.md section 1.4). An operation waits, in a later phase, for earlier operations on the
/// same row, for the rows that its foreign keys need, and for its message's guard; what can't be
/// told from one write (folding) shares a statement. Used by one thread; its buffers are reused.
class effect_plan {
 public:
  effect_plan(const catalog* tables, const std::map<std::string, table_rules, std::less<>>* rules,
              bool folds);

  /// Plans the effects of fresh items, in their order. The items outlive the plan's use.
  void make(std::span<const commit_item* const> items);

  /// In the order in which they are to run.
  [[nodiscard]] const std::vector<planned_statement>& statements() const noexcept {
    return statements_;
  }
  /// Rows to lock before the first statement, in the order of table names.
  [[nodiscard]] std::vector<row_locks> locks() const;
  /// The statement without the effects of dropped items (`dropped` is by item); valid until the
  /// next call.
  [[nodiscard]] const effect_statement& build(const planned_statement& planned,
                                              const std::vector<bool>& dropped);

 private:
  static constexpr std::uint32_t no_row = 0xFFFFFFFF;

  struct operation {
    const effect* what = nullptr;
    shape_facts* facts = nullptr;
    std::uint32_t item = 0;
    std::uint32_t row = no_row;
    std::int32_t statement = 0;
    int phase = 0;
    bool guard = false;
    bool conditional = false;  ///< its item's guard may drop it
    bool first_of_row = false;
  };

  void collect(std::span<const commit_item* const> items);
  void mark_shape(shape_facts& facts);
  [[nodiscard]] bool takes_whole_table(const operation& op) const;
  [[nodiscard]] std::uintptr_t class_of(const operation& op) const;
  int place_whole(const operation& op, int lowest);
  int place_row(operation& op, int lowest);
  int after_references(const operation& op, int lowest);
  void note_references(const operation& op, int phase);
  int after_existence(const operation& op, int lowest);
  void note_existence(const operation& op, int phase);
  [[nodiscard]] static bool target_known(const operation& op, std::size_t target);
  [[nodiscard]] static bool is_null(const operation& op, const shape_reference& reference);
  [[nodiscard]] static int after_children(const operation& op, int lowest);
  static void note_children(const operation& op, int phase);
  bool start_sums(row_marks& row, const operation& op);
  bool join_sums(const row_marks& row, const operation& op);
  void assign_statement(operation& op);
  void order_statements();
  void fold_into(effect_row& target, const operation& op) const;

  shape_book book_;
  std::uint64_t batch_ = 0;
  int floor_ = 0;  ///< phases below it are closed
  int last_phase_ = -1;
  row_index rows_;
  std::vector<operation> operations_;
  std::vector<std::uint32_t> order_;  ///< operations by statement
  std::vector<std::int64_t> sums_;
  std::vector<planned_statement> statements_;
  std::vector<std::int32_t> ranks_;
  effect_statement built_;
  std::int32_t builds_ = 0;
};

}  // namespace pawl
