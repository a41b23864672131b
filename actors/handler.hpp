#pragma once

#include "protocol/contract.hpp"
#include "protocol/effects.hpp"
#include "protocol/message.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// Turns one message into effects. No I/O, and nothing remembered between calls: state that must
/// survive is the entity's. Called on pooled threads, for different entities at the same time, for
/// one entity never. An exception crashes the entity's worker: the message is tried again after a
/// backoff, and becomes a dead letter after its attempts.
class handler {
 public:
  virtual ~handler() = default;

  /// `state` is the entity's, empty until one was written; given only if the contract reads state.
  /// Effects (and the new state) go to `out`.
  virtual void handle(const addressed_message& message, const std::optional<std::string>& state,
                      effect_list& out) const = 0;
};

/// One declared message type with what handles it.
struct handler_registration {
  std::unique_ptr<message_contract> contract;  ///< messages point to it
  std::shared_ptr<const handler> run;
  /// Shapes the handler can produce, if they are known before it runs (declared handlers).
  std::vector<const effect_shape*> shapes;
  /// Those whose key is exactly `$key`: candidates for private tables.
  std::vector<const effect_shape*> keyed_by_entity;
};

}  // namespace pawl
