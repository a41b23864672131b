#include "protocol/effect_list.hpp"

#include "protocol/invariant.hpp"

#include <algorithm>

namespace pawl {
namespace {

/// Index in an effect's values where the written columns start.
std::size_t columns_offset(const effect_shape& shape) {
  return shape.kind == effect_kind::insert ? 0 : shape.key.size();
}

/// Whether the value at `index` is part of what finds the row, or of the guard.
bool is_key(const effect_shape& shape, std::size_t index) {
  if (shape.kind != effect_kind::insert) {
    return index < shape.key.size();
  }
  return std::find(shape.key.begin(), shape.key.end(), shape.columns[index]) != shape.key.end();
}

const std::string& column_name(const effect_shape& shape, std::size_t index) {
  const std::size_t offset = columns_offset(shape);
  return index < offset ? shape.key[index] : shape.columns[index - offset];
}

}  // namespace

void effect_list::add_insert(std::string_view table, const std::vector<column_value>& values,
                             std::vector<std::string> key) {
  effect_shape shape{effect_kind::insert, std::string(table), std::move(key), {}, {}};
  std::vector<value> contents;
  contents.reserve(values.size());
  for (const column_value& one : values) {
    shape.columns.push_back(one.column);
    contents.push_back(one.content);
  }
  add_named(std::move(shape), std::move(contents));
}

void effect_list::add_keyed(effect_kind kind, std::string_view table,
                            const std::vector<column_value>& key,
                            const std::vector<column_value>& values, missing_row missing) {
  effect_shape shape{kind, std::string(table), {}, {}, missing};
  std::vector<value> contents;
  contents.reserve(key.size() + values.size());
  for (const column_value& one : key) {
    shape.key.push_back(one.column);
    contents.push_back(one.content);
  }
  for (const column_value& one : values) {
    shape.columns.push_back(one.column);
    contents.push_back(one.content);
  }
  add_named(std::move(shape), std::move(contents));
}

void effect_list::add_named(effect_shape shape, std::vector<value> values) {
  if (failed_) {
    return;
  }
  result<checked_shape> checked = check_shape(pair_, *tables_, *shapes_, std::move(shape));
  if (!checked) {
    return fail(checked.error());
  }
  add(*checked, std::move(values));
}

void effect_list::add(const checked_shape& checked, std::vector<value> values) {
  if (failed_) {
    return;
  }
  const effect_shape& shape = *checked.shape;
  invariant(values.size() == checked.columns.size(), "an effect has not one value per column");
  bool any_absent = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool key = is_key(shape, i);
    if (key && (values[i].is_absent() || values[i].is_null())) {
      return fail({fault::poison, "key",
                   "key column \"" + column_name(shape, i) + "\" of table \"" + shape.table +
                       "\" has no value, so it finds no row"});
    }
    if (values[i].is_absent()) {
      any_absent = true;
      continue;
    }
    result<value> fitted = coerce(values[i], *checked.columns[i]);
    if (!fitted) {
      error why = fitted.error();
      why.text = "table \"" + shape.table + "\": " + why.text;
      return fail(std::move(why));
    }
    values[i] = std::move(*fitted);
  }
  if (any_absent) {
    return add_without_absent(shape, std::move(values));
  }
  effects_.push_back({checked.shape, std::move(values)});
}

void effect_list::add_without_absent(const effect_shape& shape, std::vector<value> values) {
  effect_shape reduced{shape.kind, shape.table, shape.key, {}, shape.missing};
  const std::size_t offset = columns_offset(shape);
  for (std::size_t i = 0; i < shape.columns.size(); ++i) {
    if (!values[offset + i].is_absent()) {
      reduced.columns.push_back(shape.columns[i]);
    }
  }
  const bool writes = shape.kind == effect_kind::set || shape.kind == effect_kind::add;
  if (writes && reduced.columns.empty()) {
    return;
  }
  // checked again: without the column an insert may lack one that it needs
  result<checked_shape> checked = check_shape(pair_, *tables_, *shapes_, std::move(reduced));
  if (!checked) {
    error why = checked.error();
    why.kind = fault::poison;
    return fail(std::move(why));
  }
  std::erase_if(values, [](const value& one) { return one.is_absent(); });
  effects_.push_back({checked->shape, std::move(values)});
}

void effect_list::state(std::string bytes) {
  if (!allows_state(pair_)) {
    return fail({fault::refused, "policy",
                 "state is kept only under `dedupe: ledger` or `version`, where a repeated message "
                 "is known before its handler runs"});
  }
  state_ = std::move(bytes);
}

void effect_list::fail(error what) {
  if (!failed_) {
    failed_ = std::move(what);
  }
}

result<std::vector<effect>> effect_list::take() {
  std::vector<effect> effects = std::exchange(effects_, {});
  if (failed_) {
    return *std::exchange(failed_, std::nullopt);
  }
  if (pair_.dedupe == dedupe_policy::unique) {
    const bool guarded = !effects.empty() && effects[0].shape->kind == effect_kind::insert &&
                         !effects[0].shape->key.empty();
    if (!guarded) {
      return error{fault::poison, "guard",
                   "under `dedupe: unique` the first effect is the guard: an `insert` that names "
                   "its unique key"};
    }
  }
  return effects;
}

}  // namespace pawl
