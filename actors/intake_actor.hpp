#pragma once

#include "actors/caf_actor_base.hpp"
#include "actors/caf_messages.hpp"
#include "actors/intake.hpp"
#include "actors/retry.hpp"
#include "actors/settings.hpp"

#include <memory>
#include <vector>

namespace pawl {

/// The intake of one source: polls it under credits, decodes, sends each message to its shard,
/// acknowledges what is finished, and has the frontier stored. Owns the source; polling may block,
/// so it is detached.
class intake_actor final : public actor_base {
 public:
  /// `shards` by shard number.
  intake_actor(caf::actor_config& config, node_surroundings* around, intake_settings settings,
               std::shared_ptr<source> from, std::vector<caf::actor> shards, caf::actor janitor);
  [[nodiscard]] const char* name() const override { return "pawl.intake"; }

 protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

 private:
  void poll();
  void poll_later(std::chrono::milliseconds after);
  void finish(const std::vector<delivery_ptr>& deliveries);
  void store_frontiers();
  void tell_if_finished();
  [[nodiscard]] bool over() const { return ended_ || stopping_; }

  node_surroundings* around_;
  std::uint32_t index_;
  std::shared_ptr<source> source_;
  intake intake_;
  std::vector<caf::actor> shards_;
  caf::actor janitor_;
  bool ended_ = false;
  bool stopping_ = false;
  bool polling_ = false;  ///< a poll is on its way
  bool told_ = false;
  std::uint64_t asked_ = 0;   ///< number of the last store request
  std::uint64_t stored_ = 0;  ///< of the last one that was answered
  std::int64_t asked_ms_ = 0;
  int failures_ = 0;
};

}  // namespace pawl
