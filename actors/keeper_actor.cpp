#include "actors/keeper_actor.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pawl {

keeper_actor::keeper_actor(caf::actor_config& config, node_surroundings* around,
                           std::shared_ptr<keeper_session> session, node_registration node,
                           std::int64_t lease_ms)
    : actor_base(config),
      around_(around),
      session_(std::move(session)),
      node_(node),
      lease_ms_(lease_ms) {}

caf::behavior keeper_actor::make_behavior() {
  const std::chrono::milliseconds interval(std::max<std::int64_t>(1, lease_ms_ / 3));
  delayed_send(this, interval, do_rounds{});
  return {
      [this, interval](do_rounds) {
        if (around_->abandoned.load(std::memory_order_relaxed)) {
          return;
        }
        const auto alive = session_->heartbeat(node_);
        if (!alive.ok()) {
          around_->alarms->raise("store:keeper", alive.error().text);
        } else if (!*alive) {
          around_->ended(true,
                         "another process has started under this node's name; this one stops");
          return;
        } else {
          around_->alarms->clear("store:keeper");
        }
        delayed_send(this, interval, do_rounds{});
      },
  };
}

void keeper_actor::on_exit() { session_.reset(); }

}  // namespace pawl
