#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

namespace pawl {

/// A number with a meaning: two of different tags don't compare, convert or add by accident.
template <class Tag, class Rep>
struct strong {
  Rep value{};
  friend constexpr auto operator<=>(const strong&, const strong&) = default;
};

/// Slice of the entity space, 0 to shard count - 1; owned, moved and leased as one.
using shard_id = strong<struct shard_tag, std::uint32_t>;
/// Fencing token of a shard's lease: raised at every grant, from 1. 0: never granted.
using lease_epoch = strong<struct epoch_tag, std::int64_t>;
/// A message's version, 0 to 2^63-1, one sequence per entity.
using message_version = strong<struct version_tag, std::int64_t>;
/// Counts the writes of an entity's row, from 1. 0: the row does not exist.
using entity_revision = strong<struct revision_tag, std::int64_t>;
/// A node's number in its consumer, from 1: the second key of its fence lock.
using node_number = strong<struct node_tag, std::int32_t>;
/// A consumer's number in its database, from 1: part of its ledger tables' names.
using consumer_number = strong<struct consumer_tag, std::int32_t>;
/// Position of a parked message in its entity's queue, given by the store, rising.
using parked_sequence = strong<struct parked_tag, std::int64_t>;

/// What messages are serialized by.
struct entity_ref {
  std::string type;
  std::string key;
  friend auto operator<=>(const entity_ref&, const entity_ref&) = default;
  friend bool operator==(const entity_ref&, const entity_ref&) = default;
};

/// Identity of one (consumer, entity, message id), or version where that is what identifies a
/// message: SHA-256, cut to 16 bytes (commit.md section 2).
struct ledger_key {
  std::array<std::uint8_t, 16> bytes{};
  friend auto operator<=>(const ledger_key&, const ledger_key&) = default;
  friend bool operator==(const ledger_key&, const ledger_key&) = default;
};

/// What a message said, in 8 bytes: the top 16 bits hash the recipe (which paths were read), the
/// low 48 the content. Fingerprints of different recipes can't be compared and count as equal.
struct fingerprint {
  std::uint64_t value = 0;
  friend bool operator==(const fingerprint&, const fingerprint&) = default;
};

/// True if the two were taken by one recipe from different content: one id, two messages.
[[nodiscard]] constexpr bool contradict(fingerprint left, fingerprint right) {
  return (left.value >> 48U) == (right.value >> 48U) && left.value != right.value;
}

}  // namespace pawl

template <>
struct std::hash<pawl::ledger_key> {
  std::size_t operator()(const pawl::ledger_key& key) const noexcept {
    std::size_t first = 0;  // the bytes are a hash already
    std::memcpy(&first, key.bytes.data(), sizeof first);
    return first;
  }
};

template <>
struct std::hash<pawl::entity_ref> {
  std::size_t operator()(const pawl::entity_ref& entity) const noexcept {
    const std::hash<std::string> text;
    return text(entity.key) * 31U + text(entity.type);
  }
};
