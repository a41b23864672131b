#pragma once

#include "actors/handler.hpp"
#include "protocol/contract.hpp"
#include "protocol/effects.hpp"
#include "protocol/message.hpp"
#include "protocol/result.hpp"

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pawl {

/// A path that a handler reads, as in a node file: `$.quantity`, `-$.quantity`, `$header.x`.
struct declared_field {
  std::string where;
  bool optional = false;  ///< missing, the value is `absent`; else it is a dead letter

  declared_field(const char* path) : where(path) {}             // NOLINT(*-explicit-*)
  declared_field(std::string path) : where(std::move(path)) {}  // NOLINT(*-explicit-*)
  declared_field(std::string path, bool may_be_missing)
      : where(std::move(path)), optional(may_be_missing) {}
};

[[nodiscard]] inline declared_field optional_field(std::string path) {
  return {std::move(path), true};
}

/// One clause that chooses among handlers of a type: the value at the path, as text, is this.
struct declared_when {
  std::string where;
  std::string equals;
};

/// What a C++ handler is for: the words of a node file, paths as text. Meant for designated
/// initializers.
struct message_declaration {
  std::string type;
  std::string entity;                       ///< entity type
  std::vector<std::string> key;             ///< one path, or a composite key
  std::vector<std::string> id = {};         ///< empty: header `message-id`
  std::string version = {};                 ///< under `version` policies only
  std::vector<declared_field> fields = {};  ///< what is read, in the order of `elements`' values;
                                            ///< none: the handler reads the payload itself
  std::vector<declared_when> when = {};
  sequence_start start = sequence_start::one;
  on_dead_policy on_dead = on_dead_policy::park;
  std::vector<std::string> fingerprint_ignore = {};  ///< only without `fields`
};

/// The checked contract of a declaration; `refused` with the part and the fix in the text.
[[nodiscard]] result<std::unique_ptr<message_contract>> make_contract(
    const message_declaration& declared, policy pair, bool reads_state);

/// A function that handles messages without the entity's state. It is `const` when it is called:
/// what must be remembered between messages is state, or a row.
template <class Function, policy P>
concept message_function = std::invocable < const Function&,
        const addressed_message&, effects<P>
& > ;

/// One that is given the entity's state too; only where `allows_state(P)`.
template <class Function, policy P>
concept state_function = allows_state(P) && std::invocable < const Function&,
        const addressed_message&, const std::optional<std::string>
&, effects<P>& > ;

/// A function as a handler under one policy. Immutable; any thread.
template <policy P, class Function>
class function_handler final : public handler {
 public:
  explicit function_handler(Function run) : run_(std::move(run)) {}

  void handle(const addressed_message& message, const std::optional<std::string>& state,
              effect_list& out) const override {
    effects<P> listed(out);
    if constexpr (message_function<Function, P>) {
      run_(message, listed);
    } else {
      run_(message, state, listed);
    }
  }

 private:
  Function run_;
};

/// Registers a function as the handler of a message type. Under which policy is part of the type,
/// so that an effect which is not safe there does not compile:
///
///     auto placed = make_handler<policies::ledger>(
///         {.type = "OrderPlaced", .entity = "sku", .key = {"$.sku"}, .id = {"$.messageId"},
///          .fields = {"$.quantity"}},
///         [](const addressed_message& message, effects<policies::ledger>& out) {
///           out.add("inventory", {{"sku", message.entity.key}},
///                   {{"reserved", message.elements.front()[0]}});
///         });
///
/// With a third parameter, `const std::optional<std::string>& state` in the middle, it is given the
/// entity's state, and may replace it. Errors: as `make_contract`.
template <policy P, class Function>
requires(message_function<Function, P> || state_function<Function, P>)
    [[nodiscard]] result<handler_registration> make_handler(const message_declaration& declared,
                                                            Function run) {
  auto contract = make_contract(declared, P, !message_function<Function, P>);
  if (!contract.ok()) {
    return contract.error();
  }
  handler_registration made;
  made.contract = std::move(*contract);
  made.run = std::make_shared<const function_handler<P, Function>>(std::move(run));
  return made;
}

}  // namespace pawl
