#include "protocol/contract.hpp"

#include "protocol/decode.hpp"

#include <algorithm>
#include <string_view>

namespace pawl {
namespace {

using problem = std::optional<error>;

error refused(std::string_view part, const std::string& reason, std::string_view fix) {
  return {fault::refused, std::string(part), reason + "; " + std::string(fix)};
}

/// Key, id, version and `when` are read before there is a `$key`, `$id` or `$version`.
bool reads_message(const path& where) {
  return where.root == path_root::payload || where.root == path_root::header ||
         where.root == path_root::meta;
}

bool same_prefix(const path& left, const path& right) {
  const auto length = static_cast<std::ptrdiff_t>(left.each_prefix());
  return left.each_prefix() == right.each_prefix() &&
         std::equal(left.steps.begin(), left.steps.begin() + length, right.steps.begin());
}

/// The key's path with `[*]`, or nothing.
const path* repeated_key(const message_contract& contract) {
  const auto found = std::find_if(contract.key.begin(), contract.key.end(),
                                  [](const path& one) { return one.each_prefix() != 0; });
  return found == contract.key.end() ? nullptr : &*found;
}

/// A repeated path is read from the element that gave the key, so it needs the key's prefix.
problem check_repeat(const message_contract& contract, const path& where, std::string_view part) {
  const path* key = repeated_key(contract);
  if (where.each_prefix() == 0 || (key != nullptr && same_prefix(*key, where))) {
    return std::nullopt;
  }
  return refused(part,
                 "`" + where.source + "` repeats over a list, but " +
                     (key == nullptr ? std::string("no key does")
                                     : "the key repeats over another, `" + key->source + "`"),
                 "give key and path the same part up to [*], or read the list whole, without [*]");
}

problem check_source(const message_contract& contract, const path& where, std::string_view part) {
  if (!reads_message(where)) {
    return refused(part, "`" + where.source + "` is known only after the " + std::string(part),
                   "read it from the payload ($.a), a header ($header.a) or $meta");
  }
  if (where.negated) {
    return refused(part, "`" + where.source + "` is negated",
                   "only fields are negated: leave out the minus sign");
  }
  return check_repeat(contract, where, part);
}

problem check_names(const message_contract& contract) {
  if (contract.type.empty()) {
    return refused("type", "a message type has no name", "name it as the messages do");
  }
  if (contract.entity_type.empty() || contract.entity_type == source_entity_type) {
    return refused("entity", "`" + contract.entity_type + "` can't name an entity type",
                   "choose a name; `_source` is reserved for messages that can't be decoded");
  }
  return std::nullopt;
}

problem check_policy(const message_contract& contract) {
  if (const auto wrong = refuse(contract.pair)) {
    return refused("policy", std::string(wrong->reason), wrong->fix);
  }
  const bool versioned = contract.pair.dedupe == dedupe_policy::version;
  if (versioned && !contract.version) {
    return refused("version", "`dedupe: version` has no version to compare",
                   "say where it stands, as in `version: $.version`");
  }
  if (!versioned && contract.version) {
    return refused("version", "a version is compared only under `dedupe: version`",
                   "write `dedupe: version`, or leave out `version`");
  }
  if (contract.start != sequence_start::one && contract.pair.order != order_policy::sequence) {
    return refused("start", "only a sequence has a start",
                   "write `order: sequence`, or leave out `start`");
  }
  if (contract.reads_state && !allows_state(contract.pair)) {
    return refused("state",
                   "state is safe only where a repeated message is known before its handler runs",
                   "use `dedupe: ledger` or `dedupe: version`, or do without state");
  }
  return std::nullopt;
}

problem check_addressing(const message_contract& contract) {
  if (contract.key.empty()) {
    return refused("key", "without a key there is no entity to keep in order",
                   "say where it stands, as in `key: $.sku`");
  }
  for (const path& one : contract.key) {
    if (auto wrong = check_source(contract, one, "key")) {
      return wrong;
    }
  }
  for (const path& one : contract.id) {
    if (auto wrong = check_source(contract, one, "id")) {
      return wrong;
    }
  }
  return contract.version ? check_source(contract, *contract.version, "version") : std::nullopt;
}

problem check_when(const message_contract& contract) {
  for (const when_clause& clause : contract.when) {
    if (auto wrong = check_source(contract, clause.where, "when")) {
      return wrong;
    }
    if (clause.where.each_prefix() != 0) {
      return refused("when", "`" + clause.where.source + "` repeats over a list",
                     "a clause compares one value: name an element, as in $.lines[0].kind");
    }
  }
  return std::nullopt;
}

problem check_fields(const message_contract& contract) {
  for (const field_path& field : contract.fields) {
    if (field.where.root == path_root::version && !contract.version) {
      return refused("fields", "`$version` is read, but no version is declared",
                     "use `dedupe: version` with a `version` path, or the path itself");
    }
    if (auto wrong = check_repeat(contract, field.where, "fields")) {
      return wrong;
    }
  }
  for (const path& ignored : contract.fingerprint_ignore) {
    if (!contract.fields.empty()) {
      return refused("fingerprint", "only the declared paths are compared between repeats",
                     "leave out `fingerprint.ignore`");
    }
    if (ignored.root != path_root::payload || ignored.steps.empty() || ignored.negated) {
      return refused("fingerprint", "`" + ignored.source + "` is no field of the payload",
                     "name one, as in $.sent_at");
    }
  }
  return std::nullopt;
}

}  // namespace

status check_contract(const message_contract& contract) {
  for (const auto check : {check_names, check_policy, check_addressing, check_when, check_fields}) {
    if (const problem wrong = check(contract)) {
      return *wrong;
    }
  }
  return {};
}

}  // namespace pawl
