#pragma once

#include "storage/commit_session.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

struct consumer_registration {
  std::string consumer;
  std::uint32_t shards = 0;  ///< fixed at the first start, checked later
  std::string node;          ///< `node.name`
  std::int64_t lease_ms = 0;
};

struct node_registration {
  consumer_number consumer;
  node_number node;
  std::int64_t incarnation = 0;  ///< raised at every registration of the name; tells two processes
                                 ///< apart
};

/// The lease keeper's connection: consumer, node and shard leases, in database time. Used by one
/// thread, which never handles messages.
class keeper_session {
 public:
  virtual ~keeper_session() = default;

  /// Makes the consumer (with its ledger ring) and the node if they are new. `refused` if the shard
  /// count differs from the stored one; the text says both.
  virtual result<node_registration> register_node(const consumer_registration& wanted) = 0;
  /// Takes every shard that is free, expired, or was this node name's: behind the old owner's
  /// exclusive fence, with a raised epoch. `refused` if another live node holds some; the text says
  /// which and until when.
  virtual result<std::vector<shard_grant>> take_leases(const node_registration& node) = 0;
  /// Renews the node's heartbeat. False: another process registered the name since; this one must
  /// stop.
  virtual result<bool> heartbeat(const node_registration& node) = 0;
  /// Gives the leases back at a clean stop (they expire at once; epochs stay).
  virtual status release(const node_registration& node) = 0;
};

}  // namespace pawl
