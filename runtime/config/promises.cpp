#include "runtime/config/promises.hpp"

#include "runtime/config/scalar.hpp"

#include <algorithm>

namespace pawl {
namespace {

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

bool addresses_several(const message_contract& contract) {
  return std::any_of(contract.key.begin(), contract.key.end(),
                     [](const path& key) { return key.each_prefix() > 0; });
}

std::string guard_of(const declared_message& message) {
  const declared_effect& guard = message.effects.front();
  return "`" + guard.table + "` (" + join(guard.unique) + ")";
}

std::string ids_of(const message_contract& contract) {
  std::string text;
  for (const path& id : contract.id) {
    text += (text.empty() ? "" : ", ") + id.source;
  }
  return text.empty() ? "the header `message-id`" : text;
}

std::string once_sentence(const declared_message& message, const node_config& config) {
  const message_contract& contract = message.contract;
  switch (contract.pair.dedupe) {
    case dedupe_policy::natural:
      return "Every delivery writes again and the last write wins: while a source repeats what it "
             "gave before, an old value may show until that has passed.";
    case dedupe_policy::unique:
      return "Takes effect once: the row in " + guard_of(message) + " tells a repeat.";
    case dedupe_policy::version:
      return "Takes effect once: the entity's version (" + contract.version->source +
             ") only moves forward, and is kept for as long as the entity's row.";
    case dedupe_policy::ledger:
      break;
  }
  return "Takes effect once: its id (" + ids_of(contract) + ") is remembered for " +
         format_duration(config.ledger_window_ms) + " of running time; downtime ages nothing.";
}

std::string order_sentence(const message_contract& contract) {
  switch (contract.pair.order) {
    case order_policy::arrival:
      return "Messages of one " + contract.entity_type +
             " take effect one after another, as they were first received in a run.";
    case order_policy::latest:
      return "A message with a lower version than the " + contract.entity_type +
             "'s is stale: it is dropped and counted.";
    case order_policy::sequence:
      break;
  }
  return "Messages of one " + contract.entity_type +
         " take effect by version, without a hole: a higher one waits in the store for those "
         "before "
         "it, from version " +
         (contract.start == sequence_start::one ? "1" : "of the first that comes") + " on.";
}

std::string dead_sentence(const message_contract& contract, const node_config& config) {
  const std::string attempts = std::to_string(config.retry.attempts);
  return "After " + attempts + (config.retry.attempts == 1 ? " attempt" : " attempts") +
         " a message that fails is a dead letter, and later ones of its " + contract.entity_type +
         (contract.on_dead == on_dead_policy::park ? " wait behind it, in order."
                                                   : " pass it (on_dead: skip).");
}

void warn(const declared_message& message, const node_config& config,
          std::vector<std::string>& warnings) {
  const message_contract& contract = message.contract;
  const auto pipe = std::find_if(
      config.sources.begin(), config.sources.end(),
      [](const source_config& each) { return each.kind == source_kind::standard_input; });
  const bool from_pipe = pipe != config.sources.end();
  if (contract.pair.dedupe == dedupe_policy::natural && from_pipe && !message.accept_overwrite) {
    warnings.push_back("The source `" + pipe->name +
                       "` keeps no position: fed again, old values overwrite newer ones until the "
                       "end is reached. If that is fine, say `accept: overwrite`.");
  }
  if (contract.pair.dedupe == dedupe_policy::unique) {
    warnings.push_back("Keep the rows in " + guard_of(message) +
                       " for as long as a source may deliver a message again: Pawl remembers "
                       "nothing else.");
  }
  if (contract.pair.order == order_policy::sequence && contract.on_dead == on_dead_policy::skip) {
    warnings.emplace_back("`on_dead: skip` lets the sequence go on past a message that failed.");
  }
  if (contract.pair.order == order_policy::arrival && from_pipe) {
    warnings.push_back("The source `" + pipe->name +
                       "` has no order of its own between two runs: a later run's messages may be "
                       "older than the ones before.");
  }
}

}  // namespace

std::vector<handler_promise> promises_of(const node_config& config) {
  std::vector<handler_promise> promises;
  for (const declared_message& message : config.messages) {
    const message_contract& contract = message.contract;
    handler_promise promise;
    promise.entity_type = contract.entity_type;
    promise.message_type = contract.type;
    promise.policies = "dedupe: " + std::string(name_of(contract.pair.dedupe)) +
                       ", order: " + std::string(name_of(contract.pair.order));
    promise.where = message.where;
    promise.promised = {once_sentence(message, config), order_sentence(contract)};
    if (addresses_several(contract)) {
      promise.promised.push_back("A message that names several: each " + contract.entity_type +
                                 " gets its effects once, but not all of them at one moment.");
    }
    promise.promised.push_back(dead_sentence(contract, config));
    warn(message, config, promise.warnings);
    promises.push_back(std::move(promise));
  }
  return promises;
}

}  // namespace pawl
