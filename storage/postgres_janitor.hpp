#pragma once

#include "storage/janitor_session.hpp"
#include "storage/postgres_connection.hpp"

namespace pawl {

/// A consumer's number by its name; `refused` if it has never run.
[[nodiscard]] result<consumer_number> find_postgres_consumer(postgres_connection& connection,
                                                             const std::string& name);

/// Clock and ring, as janitor and command line see them.
[[nodiscard]] result<ledger_status> read_postgres_ledger(postgres_connection& connection,
                                                         consumer_number consumer);
[[nodiscard]] result<std::vector<source_position>> read_postgres_positions(
    postgres_connection& connection, consumer_number consumer);

/// The janitor's session. Owned and used by the janitor's thread; reconnects by itself.
class postgres_janitor_session final : public janitor_session {
 public:
  postgres_janitor_session(postgres_link link, consumer_number consumer)
      : link_(std::move(link)), consumer_(consumer) {}

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
  postgres_link link_;
  consumer_number consumer_;
};

}  // namespace pawl
