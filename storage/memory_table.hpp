#pragma once

#include "protocol/catalog.hpp"
#include "storage/commit_session.hpp"
#include "storage/memory_layers.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pawl {

/// A user's table of the memory store. All that it knows: integer and text columns, NOT NULL, a
/// default, unique keys (the first or primary one is the key), and `column >= constant`.
struct memory_table {
  catalog_table definition;
  std::map<std::string, value, std::less<>> defaults;
  std::map<std::string, std::int64_t, std::less<>> lower_bounds;
};

/// Orders values by kind, then number, then characters.
struct value_order {
  bool operator()(const value& left, const value& right) const;
  bool operator()(const std::vector<value>& left, const std::vector<value>& right) const;
};

/// The rows of one table and what the effects do to them. Not synchronized.
class memory_rows {
 public:
  using row = std::vector<value>;  ///< in the order of the definition's columns

  explicit memory_rows(memory_table table);

  /// Row by row, in order; stops at the first error, and what it had done stays until the caller
  /// rolls back.
  result<std::vector<row_verdict>> apply(const effect_statement& statement);

  [[nodiscard]] const catalog_table& definition() const noexcept { return table_.definition; }
  [[nodiscard]] std::vector<row> committed() const;
  /// Everything that a transaction must layer.
  [[nodiscard]] std::vector<layered*> layers();

 private:
  using index = layered_map<std::vector<value>, std::int64_t, value_order>;

  struct target {
    const effect_shape* shape = nullptr;
    index* by_key = nullptr;           ///< null: an insert without a key
    std::vector<std::size_t> key;      ///< positions of the key's columns in a row
    std::vector<std::size_t> columns;  ///< positions of the written ones
  };

  result<target> aim(const effect_shape& shape);
  result<row_verdict> apply_row(const target& at, const effect_statement& statement,
                                const std::vector<value>& given);
  result<row_verdict> insert(const target& at, const effect_statement& statement,
                             const std::vector<value>& given);
  status write(std::int64_t id, const row* before, row after);
  status create(row fresh);
  void remove(std::int64_t id, const row& before);
  [[nodiscard]] status check(const row& candidate) const;
  [[nodiscard]] row with_defaults() const;
  [[nodiscard]] std::size_t position(std::string_view column) const;

  memory_table table_;
  layered_map<std::int64_t, row> rows_;
  std::vector<std::unique_ptr<index>> indexes_;  ///< one per unique of the definition
  std::vector<std::vector<std::size_t>> index_columns_;
  std::int64_t next_id_ = 1;
};

}  // namespace pawl
