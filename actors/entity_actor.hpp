#pragma once

#include "actors/caf_actor_base.hpp"
#include "actors/caf_messages.hpp"
#include "actors/entity_logic.hpp"

namespace pawl {

/// The worker of one active entity: loads, runs handlers, hands the part to the committer. Made,
/// fed one flight at a time, and ended by its shard; ends by itself when a handler throws, after it
/// has told the shard.
class entity_actor final : public actor_base {
 public:
  entity_actor(caf::actor_config& config, entity_logic logic, entity_ref entity, caf::actor shard,
               caf::actor committer);
  [[nodiscard]] const char* name() const override { return "pawl.entity"; }

 protected:
  caf::behavior make_behavior() override;

 private:
  void work(const flight_ptr& work);

  entity_logic logic_;
  entity_ref entity_;
  caf::actor shard_;
  caf::actor committer_;
  flight_ptr loading_;  ///< waits for its load
};

}  // namespace pawl
