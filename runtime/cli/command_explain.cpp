#include "protocol/envelope.hpp"
#include "protocol/hash.hpp"
#include "runtime/cli/commands.hpp"

#include <fmt/format.h>

#include <set>

namespace pawl {
namespace {

/// Rows that are searched for a message id when no entity is named: each costs a look-up.
constexpr std::size_t searched_max = 10'000;

bool has_trace(const message_traces& traces) {
  return traces.ledger.has_value() || traces.parked.has_value() || !traces.dead_letters.empty();
}

/// Entities that may know the message: those of its dead letters, and those that have a row, a dead
/// letter or a parked message.
result<std::set<entity_ref>> candidates(admin_session& admin, const node_config& config,
                                        const std::string& message_id) {
  std::set<entity_ref> found;
  const auto rows = admin.dead_letters(searched_max);
  if (!rows.ok()) {
    return rows.error();
  }
  for (const dead_letter_row& row : *rows) {
    const auto opened = decode_envelope(row.envelope);
    if (opened.ok() && opened->id == message_id) {
      found.insert(row.entity);
    }
  }
  std::set<std::string> types;
  for (const declared_message& one : config.messages) {
    types.insert(one.contract.entity_type);
  }
  for (const std::string& type : types) {
    const auto known = admin.entities(type, searched_max);
    if (!known.ok()) {
      return known.error();
    }
    found.insert(known->begin(), known->end());
  }
  return found;
}

std::string outcome_text(const message_traces& traces, const std::string& entity) {
  std::string text;
  if (traces.ledger.has_value()) {
    text += fmt::format("{}: applied; its row is in generation {} of the ledger\n", entity,
                        traces.ledger_generation);
  }
  for (const dead_letter_row& row : traces.dead_letters) {
    text += fmt::format(
        "{}: dead letter {} ({}{}): {}\n", entity, row.id, row.reason,
        row.attempts > 0 ? fmt::format(", {} attempts", row.attempts) : std::string(), row.text);
  }
  if (traces.parked.has_value()) {
    text += fmt::format("{}: parked {}\n", entity,
                        traces.parked->why == park_reason::gap
                            ? fmt::format("behind a gap, as version {}",
                                          traces.parked->version.value_or(message_version{0}).value)
                            : std::string("behind a dead letter"));
  }
  if (text.empty()) {
    text = fmt::format(
        "{}: no trace. Under `dedupe: ledger` it was never applied, or longer ago than the window; "
        "under `version`, `unique` and `natural` an applied message leaves no row of its own: look "
        "at "
        "the entity's version (`pawl entities show`) or at your table\n",
        entity);
  }
  text.pop_back();
  return text;
}

nlohmann::json to_json(const message_traces& traces, const entity_ref& entity) {
  nlohmann::json one{{"entity", entity.type + "/" + entity.key},
                     {"in_ledger", traces.ledger.has_value()},
                     {"parked", traces.parked.has_value() ? std::string(name_of(traces.parked->why))
                                                          : std::string()}};
  if (traces.ledger.has_value()) {
    one["ledger_generation"] = traces.ledger_generation;
  }
  one["dead_letters"] = nlohmann::json::array();
  for (const dead_letter_row& row : traces.dead_letters) {
    one["dead_letters"].push_back({{"id", row.id},
                                   {"reason", row.reason},
                                   {"text", row.text},
                                   {"attempts", row.attempts},
                                   {"count", row.count}});
  }
  return one;
}

nlohmann::json show_entity(const console& out, const entity_ref& entity, const loaded_entity& seen,
                           const std::vector<parked_row>& parked,
                           const std::vector<dead_letter_row>& dead) {
  nlohmann::json one{{"entity", entity.type + "/" + entity.key},
                     {"revision", seen.row.revision.value},
                     {"blocked", seen.row.blocked},
                     {"dead_letters", nlohmann::json::array()},
                     {"parked", nlohmann::json::array()}};
  out.line(fmt::format("{}/{}: {}", entity.type, entity.key,
                       seen.row.blocked ? "BLOCKED by a dead letter" : "not blocked"));
  if (seen.row.version.has_value()) {
    one["version"] = seen.row.version->value;
    out.line(fmt::format("  version {}", seen.row.version->value));
  }
  if (seen.row.state.has_value()) {
    one["state_bytes"] = seen.row.state->size();
    out.line(fmt::format("  state of {} bytes", seen.row.state->size()));
  }
  for (const dead_letter_row& row : dead) {
    one["dead_letters"].push_back({{"id", row.id}, {"reason", row.reason}, {"text", row.text}});
    out.line(fmt::format("  dead letter {}: {}, {}", row.id, row.reason, row.text));
  }
  for (const parked_row& row : parked) {
    const auto opened = decode_envelope(row.envelope);
    const std::string id = opened.ok() ? opened->id : to_hex(row.key);
    one["parked"].push_back({{"message_id", id},
                             {"why", std::string(name_of(row.why))},
                             {"version", row.version.has_value() ? row.version->value : -1}});
    out.line(fmt::format(
        "  parked: message {}, {}{}", id,
        row.why == park_reason::gap ? "behind a gap" : "behind a dead letter",
        row.version.has_value() ? fmt::format(", version {}", row.version->value) : std::string()));
  }
  return one;
}

/// All that is known of a message id for one entity. Under `dedupe: version` a message is kept by
/// its version, so dead letters and parked messages are asked for the id that they hold.
result<std::vector<message_traces>> traces_of(admin_session& admin, const std::string& consumer,
                                              const entity_ref& entity, const std::string& id,
                                              const std::vector<dead_letter_row>& dead) {
  std::set<ledger_key> keys{make_ledger_key(consumer, entity, id)};
  const auto add = [&](const ledger_key& key, const std::string& stored) {
    const auto opened = decode_envelope(stored);
    if (opened.ok() && opened->id == id) {
      keys.insert(key);
    }
  };
  for (const dead_letter_row& row : dead) {
    if (row.entity == entity) {
      add(row.key, row.envelope);
    }
  }
  const auto parked = admin.parked(entity, searched_max);
  if (!parked.ok()) {
    return parked.error();
  }
  for (const parked_row& row : *parked) {
    add(row.key, row.envelope);
  }
  std::vector<message_traces> found;
  for (const ledger_key& key : keys) {
    auto traces = admin.trace(key);
    if (!traces.ok()) {
      return traces.error();
    }
    if (has_trace(*traces)) {
      found.push_back(std::move(*traces));
    }
  }
  return found;
}

}  // namespace

exit_code command_entity_show(const console& out, const std::string& file,
                              const std::string& entity) {
  const auto wanted = parse_entity(entity);
  if (!wanted.ok()) {
    return out.fail(wanted.error());
  }
  const admin_access access = open_admin(out, file);
  if (access.admin == nullptr) {
    return access.failed;
  }
  const auto seen = access.admin->entity(*wanted);
  const auto parked = access.admin->parked(*wanted, 100);
  auto dead = access.admin->dead_letters(searched_max);
  if (!seen.ok() || !parked.ok() || !dead.ok()) {
    return out.fail(!seen.ok() ? seen.error() : !parked.ok() ? parked.error() : dead.error());
  }
  std::erase_if(*dead, [&](const dead_letter_row& one) { return one.entity != *wanted; });
  if (!seen->has_value() && parked->empty() && dead->empty()) {
    out.line(fmt::format(
        "{}: Pawl keeps no row of it (it has no version, no state, and nothing waits)", entity));
    out.document(nullptr);
    return exit_code::not_found;
  }
  out.document(show_entity(out, *wanted, seen->value_or(loaded_entity{}), *parked, *dead));
  return exit_code::good;
}

exit_code command_explain(const console& out, const explain_arguments& given) {
  const admin_access access = open_admin(out, given.file);
  if (access.admin == nullptr) {
    return access.failed;
  }
  std::set<entity_ref> entities;
  for (const std::string& one : given.entities) {
    const auto parsed = parse_entity(one);
    if (!parsed.ok()) {
      return out.fail(parsed.error());
    }
    entities.insert(*parsed);
  }
  const bool named = !entities.empty();
  if (!named) {
    auto found = candidates(*access.admin, access.node->config, given.message_id);
    if (!found.ok()) {
      return out.fail(found.error());
    }
    entities = std::move(*found);
  }
  const auto dead = access.admin->dead_letters(searched_max);
  if (!dead.ok()) {
    return out.fail(dead.error());
  }
  nlohmann::json all = nlohmann::json::array();
  for (const entity_ref& entity : entities) {
    auto traces =
        traces_of(*access.admin, access.node->config.consumer, entity, given.message_id, *dead);
    if (!traces.ok()) {
      return out.fail(traces.error());
    }
    if (named && traces->empty()) {
      traces->emplace_back();  // it says that there is none
    }
    for (const message_traces& one : *traces) {
      all.push_back(to_json(one, entity));
      out.line(outcome_text(one, entity.type + "/" + entity.key));
    }
  }
  if (all.empty()) {
    out.line(
        "no dead letter, no parked message and no entity that Pawl keeps a row of knows that id. "
        "The ledger is kept by entity and message: name the entity with --entity TYPE/KEY to look "
        "there");
  }
  out.document(all);
  return all.empty() ? exit_code::not_found : exit_code::good;
}

}  // namespace pawl
