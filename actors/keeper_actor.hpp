#pragma once

#include "actors/caf_actor_base.hpp"
#include "actors/caf_messages.hpp"
#include "actors/settings.hpp"
#include "storage/keeper_session.hpp"

#include <memory>

namespace pawl {

/// Keeps the node's leases alive: renews its heartbeat three times in a lease time. Detached:
/// heartbeats never run on threads that handle messages. If another process took the name over, the
/// node ends.
class keeper_actor final : public actor_base {
 public:
  keeper_actor(caf::actor_config& config, node_surroundings* around,
               std::shared_ptr<keeper_session> session, node_registration node,
               std::int64_t lease_ms);
  [[nodiscard]] const char* name() const override { return "pawl.keeper"; }

 protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

 private:
  node_surroundings* around_;
  std::shared_ptr<keeper_session> session_;
  node_registration node_;
  std::int64_t lease_ms_;
};

}  // namespace pawl
