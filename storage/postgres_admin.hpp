#pragma once

#include "storage/admin_session.hpp"
#include "storage/postgres_connection.hpp"
#include "storage/postgres_waiting.hpp"

namespace pawl {

/// The command line's session. Owned and used by one thread; reconnects by itself.
class postgres_admin_session final : public admin_session {
 public:
  postgres_admin_session(postgres_link link, consumer_number consumer, std::string name)
      : link_(std::move(link)), consumer_(consumer), name_(std::move(name)), waiting_(consumer) {}

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
  postgres_link link_;
  consumer_number consumer_;
  std::string name_;
  postgres_waiting waiting_;
};

}  // namespace pawl
