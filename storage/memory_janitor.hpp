#pragma once

#include "storage/janitor_session.hpp"
#include "storage/memory_disk.hpp"

#include <memory>

namespace pawl {

/// Ledger generations, positions and marks on the memory store's disk.
class memory_janitor final : public janitor_session {
 public:
  memory_janitor(std::shared_ptr<memory_disk> disk, memory_consumer& consumer);

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
  std::shared_ptr<memory_disk> disk_;
  memory_consumer& consumer_;
};

/// The ring with its rows counted. The caller holds the disk's mutex.
[[nodiscard]] ledger_status count_ledger(const memory_consumer& consumer);

}  // namespace pawl
