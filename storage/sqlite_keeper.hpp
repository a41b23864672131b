#pragma once

#include "storage/keeper_session.hpp"
#include "storage/sqlite_db.hpp"

#include <string>

namespace pawl {

/// Leases in a SQLite file: one node at a time has all shards. Each step is one BEGIN IMMEDIATE
/// transaction, which waits for an open commit as a fence would.
class sqlite_keeper_session final : public keeper_session {
 public:
  /// Throws `sqlite_failure`.
  sqlite_keeper_session(const std::string& file, std::int64_t lock_ms);

  result<node_registration> register_node(const consumer_registration& wanted) override;
  result<std::vector<shard_grant>> take_leases(const node_registration& node) override;
  result<bool> heartbeat(const node_registration& node) override;
  status release(const node_registration& node) override;

 private:
  /// Makes the consumer if it is new; throws `refused` for another shard count.
  consumer_number register_consumer(const consumer_registration& wanted);
  /// Throws `refused` if a live node of another name holds shards.
  void require_free(const node_registration& node);
  bool renew(const node_registration& node, bool live);

  sqlite_db db_;
};

}  // namespace pawl
