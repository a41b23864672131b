#include "storage/postgres_effects.hpp"

#include "storage/postgres_array.hpp"

#include <functional>
#include <utility>

namespace pawl {

namespace {

using values_at = std::function<const std::vector<value>&(std::size_t)>;

/// One array a column over `count` rows.
pg::parameters arrays_of(std::size_t columns, std::size_t count, const values_at& values) {
  pg::parameters arrays;
  arrays.reserve(columns);
  for (std::size_t column = 0; column < columns; ++column) {
    array_literal array(count);
    for (std::size_t row = 0; row < count; ++row) {
      array.add(values(row)[column]);
    }
    arrays.push_back(array.take());
  }
  return arrays;
}

error too_few(const effect_shape& shape, std::size_t wanted, std::size_t written) {
  return {fault::poison, "PW001",
          std::string(name_of(shape.kind)) + " on table " + shape.table + ": " +
              std::to_string(written) + " of " + std::to_string(wanted) +
              " rows were written; the others do not exist, or row security or a trigger kept "
              "them back"};
}

std::vector<std::size_t> ordinals(const pqxx::result& rows) {
  std::vector<std::size_t> found;
  found.reserve(pg::row_count(rows));
  for (std::size_t row = 0; row < pg::row_count(rows); ++row) {
    found.push_back(static_cast<std::size_t>(pg::cell(rows, row, 0).number()) - 1);
  }
  return found;
}

}  // namespace

result<postgres_effects::known_shape*> postgres_effects::known(const effect_shape* shape) {
  const auto found = shapes_.find(shape);
  if (found != shapes_.end() && found->second.shape == *shape) {
    return &found->second;
  }
  auto columns = columns_of(*shape, *tables_);
  if (!columns) {
    return columns.error();
  }
  known_shape made;
  made.shape = *shape;
  made.columns = std::move(*columns);
  made.effect = make_effect_sql(*shape, made.columns);
  auto created = made.columns;
  if (shape->kind == effect_kind::add) {
    created.resize(shape->key.size());
  }
  if (shape->kind != effect_kind::insert) {
    made.create = make_create_sql(shape->table, shape->key.size(), created);
  }
  return &(shapes_[shape] = std::move(made));
}

result<std::vector<row_verdict>> postgres_effects::apply(postgres_connection& connection,
                                                         const effect_statement& statement) {
  auto shape = known(statement.shape);
  if (!shape) {
    return shape.error();
  }
  if (statement.guard) {
    return apply_guard(connection, **shape, statement);
  }
  const known_shape& plan = **shape;
  const std::size_t wanted = statement.rows.size();
  const std::size_t width =
      plan.shape.kind == effect_kind::remove ? plan.shape.key.size() : plan.columns.size();
  const pg::parameters arrays = arrays_of(
      width, wanted,
      [&](std::size_t row) -> const std::vector<value>& { return statement.rows[row].values; });
  auto written = connection.run(plan.effect.write, arrays);
  if (!written) {
    return written.error();
  }
  const bool answers_count =
      plan.shape.kind == effect_kind::upsert && plan.shape.missing == missing_row::create;
  std::size_t count = answers_count ? static_cast<std::size_t>(pg::cell(*written, 0, 0).number())
                                    : pg::affected(*written);
  if (count < wanted && !plan.effect.create.empty()) {
    const pg::parameters keys(arrays.begin(),
                              arrays.begin() + static_cast<std::ptrdiff_t>(plan.shape.key.size()));
    auto created = connection.run(plan.effect.create, keys);
    if (!created) {
      return created.error();
    }
    const std::vector<std::size_t> fresh = ordinals(*created);
    const pg::parameters rest =
        arrays_of(width, fresh.size(), [&](std::size_t row) -> const std::vector<value>& {
          return statement.rows[fresh[row]].values;
        });
    auto added = connection.run(plan.effect.write, rest);
    if (!added) {
      return added.error();
    }
    count += pg::affected(*added);
  }
  if (count < wanted && plan.shape.kind != effect_kind::remove) {
    return too_few(plan.shape, wanted, count);
  }
  return std::vector<row_verdict>(wanted, row_verdict::written);
}

result<std::vector<row_verdict>> postgres_effects::apply_guard(postgres_connection& connection,
                                                               known_shape& shape,
                                                               const effect_statement& statement) {
  if (shape.guard.write.empty() || shape.compared != statement.compared) {
    shape.compared = statement.compared;
    shape.guard = make_guard_sql(shape.shape, shape.columns, statement.compared);
  }
  const std::size_t width = shape.columns.size();
  const std::size_t wanted = statement.rows.size();
  const pg::parameters arrays = arrays_of(
      width, wanted,
      [&](std::size_t row) -> const std::vector<value>& { return statement.rows[row].values; });
  auto written = connection.run(shape.guard.write, arrays);
  if (!written) {
    return written.error();
  }
  std::vector<row_verdict> verdicts(wanted, row_verdict::written);
  if (pg::row_count(*written) == wanted) {
    return verdicts;
  }
  std::vector<bool> fresh(wanted, false);
  for (const std::size_t row : ordinals(*written)) {
    fresh[row] = true;
  }
  std::vector<std::size_t> known;
  for (std::size_t row = 0; row < wanted; ++row) {
    if (!fresh[row]) {
      known.push_back(row);
    }
  }
  const pg::parameters rest =
      arrays_of(width, known.size(), [&](std::size_t row) -> const std::vector<value>& {
        return statement.rows[known[row]].values;
      });
  // In a statement of its own: the row in the way may be younger than the snapshot of the insert.
  auto compared = connection.run(shape.guard.compare, rest);
  if (!compared) {
    return compared.error();
  }
  if (pg::row_count(*compared) < known.size()) {
    return error{
        fault::contended, "PW002",
        "table " + shape.shape.table + ": a row stood in the way of an insert and is gone again"};
  }
  for (std::size_t row = 0; row < pg::row_count(*compared); ++row) {
    const auto at = static_cast<std::size_t>(pg::cell(*compared, row, 0).number()) - 1;
    verdicts[known[at]] =
        pg::cell(*compared, row, 1).truth() ? row_verdict::conflict : row_verdict::duplicate;
  }
  return verdicts;
}

status postgres_effects::create_missing(postgres_connection& connection,
                                        const effect_shape* creator, const creators& rows) {
  auto shape = known(creator);
  if (!shape) {
    return shape.error();
  }
  if ((*shape)->create.empty()) {
    return {};  // an `insert` makes its row itself, and conflicts if it is there
  }
  const std::size_t width =
      creator->kind == effect_kind::add ? creator->key.size() : (*shape)->columns.size();
  const pg::parameters arrays =
      arrays_of(width, rows.size(), [&](std::size_t row) -> const std::vector<value>& {
        const row_locks::row& wanted = *rows[row];
        const auto& values = wanted.creator_values.empty() ? wanted.key : wanted.creator_values;
        invariant(values.size() >= width, "a row to be created lacks values of its creator");
        return values;
      });
  if (auto created = connection.run((*shape)->create, arrays); !created) {
    return created.error();
  }
  return {};
}

status postgres_effects::lock(postgres_connection& connection, const row_locks& locks) {
  if (locks.rows.empty()) {
    return {};
  }
  std::vector<std::pair<const effect_shape*, creators>> by_creator;  // in the order of the rows
  for (const row_locks::row& row : locks.rows) {
    if (row.creator == nullptr) {
      continue;
    }
    auto group = by_creator.begin();
    while (group != by_creator.end() && group->first != row.creator) {
      ++group;
    }
    if (group == by_creator.end()) {
      group = by_creator.insert(group, {row.creator, {}});
    }
    group->second.push_back(&row);
  }
  for (const auto& [creator, rows] : by_creator) {
    if (auto created = create_missing(connection, creator, rows); !created) {
      return created;
    }
  }
  const effect_shape by_key{
      .kind = effect_kind::remove, .table = locks.table, .key = locks.key, .columns = {}};
  std::string name = locks.table;
  for (const std::string& column : locks.key) {
    name += '\0' + column;
  }
  auto text = lock_texts_.find(name);
  if (text == lock_texts_.end()) {
    auto columns = columns_of(by_key, *tables_);
    if (!columns) {
      return columns.error();
    }
    text = lock_texts_.emplace(std::move(name), make_lock_sql(locks.table, *columns)).first;
  }
  const pg::parameters arrays =
      arrays_of(locks.key.size(), locks.rows.size(),
                [&](std::size_t row) -> const std::vector<value>& { return locks.rows[row].key; });
  if (auto locked = connection.run(text->second, arrays); !locked) {
    return locked.error();
  }
  return {};
}

}  // namespace pawl
