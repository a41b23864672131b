#pragma once

#include "storage/rows.hpp"
#include "storage/sqlite_db.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// Looks up ledger keys of one consumer in its ledger tables, dead letters (not `conflict` ones)
/// and parked rows. Belongs to one session. Throws `sqlite_failure`.
class sqlite_ledger {
 public:
  explicit sqlite_ledger(consumer_number consumer) : consumer_(consumer) {}

  /// Reads the set of generations; once in every transaction, before the other calls.
  void refresh(sqlite_db& db);
  /// Inserts a row unless the key is known somewhere; true if it did.
  [[nodiscard]] bool insert(sqlite_db& db, const ledger_key& key, fingerprint content);
  /// The row of the ledger tables, and the generation that holds it.
  struct found_row {
    fingerprint content;
    std::int64_t generation = 0;
  };
  [[nodiscard]] std::optional<found_row> find_row(sqlite_db& db, const ledger_key& key);
  /// What is known of a key, in the ledger too if asked.
  [[nodiscard]] std::optional<guard_trace> find(sqlite_db& db, const ledger_key& key,
                                                bool in_ledger);
  /// Counts rows that `insert` added.
  void count_rows(sqlite_db& db, std::int64_t added);

 private:
  struct table {
    std::int64_t number = 0;
    int slot = 0;
    friend bool operator==(const table&, const table&) = default;
  };

  void compile();

  consumer_number consumer_;
  std::vector<table> tables_;  ///< those that are read; the current one first
  std::string insert_sql_;
  std::vector<std::string> find_sql_;
};

}  // namespace pawl
