#pragma once

#include "protocol/path.hpp"
#include "protocol/policy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// A field that a handler reads. A missing path is a dead letter unless it is optional: then the
/// value is `absent` and the column is left out.
struct field_path {
  path where;
  bool optional = false;
};

/// Chooses a contract among those of one type: the value at `where`, as text, equals `equals`.
struct when_clause {
  path where;
  std::string equals;
};

/// Where a sequence starts: at version 1, or at whichever version comes first.
enum class sequence_start : std::uint8_t { one, first };

/// What is declared of one message type for one entity type: how to find entity, id and version,
/// how repeats and order are handled, and what the handler reads. Lives as long as the runtime.
struct message_contract {
  std::string type;
  std::string entity_type;
  std::vector<when_clause> when;
  std::vector<path> key;  ///< one path, or a composite key; may hold `[*]`
  std::vector<path> id;   ///< empty: header `message-id`; composite if several
  std::optional<path> version;
  policy pair;
  sequence_start start = sequence_start::one;
  on_dead_policy on_dead = on_dead_policy::park;
  bool reads_state = false;
  std::vector<field_path> fields;        ///< what the handler reads, in the order of `field_values`
  std::vector<path> fingerprint_ignore;  ///< only where `fields` is empty: left out of the payload
};

/// Success if messages can be decoded by this contract, else `refused`: the text holds the reason
/// and the fix, `code` the part that is wrong (`policy`, `key`, `id`, `version`, `when`, `fields`
/// ...).
[[nodiscard]] status check_contract(const message_contract& contract);

}  // namespace pawl
