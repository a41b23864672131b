#pragma once

#include "storage/keeper_session.hpp"
#include "storage/memory_disk.hpp"

#include <functional>
#include <memory>

namespace pawl {

/// Registration and leases on the memory store's disk; time is the store's.
class memory_keeper final : public keeper_session {
 public:
  memory_keeper(std::shared_ptr<memory_disk> disk, std::function<store_time_ms()> now);

  result<node_registration> register_node(const consumer_registration& wanted) override;
  result<std::vector<shard_grant>> take_leases(const node_registration& node) override;
  result<bool> heartbeat(const node_registration& node) override;
  status release(const node_registration& node) override;

 private:
  struct known_node {
    memory_consumer* consumer = nullptr;
    memory_node* node = nullptr;  ///< null: the name was registered again since
  };
  known_node find(const node_registration& node);

  std::shared_ptr<memory_disk> disk_;
  std::function<store_time_ms()> now_;
};

}  // namespace pawl
