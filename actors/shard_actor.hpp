#pragma once

#include "actors/caf_actor_base.hpp"
#include "actors/caf_messages.hpp"
#include "actors/settings.hpp"
#include "actors/shard_lanes.hpp"

#include <unordered_map>
#include <vector>

namespace pawl {

/// One shard: supervisor of its entities' workers, keeper of their lanes. All decisions are in
/// `shard_lanes`.
class shard_actor final : public actor_base {
 public:
  /// `around` outlives the actor. `intakes` are told by `know_intakes`, since they are made after
  /// the shards.
  shard_actor(caf::actor_config& config, node_surroundings* around, shard_grant grant,
              caf::actor committer);
  [[nodiscard]] const char* name() const override { return "pawl.shard"; }

 protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

 private:
  void act(shard_output& out);
  [[nodiscard]] task_ptr task_of(const addressed_ptr& pair, const entity_ref& entity,
                                 const stored_ref& from) const;
  [[nodiscard]] addressed_ptr decode(const std::string& envelope, const entity_ref& entity);

  node_surroundings* around_;
  shard_grant grant_;
  caf::actor committer_;
  std::vector<caf::actor> intakes_;
  shard_lanes lanes_;
  message_decoder decoder_;
  std::unordered_map<entity_ref, caf::actor> workers_;
};

/// Runtime -> shard, once: who waits for acknowledgements, by the index that deliveries carry.
struct know_intakes {
  std::vector<caf::actor> intakes;
};

}  // namespace pawl

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::know_intakes>)
