#include "storage/memory_table.hpp"

#include "protocol/invariant.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace pawl {
namespace {

error poison(std::string code, std::string text) {
  return {fault::poison, std::move(code), std::move(text)};
}

/// The values at `positions`; nothing if one is null, since NULL equals nothing.
std::optional<std::vector<value>> project(const std::vector<value>& row,
                                          const std::vector<std::size_t>& positions) {
  std::vector<value> key;
  key.reserve(positions.size());
  for (const auto at : positions) {
    if (row[at].is_null()) {
      return std::nullopt;
    }
    key.push_back(row[at]);
  }
  return key;
}

bool same_columns(std::vector<std::string> left, std::vector<std::string> right) {
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  return left == right;
}

}  // namespace

bool value_order::operator()(const value& left, const value& right) const {
  const auto parts = [](const value& v) {
    return std::tuple<value_kind, std::int64_t, const std::string&>(v.kind(), v.number(),
                                                                    v.characters());
  };
  return parts(left) < parts(right);
}

bool value_order::operator()(const std::vector<value>& left,
                             const std::vector<value>& right) const {
  return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(), *this);
}

memory_rows::memory_rows(memory_table table) : table_(std::move(table)) {
  for (const auto& unique : table_.definition.uniques) {
    indexes_.push_back(std::make_unique<index>());
    std::vector<std::size_t> columns;
    for (const auto& column : unique.columns) {
      columns.push_back(position(column));
    }
    index_columns_.push_back(std::move(columns));
  }
}

std::size_t memory_rows::position(std::string_view column) const {
  const auto& columns = table_.definition.columns;
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == column; });
  return static_cast<std::size_t>(found - columns.begin());
}

result<memory_rows::target> memory_rows::aim(const effect_shape& shape) {
  target at{&shape, nullptr, {}, {}};
  for (const auto* names : {&shape.key, &shape.columns}) {
    for (const auto& name : *names) {
      const auto where = position(name);
      if (where == table_.definition.columns.size()) {
        return error{fault::deployment, "column",
                     "table " + shape.table + " has no column " + name};
      }
      (names == &shape.key ? at.key : at.columns).push_back(where);
    }
  }
  const auto& uniques = table_.definition.uniques;
  for (std::size_t i = 0; i < uniques.size() && !shape.key.empty(); ++i) {
    if (same_columns(uniques[i].columns, shape.key)) {
      at.by_key = indexes_[i].get();
      at.key = index_columns_[i];
      return at;
    }
  }
  if (!shape.key.empty()) {
    return error{fault::deployment, "key",
                 "table " + shape.table + " has no unique key over the effect's key columns"};
  }
  return at;
}

result<std::vector<row_verdict>> memory_rows::apply(const effect_statement& statement) {
  auto at = aim(*statement.shape);
  if (!at.ok()) {
    return at.error();
  }
  std::vector<row_verdict> verdicts;
  verdicts.reserve(statement.rows.size());
  for (const auto& given : statement.rows) {
    auto verdict = apply_row(at.value(), statement, given.values);
    if (!verdict.ok()) {
      return verdict.error();
    }
    verdicts.push_back(verdict.value());
  }
  return verdicts;
}

result<row_verdict> memory_rows::apply_row(const target& at, const effect_statement& statement,
                                           const std::vector<value>& given) {
  const auto& shape = *at.shape;
  if (shape.kind == effect_kind::insert) {
    return insert(at, statement, given);
  }
  row fresh = with_defaults();
  for (std::size_t i = 0; i < shape.key.size(); ++i) {
    fresh[position(shape.key[i])] = given[i];
  }
  const auto key = project(fresh, at.key);
  const auto* id = key ? at.by_key->find(*key) : nullptr;
  if (shape.kind == effect_kind::remove) {
    if (id != nullptr) {
      remove(*id, *rows_.find(*id));
    }
    return row_verdict::written;
  }
  if (id == nullptr && (shape.kind == effect_kind::set || shape.missing == missing_row::fail)) {
    return poison("missing", "table " + shape.table + " has no row for this key");
  }
  row after = id != nullptr ? *rows_.find(*id) : fresh;
  for (std::size_t i = 0; i < at.columns.size(); ++i) {
    const auto& wanted = given[shape.key.size() + i];
    auto& cell = after[at.columns[i]];
    if (shape.kind != effect_kind::add) {
      cell = wanted;
      continue;
    }
    std::int64_t sum = 0;
    if (cell.is_null() || __builtin_add_overflow(cell.number(), wanted.number(), &sum)) {
      return poison("number", "column " + shape.columns[i] + " can't take the sum");
    }
    cell = value::integer(sum);
  }
  const auto wrote =
      id != nullptr ? write(*id, rows_.find(*id), std::move(after)) : create(std::move(after));
  return wrote.ok() ? result<row_verdict>(row_verdict::written) : wrote.error();
}

result<row_verdict> memory_rows::insert(const target& at, const effect_statement& statement,
                                        const std::vector<value>& given) {
  row fresh = with_defaults();
  for (std::size_t i = 0; i < at.columns.size(); ++i) {
    fresh[at.columns[i]] = given[i];
  }
  if (statement.guard && at.by_key != nullptr) {
    const auto key = project(fresh, at.key);
    if (const auto* id = key ? at.by_key->find(*key) : nullptr; id != nullptr) {
      const auto& known = *rows_.find(*id);
      const auto differs = [&](const std::string& column) {
        return known[position(column)] != fresh[position(column)];
      };
      return std::any_of(statement.compared.begin(), statement.compared.end(), differs)
                 ? row_verdict::conflict
                 : row_verdict::duplicate;
    }
  }
  const auto wrote = create(std::move(fresh));
  return wrote.ok() ? result<row_verdict>(row_verdict::written) : wrote.error();
}

status memory_rows::create(row fresh) { return write(next_id_++, nullptr, std::move(fresh)); }

status memory_rows::write(std::int64_t id, const row* before, row after) {
  if (auto legal = check(after); !legal.ok()) {
    return legal;
  }
  for (std::size_t i = 0; i < indexes_.size(); ++i) {
    const auto old = before != nullptr ? project(*before, index_columns_[i]) : std::nullopt;
    const auto now = project(after, index_columns_[i]);
    if (old == now) {
      continue;
    }
    if (now && indexes_[i]->find(*now) != nullptr) {
      return poison("unique", "a row with this " + table_.definition.uniques[i].name + " exists");
    }
    if (old) {
      indexes_[i]->erase(*old);
    }
    if (now) {
      indexes_[i]->put(*now, id);
    }
  }
  rows_.put(id, std::move(after));
  return {};
}

void memory_rows::remove(std::int64_t id, const row& before) {
  for (std::size_t i = 0; i < indexes_.size(); ++i) {
    if (const auto key = project(before, index_columns_[i])) {
      indexes_[i]->erase(*key);
    }
  }
  rows_.erase(id);
}

status memory_rows::check(const row& candidate) const {
  const auto& columns = table_.definition.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].not_null && candidate[i].is_null()) {
      return poison("not_null", "column " + columns[i].name + " can't be null");
    }
    const auto bound = table_.lower_bounds.find(columns[i].name);
    if (bound != table_.lower_bounds.end() && !candidate[i].is_null() &&
        candidate[i].number() < bound->second) {
      return poison("check", "column " + columns[i].name + " is below its bound");
    }
  }
  return {};
}

memory_rows::row memory_rows::with_defaults() const {
  row fresh(table_.definition.columns.size());
  for (const auto& [column, given] : table_.defaults) {
    fresh[position(column)] = given;
  }
  return fresh;
}

std::vector<memory_rows::row> memory_rows::committed() const {
  std::vector<row> all;
  for (const auto& [id, cells] : rows_.committed()) {
    all.push_back(cells);
  }
  std::sort(all.begin(), all.end(), value_order{});
  return all;
}

std::vector<layered*> memory_rows::layers() {
  std::vector<layered*> all{&rows_};
  for (const auto& each : indexes_) {
    all.push_back(each.get());
  }
  return all;
}

}  // namespace pawl
