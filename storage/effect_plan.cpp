#include "storage/effect_plan.hpp"

#include "protocol/contract.hpp"
#include "storage/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace pawl {
namespace {

// Classes of operations: two of one class other than 0 may share a phase on one row. The rest of
// the bits is the shape's address.
constexpr std::uintptr_t class_insert = 1;
constexpr std::uintptr_t class_guard = 2;
constexpr std::uintptr_t class_remove = 3;
constexpr std::uintptr_t class_fold = 4;
constexpr std::uintptr_t class_parent_removed = 5;

std::uintptr_t class_with(const effect_shape* shape, std::uintptr_t which) {
  return std::bit_cast<std::uintptr_t>(shape) * 8 + which;
}

/// The phase after `last` in which an operation of class `now` may run.
int after(int last, std::uintptr_t last_class, std::uintptr_t now) {
  return last < 0 ? 0 : last + (now != 0 && now == last_class ? 0 : 1);
}

}  // namespace

effect_plan::effect_plan(const catalog* tables,
                         const std::map<std::string, table_rules, std::less<>>* rules, bool folds)
    : book_(tables, rules, folds) {}

void effect_plan::make(std::span<const commit_item* const> items) {
  ++batch_;
  floor_ = 0;
  last_phase_ = -1;
  operations_.clear();
  sums_.clear();
  statements_.clear();
  collect(items);
  rows_.clear(operations_.size());
  int guard_phase = -1;
  for (auto& op : operations_) {
    int lowest = floor_;
    if (op.conditional) {
      lowest = std::max(lowest, guard_phase + 1);
    }
    if (op.facts->alone) {
      lowest = std::max(lowest, last_phase_ + 1);
    }
    op.phase = takes_whole_table(op) ? place_whole(op, lowest) : place_row(op, lowest);
    last_phase_ = std::max(last_phase_, op.phase);
    if (op.facts->alone) {
      floor_ = op.phase + 1;
    }
    if (op.guard) {
      guard_phase = op.phase;
    }
    assign_statement(op);
  }
  order_statements();
}

void effect_plan::collect(std::span<const commit_item* const> items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& item = *items[i];
    const bool guarded = item.pair->contract->pair.dedupe == dedupe_policy::unique;
    for (std::size_t e = 0; e < item.effects.size(); ++e) {
      auto& facts = book_.of(item.effects[e].shape);
      if (facts.batch != batch_) {
        mark_shape(facts);
      }
      operation op;
      op.what = &item.effects[e];
      op.facts = &facts;
      op.item = static_cast<std::uint32_t>(i);
      op.guard = guarded && e == 0;
      op.conditional = guarded && e != 0;
      operations_.push_back(op);
    }
  }
}

void effect_plan::mark_shape(shape_facts& facts) {
  facts.batch = batch_;
  facts.statements.clear();
  auto& table = *facts.table;
  if (table.batch != batch_) {
    table.batch = batch_;
    table.key = nullptr;
    table.whole = table.rules == nullptr;
    table.guarded_writes = false;
    table.rows_last = table.whole_last = -1;
    table.whole_class = 0;
    table.exists_last = table.whole_exists_last = -1;
    table.refers_last = table.whole_refers_last = -1;
  }
  table.guarded_writes = table.guarded_writes || facts.writes_guarded;
  const auto& key = facts.shape->key;
  if (key.empty()) {
    return;
  }
  table.whole = table.whole || !facts.exact_key || (table.key != nullptr && *table.key != key);
  if (table.key == nullptr) {
    table.key = &key;
  }
}

bool effect_plan::takes_whole_table(const operation& op) const {
  const auto& facts = *op.facts;
  if (facts.table->whole || facts.alone || facts.writes_guarded || facts.shape->key.empty()) {
    return true;
  }
  // These give or take values of the other unique keys, even if they don't write them.
  const auto kind = facts.shape->kind;
  return facts.table->guarded_writes &&
         (kind == effect_kind::insert || kind == effect_kind::remove);
}

std::uintptr_t effect_plan::class_of(const operation& op) const {
  const auto& facts = *op.facts;
  if (facts.alone) {
    return 0;
  }
  switch (facts.shape->kind) {
    case effect_kind::insert:
      return op.guard ? class_with(facts.shape, class_guard) : class_insert;
    case effect_kind::remove:
      return class_with(facts.shape, class_remove);
    case effect_kind::upsert:
    case effect_kind::set:
      return facts.folds_last ? class_with(facts.shape, class_fold) : 0;
    case effect_kind::add:
      return facts.folds_add ? class_with(facts.shape, class_fold) : 0;
  }
  return 0;
}

int effect_plan::place_whole(const operation& op, int lowest) {
  auto& table = *op.facts->table;
  const auto kind = op.facts->shape->kind;
  const bool shares = kind == effect_kind::insert || kind == effect_kind::remove;
  const auto its_class = shares ? class_of(op) : 0;
  int phase = std::max(
      {lowest, table.rows_last + 1, after(table.whole_last, table.whole_class, its_class)});
  phase = after_existence(op, after_children(op, after_references(op, phase)));
  table.whole_last = std::max(table.whole_last, phase);
  table.whole_class = its_class;
  note_existence(op, phase);
  note_references(op, phase);
  note_children(op, phase);
  return phase;
}

int effect_plan::place_row(operation& op, int lowest) {
  auto& table = *op.facts->table;
  op.row = rows_.find(&table, op.what->values, op.facts->key_at);
  const auto its_class = class_of(op);
  const auto kind = op.facts->shape->kind;
  const bool changes_existence =
      kind == effect_kind::remove || (op.facts->creates && !rows_[op.row].present);
  int phase = std::max({lowest, table.whole_last + 1,
                        after(rows_[op.row].last, rows_[op.row].last_class, its_class)});
  if (changes_existence) {
    phase = after_existence(op, phase);
  }
  phase = after_children(op, after_references(op, phase));
  auto& row = rows_[op.row];
  if (op.facts->folds_add) {
    const bool joins = phase == row.last && row.last_class == its_class && join_sums(row, op);
    if (!joins) {
      phase = std::max(phase, row.last + 1);
      start_sums(row, op);
    }
  }
  op.first_of_row = row.last < 0;
  row.last = phase;
  row.last_class = its_class;
  table.rows_last = std::max(table.rows_last, phase);
  row.present = kind != effect_kind::remove && (row.present || !op.conditional);
  if (changes_existence) {
    note_existence(op, phase);
  }
  note_references(op, phase);
  note_children(op, phase);
  return phase;
}

bool effect_plan::target_known(const operation& op, std::size_t target) {
  // A write of other unique columns may move the row away from where references find it.
  const auto kind = op.facts->shape->kind;
  const bool moves = op.facts->writes_guarded && kind != effect_kind::insert;
  return !moves && !op.facts->target_at[target].empty();
}

int effect_plan::after_existence(const operation& op, int lowest) {
  const auto& table = *op.facts->table;
  lowest = std::max(lowest, table.whole_refers_last + 1);
  for (std::size_t i = 0; i < op.facts->target_at.size() && table.refers_last >= 0; ++i) {
    if (!target_known(op, i)) {
      return std::max(lowest, table.refers_last + 1);
    }
    const auto row = rows_.find(table.targets[i].get(), op.what->values, op.facts->target_at[i]);
    lowest = std::max(lowest, rows_[row].refers_last + 1);
  }
  return lowest;
}

void effect_plan::note_existence(const operation& op, int phase) {
  auto& table = *op.facts->table;
  table.exists_last = std::max(table.exists_last, phase);
  for (std::size_t i = 0; i < op.facts->target_at.size(); ++i) {
    if (!target_known(op, i)) {
      table.whole_exists_last = std::max(table.whole_exists_last, phase);
      continue;
    }
    auto& row = rows_[rows_.find(table.targets[i].get(), op.what->values, op.facts->target_at[i])];
    row.exists_last = std::max(row.exists_last, phase);
  }
}

bool effect_plan::is_null(const operation& op, const shape_reference& reference) {
  return reference.at.size() == 1 && op.what->values[reference.at.front()].is_null();
}

int effect_plan::after_references(const operation& op, int lowest) {
  for (const auto& reference : op.facts->references) {
    const auto& parent = *reference.target->parent;
    if (parent.batch != batch_ || is_null(op, reference)) {
      continue;
    }
    if (reference.at.empty()) {
      lowest = std::max(lowest, parent.exists_last + 1);
      continue;
    }
    const auto row = rows_.find(reference.target, op.what->values, reference.at);
    lowest = std::max({lowest, parent.whole_exists_last + 1, rows_[row].exists_last + 1});
  }
  return lowest;
}

void effect_plan::note_references(const operation& op, int phase) {
  for (const auto& reference : op.facts->references) {
    auto& parent = *reference.target->parent;
    if (parent.batch != batch_ || is_null(op, reference)) {
      continue;
    }
    parent.refers_last = std::max(parent.refers_last, phase);
    if (reference.at.empty()) {
      parent.whole_refers_last = std::max(parent.whole_refers_last, phase);
      continue;
    }
    auto& row = rows_[rows_.find(reference.target, op.what->values, reference.at)];
    row.refers_last = std::max(row.refers_last, phase);
  }
}

int effect_plan::after_children(const operation& op, int lowest) {
  if (op.facts->shape->kind != effect_kind::remove) {
    return lowest;
  }
  for (const auto* child : op.facts->table->children) {
    if (child != op.facts->table && child->batch == op.facts->table->batch) {
      lowest = std::max({lowest, child->rows_last + 1,
                         after(child->whole_last, child->whole_class, class_parent_removed)});
    }
  }
  return lowest;
}

void effect_plan::note_children(const operation& op, int phase) {
  if (op.facts->shape->kind != effect_kind::remove) {
    return;
  }
  for (auto* child : op.facts->table->children) {
    if (child != op.facts->table && child->batch == op.facts->table->batch) {
      child->whole_last = std::max(child->whole_last, phase);
      child->whole_class = class_parent_removed;
    }
  }
}

bool effect_plan::start_sums(row_marks& row, const operation& op) {
  row.sums = sums_.size();
  for (const auto& column : op.facts->sums) {
    const auto steps = to_steps(op.what->values[column.at], column.scale);
    if (!steps) {
      sums_.resize(row.sums);
      row.sums = no_row;
      return false;
    }
    sums_.push_back(*steps);
  }
  return true;
}

bool effect_plan::join_sums(const row_marks& row, const operation& op) {
  if (row.sums == no_row) {
    return false;
  }
  const auto& columns = op.facts->sums;
  std::vector<std::int64_t> next;
  next.reserve(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto steps = to_steps(op.what->values[columns[i].at], columns[i].scale);
    const auto sum =
        steps ? sum_of_one_sign(sums_[row.sums + i], *steps, columns[i].bits) : std::nullopt;
    if (!sum) {
      return false;
    }
    next.push_back(*sum);
  }
  std::copy(next.begin(), next.end(), sums_.begin() + static_cast<std::ptrdiff_t>(row.sums));
  return true;
}

void effect_plan::assign_statement(operation& op) {
  auto& known = op.facts->statements;
  const auto at = static_cast<std::size_t>(op.phase) * 2 + (op.guard ? 1 : 0);
  if (known.size() <= at) {
    known.resize(at + 1, -1);
  }
  if (known[at] < 0) {
    known[at] = static_cast<std::int32_t>(statements_.size());
    statements_.push_back({op.facts, op.guard, op.phase, 0, 0});
  }
  op.statement = known[at];
  ++statements_[static_cast<std::size_t>(op.statement)].count;
}

void effect_plan::order_statements() {
  // Parents are written before their children, children removed before their parents.
  const auto rank = [](const planned_statement& planned) {
    const auto* rules = planned.facts->table->rules;
    const int depth = rules != nullptr ? rules->depth : 0;
    const bool removes = planned.facts->shape->kind == effect_kind::remove;
    return std::tuple(planned.phase, removes, removes ? -depth : depth);
  };
  std::size_t next = 0;
  for (auto& planned : statements_) {
    planned.first = next;
    next += std::exchange(planned.count, 0);
  }
  order_.resize(operations_.size());
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    auto& planned = statements_[static_cast<std::size_t>(operations_[i].statement)];
    order_[planned.first + planned.count++] = static_cast<std::uint32_t>(i);
  }
  std::stable_sort(statements_.begin(), statements_.end(),
                   [&](const auto& left, const auto& right) { return rank(left) < rank(right); });
}

std::vector<row_locks> effect_plan::locks() const {
  std::map<std::pair<std::string, std::vector<std::string>>, row_locks> by_table;
  std::vector<bool> seen;
  for (const auto& op : operations_) {
    if (!op.facts->shared || op.facts->key_at.empty()) {
      continue;
    }
    if (op.row != no_row) {
      seen.resize(std::max<std::size_t>(seen.size(), op.row + 1));
      if (seen[op.row]) {
        continue;
      }
      seen[op.row] = true;
    }
    const auto& shape = *op.facts->shape;
    auto& locks = by_table[{shape.table, shape.key}];
    row_locks::row row;
    for (const auto at : op.facts->key_at) {
      row.key.push_back(op.what->values[at]);
    }
    if (op.phase == 0 && op.first_of_row && op.facts->creates && !op.conditional) {
      row.creator = &shape;
      row.creator_values = op.what->values;
    }
    locks.rows.push_back(std::move(row));
  }
  std::vector<row_locks> ordered;
  for (auto& [name, locks] : by_table) {
    std::tie(locks.table, locks.key) = name;
    ordered.push_back(std::move(locks));
  }
  return ordered;
}

const effect_statement& effect_plan::build(const planned_statement& planned,
                                           const std::vector<bool>& dropped) {
  const auto& facts = *planned.facts;
  const bool folds = facts.folds_add || facts.folds_last;
  built_.shape = facts.shape;
  built_.guard = planned.guard;
  if (planned.guard) {
    built_.compared = facts.compared;
  } else {
    built_.compared.clear();
  }
  ++builds_;
  std::size_t used = 0;
  for (std::size_t i = planned.first; i < planned.first + planned.count; ++i) {
    const auto& op = operations_[order_[i]];
    if (dropped[op.item]) {
      continue;
    }
    if (folds && op.row != no_row) {
      auto& row = rows_[op.row];
      if (row.statement == builds_) {
        fold_into(built_.rows[row.statement_row], op);
        continue;
      }
      row.statement = builds_;
      row.statement_row = used;
    }
    if (used == built_.rows.size()) {
      built_.rows.emplace_back();
    }
    built_.rows[used].item = op.item;
    built_.rows[used].values = op.what->values;
    ++used;
  }
  built_.rows.resize(used);
  return built_;
}

void effect_plan::fold_into(effect_row& target, const operation& op) const {
  target.item = op.item;
  if (op.facts->folds_last) {
    target.values = op.what->values;
    return;
  }
  for (const auto& column : op.facts->sums) {
    const auto left = to_steps(target.values[column.at], column.scale);
    const auto right = to_steps(op.what->values[column.at], column.scale);
    target.values[column.at] = from_steps(left.value_or(0) + right.value_or(0), column.scale);
  }
}

}  // namespace pawl
