#pragma once

#include "storage/admin_session.hpp"
#include "storage/memory_disk.hpp"

#include <functional>
#include <memory>

namespace pawl {

/// The command line's reads and marks on the memory store's disk.
class memory_admin final : public admin_session {
 public:
  memory_admin(std::shared_ptr<memory_disk> disk, memory_consumer& consumer,
               std::function<store_time_ms()> now);

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
  [[nodiscard]] std::vector<dead_letter_row> letters_by_id() const;

  std::shared_ptr<memory_disk> disk_;
  memory_consumer& consumer_;
  std::function<store_time_ms()> now_;
};

}  // namespace pawl
