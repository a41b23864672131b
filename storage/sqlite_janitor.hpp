#pragma once

#include "storage/janitor_session.hpp"
#include "storage/sqlite_db.hpp"

#include <string>

namespace pawl {

/// The janitor over SQLite: each step is one short BEGIN IMMEDIATE transaction.
class sqlite_janitor_session final : public janitor_session {
 public:
  /// Throws `sqlite_failure`.
  sqlite_janitor_session(const std::string& file, std::int64_t lock_ms,
                         const std::string& consumer);

  result<ledger_status> ledger() override;
  result<std::int64_t> advance_clock(std::int64_t elapsed_ms) override;
  status rotate() override;
  status record_highest(std::int64_t generation, std::span<const source_position> highest) override;
  status retire(std::int64_t generation) override;
  status truncate(std::int64_t generation) override;
  result<std::vector<source_position>> positions() override;
  status save_positions(std::span<const source_position> positions) override;
  result<std::vector<marked_dead_letter>> marked(std::size_t limit) override;
  result<std::vector<undrained_entity>> undrained(std::size_t limit) override;

 private:
  sqlite_db db_;
  consumer_number consumer_;
};

}  // namespace pawl
