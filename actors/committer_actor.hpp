#pragma once

#include "actors/caf_actor_base.hpp"
#include "actors/caf_messages.hpp"
#include "actors/retry.hpp"
#include "actors/settings.hpp"
#include "storage/runner.hpp"

#include <memory>
#include <vector>

namespace pawl {

struct committer_settings {
  std::size_t batch_messages = 1024;  ///< most messages in one commit; one part more may pass it
  retry_policy retry;                 ///< of the store; without an end
  runner_config runner;
};

/// Commits what the workers of its shards hand in, many entities together: what gathers while one
/// commit runs is the next. Also reads entities, parked messages and dead letters for them. Owns
/// one store session; blocks in it, so it is detached. An entity always goes to the same committer.
/// Infrastructure errors are retried without end, and everything that comes in waits: credits bound
/// it.
class committer_actor final : public actor_base {
 public:
  committer_actor(caf::actor_config& config, node_surroundings* around, std::uint32_t number,
                  std::shared_ptr<commit_session> session, committer_settings settings);
  [[nodiscard]] const char* name() const override { return "pawl.committer"; }

 protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

 private:
  void gather();
  void flush();
  bool read();
  bool commit();
  void answer(batch_result& committed);
  void fail(const error& why);
  void recover();

  node_surroundings* around_;
  std::string alarm_;
  std::shared_ptr<commit_session> session_;
  committer_settings settings_;
  commit_runner runner_;
  /// Where the part of the same index came from.
  struct sender {
    std::uint64_t flight = 0;
    caf::actor shard;
  };
  std::vector<commit_part> parts_;
  std::vector<sender> senders_;
  std::size_t messages_ = 0;
  std::vector<msg<load_request>> loads_;
  std::vector<msg<fetch_parked>> fetches_;
  std::vector<msg<fetch_dead_letter>> dead_fetches_;
  bool flush_on_its_way_ = false;
  int failures_ = 0;  ///< in a row
};

}  // namespace pawl
