#pragma once

#include "actors/intake.hpp"
#include "actors/settings.hpp"
#include "storage/runner.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace pawl {

/// What the actors of a node are started with. Everything is moved in.
struct actors_plan {
  node_surroundings* around = nullptr;  ///< outlives the actors
  node_registration node;
  std::vector<shard_grant> grants;                               ///< of all shards
  std::vector<std::unique_ptr<commit_session>> commit_sessions;  ///< one a committer
  std::unique_ptr<janitor_session> janitor;
  std::unique_ptr<keeper_session> keeper;
  struct intake_plan {
    intake_settings settings;
    std::unique_ptr<source> from;
  };
  std::vector<intake_plan> intakes;
  runner_config runner;
  retry_policy store_retry;
  std::size_t batch_messages = 1024;
  std::uint32_t handlers_spare = 8;  ///< threads of the pool beyond the cores
  std::int64_t lease_ms = 15'000;
  std::int64_t window_ms = 0;
};

/// The actors of one node and the system that runs them: the only place outside `actors/` that
/// knows CAF. Used by the runtime's owner thread.
class node_actors {
 public:
  explicit node_actors(actors_plan plan);
  node_actors(const node_actors&) = delete;
  node_actors& operator=(const node_actors&) = delete;
  /// Ends them and waits: whoever is inside a store call finishes that call first.
  ~node_actors();

  /// The intakes poll no more, and tell when they are finished.
  void stop_intakes();

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace pawl
