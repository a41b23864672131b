#include "runtime/config/check_effects.hpp"

#include "protocol/check_shape.hpp"
#include "runtime/config/section.hpp"

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

/// Checks one effect. Lives as long as that takes.
class effect_checker {
 public:
  effect_checker(const effect_rules& rules, const effect_to_check& effect,
                 config_problems& problems)
      : rules_(rules), effect_(effect), shape_(effect.shape), problems_(problems) {}

  bool run() {
    table_ = rules_.tables->find(shape_.table);
    if (table_ == nullptr) {
      add(effect_.table_where, "there is no table `" + shape_.table + "`",
          rules_.known_tables.empty()
              ? "the database has none of yours: make them, with `pawl migrate " +
                    effect_.table_where.file + " --setup YOUR-TABLES.sql`"
              : suggest(shape_.table, rules_.known_tables));
      return false;
    }
    check_columns();
    if (!sound_) {
      return false;
    }
    if (shape_.kind == effect_kind::insert) {
      check_guard();
    } else {
      check_key();
    }
    if (shape_.kind == effect_kind::add) {
      check_sums();
    }
    if (sound_) {
      check_created_row();
    }
    return sound_ && check_rest();
  }

 private:
  void add(const file_position& where, std::string what, std::string fix) {
    problems_.add(where, std::move(what), std::move(fix));
    sound_ = false;
  }

  /// Where a column is named; the effect's place if that is not known.
  [[nodiscard]] const file_position& place(const std::vector<file_position>& places,
                                           std::size_t index) const {
    return index < places.size() ? places[index] : effect_.where;
  }

  [[nodiscard]] std::string named(const std::string& column) const {
    return "column `" + column + "` of table `" + shape_.table + "`";
  }

  void check_columns() {
    std::vector<std::string> known;
    for (const catalog_column& column : table_->columns) {
      known.push_back(column.name);
    }
    const auto check = [&](const std::string& name, const file_position& where, bool written) {
      const catalog_column* column = table_->find(name);
      if (column == nullptr) {
        add(where, "table `" + shape_.table + "` has no column `" + name + "`",
            suggest(name, known));
      } else if (written && column->generated) {
        add(where, named(name) + " is computed by the database", "leave it out");
      }
    };
    for (std::size_t i = 0; i < shape_.columns.size(); ++i) {
      check(shape_.columns[i], place(effect_.columns_where, i), true);
    }
    if (shape_.kind == effect_kind::insert) {
      return;  // its key is among the columns
    }
    for (std::size_t i = 0; i < shape_.key.size(); ++i) {
      check(shape_.key[i], place(effect_.key_where, i), false);
      if (contains(shape_.columns, shape_.key[i])) {
        add(place(effect_.key_where, i), named(shape_.key[i]) + " is in `key` and in `values`",
            "leave it out of `values`");
      }
    }
  }

  void check_key() {
    const bool unique = std::any_of(
        table_->uniques.begin(), table_->uniques.end(), [this](const catalog_unique& each) {
          return !each.partial && !each.columns.empty() &&
                 std::all_of(
                     each.columns.begin(), each.columns.end(),
                     [this](const std::string& name) { return contains(shape_.key, name); });
        });
    if (!unique) {
      add(place(effect_.key_where, 0),
          "`" + std::string(name_of(shape_.kind)) + "` finds its row by (" + join(shape_.key) +
              "), on which table `" + shape_.table + "` has no primary key or unique constraint",
          unique_keys());
    }
  }

  [[nodiscard]] std::string unique_keys() const {
    std::string known;
    for (const catalog_unique& each : table_->uniques) {
      if (!each.partial) {
        known += (known.empty() ? "(" : " or (") + join(each.columns) + ")";
      }
    }
    return known.empty() ? "add one to the table" : "use " + known + ", or add one to the table";
  }

  void check_sums() {
    for (std::size_t i = 0; i < shape_.columns.size(); ++i) {
      const catalog_column& column = *table_->find(shape_.columns[i]);
      const file_position& where = place(effect_.columns_where, i);
      const bool number = column.type == column_type::integer ||
                          column.type == column_type::decimal || column.type == column_type::real;
      if (!number) {
        add(where, "`add` to " + named(column.name) + ", which is " + column.sql_type,
            "use `set`, or a column of numbers");
      } else if (!column.not_null) {
        add(where, "`add` to " + named(column.name) + ", which may be NULL: NULL plus 5 is NULL",
            "make the column NOT NULL DEFAULT 0");
      } else if (rules_.integer_adds_only && column.type != column_type::integer) {
        add(where,
            "`add` to " + named(column.name) + ", which is " + column.sql_type +
                ": SQLite keeps sums exact only in integers",
            "count in the smallest unit, as an INTEGER");
      }
    }
  }

  /// `insert` is checked by `check_shape`.
  void check_created_row() {
    const bool upserts = shape_.kind == effect_kind::upsert;
    const bool creates =
        upserts || (shape_.kind == effect_kind::add && shape_.missing == missing_row::create);
    if (!creates || table_->before_insert_triggers) {
      return;  // a trigger may fill what is missing
    }
    for (const catalog_column& column : table_->columns) {
      const bool given =
          contains(shape_.key, column.name) || (upserts && contains(shape_.columns, column.name));
      if (column.not_null && !column.has_default && !column.generated && !given) {
        add(effect_.where,
            "`" + std::string(name_of(shape_.kind)) + "` may have to create a row, and " +
                named(column.name) + " is NOT NULL without a default",
            upserts ? "add it to `values`, or give the column a default"
                    : "give the column a default, or write `missing: fail`");
      }
    }
  }

  void check_guard() {
    if (!effect_.is_guard || !rules_.several_entities) {
      return;
    }
    const bool tells_apart = std::any_of(
        shape_.key.begin(), shape_.key.end(),
        [this](const std::string& name) { return contains(effect_.entity_columns, name); });
    if (!tells_apart) {
      add(effect_.where,
          "a message may address several entities, and the guard's key (" + join(shape_.key) +
              ") holds no entity's key: the second entity would be taken for a repeat of the first",
          "add a column with `$key` to the unique constraint and to `unique`");
    }
  }

  /// Whatever has no place of its own is said of the whole effect.
  bool check_rest() {
    shape_registry scratch;
    const result<checked_shape> checked =
        check_shape(rules_.pair, *rules_.tables, scratch, effect_.shape);
    if (!checked) {
      add(effect_.where, checked.error().text, "");
    }
    return sound_;
  }

  const effect_rules& rules_;
  const effect_to_check& effect_;
  const effect_shape& shape_;
  config_problems& problems_;
  const catalog_table* table_ = nullptr;
  bool sound_ = true;
};

}  // namespace

bool check_effect(const effect_rules& rules, const effect_to_check& effect,
                  config_problems& problems) {
  return effect_checker(rules, effect, problems).run();
}

}  // namespace pawl
