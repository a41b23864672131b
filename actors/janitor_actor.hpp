#pragma once

#include "actors/caf_actor_base.hpp"
#include "actors/caf_messages.hpp"
#include "actors/settings.hpp"
#include "storage/janitor_session.hpp"

#include <memory>
#include <vector>

namespace pawl {

/// Stores source positions, keeps the ledger's running clock and its generations, and brings marked
/// dead letters and undrained entities to their shards. Everything it does may be late; nothing
/// else waits for it but the position. Detached.
class janitor_actor final : public actor_base {
 public:
  janitor_actor(caf::actor_config& config, node_surroundings* around,
                std::shared_ptr<janitor_session> session, std::int64_t window_ms,
                std::vector<caf::actor> shards);
  [[nodiscard]] const char* name() const override { return "pawl.janitor"; }

 protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

 private:
  status rounds();
  status upkeep();
  void store();

  node_surroundings* around_;
  std::shared_ptr<janitor_session> session_;
  std::int64_t window_ms_;
  std::vector<caf::actor> shards_;
  std::vector<msg<store_positions>> to_store_;
  std::int64_t last_ms_ = 0;
};

}  // namespace pawl
