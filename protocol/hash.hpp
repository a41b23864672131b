#pragma once

#include "protocol/ids.hpp"
#include "protocol/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// SHA-256, cut to 16 bytes, over the length-prefixed consumer, entity type, entity key and message
/// id (commit.md section 2). Lengths are prefixed, so no two lists of parts give the same bytes.
/// Uses one fetched digest per thread.
[[nodiscard]] ledger_key make_ledger_key(std::string_view consumer, const entity_ref& entity,
                                         std::string_view id);
/// The same for messages under `dedupe: version`: there the version is the identity, and two
/// versions under one message id are two messages. Equal to no key that an id gives.
[[nodiscard]] ledger_key make_ledger_key(std::string_view consumer, const entity_ref& entity,
                                         message_version version);

/// Recipe hash (16 bits) of the paths that are read.
[[nodiscard]] std::uint16_t hash_recipe(const std::vector<std::string_view>& paths);

/// Fingerprint over the values that a handler reads; kinds and lengths are part of it.
[[nodiscard]] fingerprint make_fingerprint(std::uint16_t recipe,
                                           const std::vector<std::vector<value>>& elements);
/// Fingerprint over bytes.
[[nodiscard]] fingerprint make_fingerprint(std::uint16_t recipe, std::string_view bytes);

/// The shard of an entity: a fixed hash (the same on every machine and release) modulo `shards`.
/// `shards` is 1 to 65,536.
[[nodiscard]] shard_id shard_of(const entity_ref& entity, std::uint32_t shards);

/// Lower-case hexadecimal, 32 characters; and back (refused: nothing).
[[nodiscard]] std::string to_hex(const ledger_key& key);
[[nodiscard]] std::optional<ledger_key> ledger_key_from_hex(std::string_view hex);

}  // namespace pawl
