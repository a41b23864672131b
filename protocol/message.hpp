#pragma once

#include "protocol/ids.hpp"
#include "protocol/result.hpp"
#include "protocol/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// Where a message came from: the broker's own coordinates. `position` is an offset, a byte
/// position in a file, or a delivery tag; positions of one partition rise, with holes.
struct message_origin {
  std::string source;
  std::string partition;
  std::int64_t position = 0;
  std::int64_t next = 0;  ///< position of whatever follows in a log, said by the source; 0 for a
                          ///< queue
  std::int64_t assignment = 0;  ///< raised when the partition is assigned anew; 0 where there is
                                ///< none
  friend bool operator==(const message_origin&, const message_origin&) = default;
};

struct header {
  std::string name;
  std::string value;
  friend bool operator==(const header&, const header&) = default;
};

/// One input as it was received. Immutable once it is shared.
struct message {
  std::string payload;
  std::vector<header> headers;
  message_origin origin;
  bool redelivered = false;  ///< as the broker said it; nothing relies on it
  /// The payload's size if its source cut it to `limits::dead_letter_bytes_max`, having seen that
  /// it is larger than `limits::payload_bytes_max`. Else 0.
  std::size_t full_bytes = 0;

  /// The last header of that name, or nothing.
  [[nodiscard]] std::optional<std::string_view> header_value(std::string_view name) const;
};

using message_ptr = std::shared_ptr<const message>;

struct message_contract;

/// The values that a handler reads, one per declared field, in the contract's order.
using field_values = std::vector<value>;

/// One (entity, message) pair: the unit that gets a guard, an outcome, and a place in a lane.
/// Immutable once it is shared. Made by `message_decoder`, from a delivery or from a stored
/// envelope.
struct addressed_message {
  message_ptr source;
  const message_contract* contract = nullptr;  ///< lives as long as the runtime; never null
  std::string type;  ///< as the message named it; may differ from the contract's for undecodable
                     ///< ones
  std::string id;
  entity_ref entity;
  std::optional<message_version> version;
  ledger_key key;
  fingerprint content;
  std::vector<field_values> elements;  ///< one, or one per element that named this entity
  std::optional<error> undecodable;    ///< then the pair goes straight to a dead letter
};

using addressed_ptr = std::shared_ptr<const addressed_message>;

}  // namespace pawl
