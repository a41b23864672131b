#include "storage/memory_keeper.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace pawl {

memory_keeper::memory_keeper(std::shared_ptr<memory_disk> disk, std::function<store_time_ms()> now)
    : disk_(std::move(disk)), now_(std::move(now)) {}

result<node_registration> memory_keeper::register_node(const consumer_registration& wanted) {
  const std::unique_lock lock(disk_->mutex);
  auto& consumer = disk_->consumers[wanted.consumer];
  if (consumer == nullptr) {
    consumer = std::make_unique<memory_consumer>();
    consumer->name = wanted.consumer;
    consumer->number.value = static_cast<std::int32_t>(disk_->consumers.size());
    consumer->leases.resize(wanted.shards);
    for (std::size_t i = 0; i < consumer->ring.size(); ++i) {
      consumer->ring[i].slot = static_cast<int>(i);
    }
    consumer->ring[0].number = 1;
    consumer->ring[0].state = generation_state::current;
  }
  if (consumer->leases.size() != wanted.shards) {
    return error{fault::refused, "shards",
                 "consumer " + wanted.consumer + " was started with " +
                     std::to_string(consumer->leases.size()) + " shards, not " +
                     std::to_string(wanted.shards) + ": the count is fixed at the first start"};
  }
  auto& node = consumer->nodes[wanted.node];
  if (node.number.value == 0) {
    node.number.value = static_cast<std::int32_t>(consumer->nodes.size());
  }
  ++node.incarnation;
  node.lease_ms = wanted.lease_ms;
  node.expires = now_() + wanted.lease_ms;
  return node_registration{consumer->number, node.number, node.incarnation};
}

memory_keeper::known_node memory_keeper::find(const node_registration& node) {
  for (auto& [name, consumer] : disk_->consumers) {
    if (consumer->number != node.consumer) {
      continue;
    }
    for (auto& [node_name, row] : consumer->nodes) {
      if (row.number == node.node && row.incarnation == node.incarnation) {
        return {consumer.get(), &row};
      }
    }
  }
  return {};
}

result<std::vector<shard_grant>> memory_keeper::take_leases(const node_registration& node) {
  std::unique_lock lock(disk_->mutex);
  // The writer's slot stands for every owner's exclusive fence: it waits for the open commit.
  if (auto slot = disk_->take_slot(lock); !slot.ok()) {
    return slot.error();
  }
  disk_->free_slot();
  const auto [consumer, self] = find(node);
  if (self == nullptr) {
    return error{fault::refused, "incarnation", "another process registered this node name since"};
  }
  const auto now = now_();
  for (const auto& lease : consumer->leases) {
    for (const auto& [name, other] : consumer->nodes) {
      if (other.number == lease.owner && lease.owner != node.node && other.expires > now) {
        return error{fault::refused, "leased",
                     "node " + name + " holds shards of consumer " + consumer->name +
                         " for another " + std::to_string(other.expires - now) + " ms"};
      }
    }
  }
  std::vector<shard_grant> grants;
  for (std::size_t i = 0; i < consumer->leases.size(); ++i) {
    auto& lease = consumer->leases[i];
    lease.owner = node.node;
    ++lease.epoch.value;
    grants.push_back({shard_id{static_cast<std::uint32_t>(i)}, lease.epoch});
  }
  self->expires = now + self->lease_ms;
  return grants;
}

result<bool> memory_keeper::heartbeat(const node_registration& node) {
  const std::unique_lock lock(disk_->mutex);
  const auto [consumer, self] = find(node);
  if (self == nullptr) {
    return false;
  }
  self->expires = now_() + self->lease_ms;
  return true;
}

status memory_keeper::release(const node_registration& node) {
  const std::unique_lock lock(disk_->mutex);
  const auto [consumer, self] = find(node);
  if (self != nullptr) {
    self->expires = now_();
  }
  return {};
}

}  // namespace pawl
