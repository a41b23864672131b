#pragma once

#include "storage/admin_session.hpp"
#include "storage/sqlite_db.hpp"
#include "storage/sqlite_ledger.hpp"

#include <string>

namespace pawl {

/// The command line over SQLite: reads under WAL beside a running node, and marks in short
/// transactions.
class sqlite_admin_session final : public admin_session {
 public:
  /// Throws `sqlite_failure`.
  sqlite_admin_session(const std::string& file, std::int64_t lock_ms, std::string consumer);

  result<consumer_status> status_of() override;
  result<ledger_status> ledger() override;
  result<std::vector<dead_letter_row>> dead_letters(std::size_t limit) override;
  result<std::optional<dead_letter_row>> dead_letter(std::int64_t id) override;
  result<bool> mark(std::int64_t id, dead_letter_mark mark) override;
  result<std::optional<loaded_entity>> entity(const entity_ref& entity) override;
  result<std::vector<parked_row>> parked(const entity_ref& entity, std::size_t limit) override;
  result<message_traces> trace(const ledger_key& key) override;
  result<std::vector<entity_ref>> entities(const std::string& type, std::size_t limit) override;

 private:
  sqlite_db db_;
  std::string name_;
  consumer_number consumer_;
  sqlite_ledger ledger_;
};

}  // namespace pawl
