#pragma once

#include "protocol/catalog.hpp"
#include "protocol/effect.hpp"
#include "storage/table_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pawl {

struct table_facts;

/// Columns of a table that foreign keys point to.
struct reference_target {
  table_facts* parent = nullptr;
  std::vector<std::string> columns;
  bool exact = false;  ///< compared as we compare them
};

/// What planning must know of a table, with the marks of the batch that is being planned. A phase
/// of -1: none yet.
struct table_facts {
  const catalog_table* table = nullptr;  ///< null if the catalog does not have it
  const table_rules* rules = nullptr;    ///< null likewise: then every effect waits for the last
  std::vector<table_facts*> children;    ///< tables with a foreign key to this one
  std::vector<std::unique_ptr<reference_target>> targets;

  std::uint64_t batch = 0;                        ///< the batch that the marks below belong to
  const std::vector<std::string>* key = nullptr;  ///< how the batch addresses rows, if in one way
  bool whole = false;           ///< rows can't be told apart: the table is one row
  bool guarded_writes = false;  ///< the batch writes columns of other unique keys
  int rows_last = -1;           ///< last phase that writes single rows
  int whole_last = -1;          ///< last phase that writes the table as one row
  std::uintptr_t whole_class = 0;
  int exists_last = -1;        ///< last phase that may make or remove rows
  int whole_exists_last = -1;  ///< likewise, not known which rows
  int refers_last = -1;        ///< last phase that needs rows to exist
  int whole_refers_last = -1;  ///< likewise, not known which rows
};

/// A foreign key that a shape writes.
struct shape_reference {
  const reference_target* target = nullptr;
  std::vector<std::size_t> at;  ///< positions of its columns in an effect's values; empty if it
                                ///< can't be told which row is meant
};

struct folded_column {
  std::size_t at = 0;  ///< position in an effect's values
  int scale = 0;
  int bits = 64;
};

/// What planning must know of a shape.
struct shape_facts {
  const effect_shape* shape = nullptr;
  table_facts* table = nullptr;
  std::vector<std::size_t> key_at;  ///< positions of the key in an effect's values
  bool exact_key = false;
  bool writes_guarded = false;
  bool creates = false;  ///< may make the row
  bool alone = false;    ///< nothing else may happen beside it
  bool shared = false;   ///< its rows need locks
  bool folds_add = false;
  bool folds_last = false;          ///< the last of several stands for all
  std::vector<folded_column> sums;  ///< of `folds_add`
  std::vector<shape_reference> references;
  /// Positions of its table's `targets` in an effect's values; empty if they are not all there.
  std::vector<std::vector<std::size_t>> target_at;
  std::vector<std::string> compared;  ///< as in `effect_statement`, if it is a guard

  std::uint64_t batch = 0;
  std::vector<std::int32_t> statements;  ///< of the batch, by 2 * phase + guard; -1: none
};

/// Facts of all shapes that a runner has met. Used by one thread.
class shape_book {
 public:
  shape_book(const catalog* tables, const std::map<std::string, table_rules, std::less<>>* rules,
             bool folds);

  [[nodiscard]] shape_facts& of(const effect_shape* shape);

 private:
  table_facts& table_of(const std::string& name);
  std::unique_ptr<shape_facts> study(const effect_shape* shape);
  void study_folds(shape_facts& facts) const;
  void study_references(shape_facts& facts);
  static void study_targets(shape_facts& facts);
  static reference_target* target_of(table_facts& parent, const std::vector<std::string>& columns);
  [[nodiscard]] static std::vector<std::string> compared_columns(const shape_facts& facts);

  const catalog* tables_;
  const std::map<std::string, table_rules, std::less<>>* rules_;
  bool folds_;
  std::unordered_map<std::string, std::unique_ptr<table_facts>> table_facts_;
  std::unordered_map<const effect_shape*, std::unique_ptr<shape_facts>> shape_facts_;
  const effect_shape* last_shape_ = nullptr;
  shape_facts* last_facts_ = nullptr;
};

}  // namespace pawl
