#pragma once

#include "storage/keeper_session.hpp"
#include "storage/postgres_connection.hpp"

namespace pawl {

/// The lease keeper's session. Owned and used by the keeper's thread; reconnects by itself.
class postgres_keeper_session final : public keeper_session {
 public:
  explicit postgres_keeper_session(postgres_link link) : link_(std::move(link)) {}

  result<node_registration> register_node(const consumer_registration& wanted) override;
  result<std::vector<shard_grant>> take_leases(const node_registration& node) override;
  result<bool> heartbeat(const node_registration& node) override;
  status release(const node_registration& node) override;

 private:
  postgres_link link_;
};

}  // namespace pawl
