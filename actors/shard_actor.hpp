#pragma once

#include "actors/caf_actor_base.hpp"
#include "actors/caf_messages.hpp"
#include "actors/settings.hpp"
#include "actors/shard_lanes.hpp"

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace pawl {

/// One shard: supervisor of its entities' workers, keeper of their lanes. All decisions are in
/// `shard_lanes`.
class shard_actor final : public actor_base {
 public:
  /// `around` outlives the actor.
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
  [[nodiscard]] message_decoder& decoder_for(const std::string& source);
  /// True if the message of an undecodable dead letter can be decoded now, and is on its way.
  bool hand_over(const dead_letter_row& row);

  node_surroundings* around_;
  shard_grant grant_;
  caf::actor committer_;
  std::vector<caf::actor> intakes_;
  std::vector<caf::actor> shards_;
  shard_lanes lanes_;
  std::map<std::string, message_decoder, std::less<>> decoders_;  ///< by the source's name
  std::unordered_map<entity_ref, caf::actor> workers_;
};

/// Runtime -> shard, once, when all are made.
struct know_others {
  std::vector<caf::actor> intakes;  ///< who waits for acknowledgements, as deliveries count them
  std::vector<caf::actor> shards;   ///< by number
};

}  // namespace pawl

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(pawl::msg<pawl::know_others>)
