#include "storage/sqlite_ledger.hpp"

#include "storage/sqlite_migrations.hpp"

#include <fmt/format.h>

namespace pawl {

void sqlite_ledger::refresh(sqlite_db& db) {
  std::vector<table> tables;
  db.each(
      "SELECT number, slot FROM pawl_generation"
      " WHERE consumer = ?1 AND state IN ('current', 'frozen') ORDER BY state, number DESC",
      [&](const sqlite_statement& row) {
        tables.push_back({row.number(0), static_cast<int>(row.number(1))});
      },
      consumer_);
  if (tables.empty()) {
    throw sqlite_failure(fault::deployment, "no_ledger",
                         "the consumer has no ledger tables in this file: it is not registered");
  }
  if (tables != tables_) {
    tables_ = std::move(tables);
    compile();
  }
}

void sqlite_ledger::compile() {
  find_sql_.clear();
  std::string known;
  for (const table& each : tables_) {
    const std::string name = sqlite_ledger_table(consumer_, each.slot);
    find_sql_.push_back(fmt::format("SELECT content FROM {} WHERE key = ?1", name));
    if (&each != &tables_.front()) {
      known += fmt::format("EXISTS(SELECT 1 FROM {} WHERE key = ?1) OR ", name);
    }
  }
  insert_sql_ = fmt::format(
      "INSERT INTO {0}(key, content) SELECT ?1, ?2 WHERE NOT ({1}"
      "EXISTS(SELECT 1 FROM pawl_dead_letter"
      " WHERE consumer = {2} AND key = ?1 AND reason <> 'conflict') OR "
      "EXISTS(SELECT 1 FROM pawl_parked WHERE consumer = {2} AND key = ?1))"
      " ON CONFLICT(key) DO NOTHING",
      sqlite_ledger_table(consumer_, tables_.front().slot), known, consumer_.value);
}

bool sqlite_ledger::insert(sqlite_db& db, const ledger_key& key, fingerprint content) {
  return db.run(insert_sql_, key, content) == 1;
}

std::optional<sqlite_ledger::found_row> sqlite_ledger::find_row(sqlite_db& db,
                                                                const ledger_key& key) {
  std::optional<found_row> found;
  for (std::size_t i = 0; i < tables_.size() && !found; ++i) {
    db.one(
        find_sql_[i],
        [&](const sqlite_statement& row) {
          found = found_row{row.content(0), tables_[i].number};
        },
        key);
  }
  return found;
}

std::optional<guard_trace> sqlite_ledger::find(sqlite_db& db, const ledger_key& key,
                                               bool in_ledger) {
  if (in_ledger) {
    if (const auto row = find_row(db, key)) {
      return guard_trace{guard_trace::place::ledger, row->content};
    }
  }
  std::optional<guard_trace> found;
  db.one(
      "SELECT content FROM pawl_dead_letter"
      " WHERE consumer = ?1 AND key = ?2 AND reason <> 'conflict' ORDER BY id",
      [&](const sqlite_statement& row) {
        found = guard_trace{guard_trace::place::dead_letter, row.content(0)};
      },
      consumer_, key);
  if (!found) {
    db.one(
        "SELECT content FROM pawl_parked WHERE consumer = ?1 AND key = ?2",
        [&](const sqlite_statement& row) {
          found = guard_trace{guard_trace::place::parked, row.content(0)};
        },
        consumer_, key);
  }
  return found;
}

void sqlite_ledger::count_rows(sqlite_db& db, std::int64_t added) {
  db.run("UPDATE pawl_generation SET rows = rows + ?3 WHERE consumer = ?1 AND slot = ?2", consumer_,
         tables_.front().slot, added);
}

}  // namespace pawl
