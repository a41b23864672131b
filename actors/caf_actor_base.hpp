#pragma once

#include <caf/all.hpp>

namespace pawl {

/// What every actor of Pawl is: class-based, deaf to messages it does not know, and not ended by an
/// error message that somebody sends. Its handlers catch everything they expect; CAF's own default
/// handlers would print to standard output and end the sender (caf.md section 3).
class actor_base : public caf::event_based_actor {
 public:
  explicit actor_base(caf::actor_config& config) : caf::event_based_actor(config) {
    set_default_handler([](caf::scheduled_actor*, caf::message_view&) -> caf::result<caf::message> {
      return caf::message{};
    });
    set_error_handler([](caf::error&) {});
    set_exit_handler([this](caf::exit_msg& message) { quit(std::move(message.reason)); });
  }
};

}  // namespace pawl
