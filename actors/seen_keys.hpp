#pragma once

#include "protocol/ids.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace pawl {

/// Ledger keys of messages that were committed lately, so that most duplicates need no database. A
/// miss says nothing, and only committed ones are ever entered: the ledger decides. Direct-mapped
/// and of fixed size: an older key gives way to a newer one of the same slot. Owned by one shard.
class seen_keys {
 public:
  /// `capacity` is at least 1; about 24 bytes each.
  explicit seen_keys(std::size_t capacity) : slots_(capacity) {}

  void enter(const ledger_key& key, fingerprint content) {
    slots_[slot_of(key)] = entry{key, content, true};
  }

  [[nodiscard]] std::optional<fingerprint> find(const ledger_key& key) const {
    const entry& at = slots_[slot_of(key)];
    if (at.used && at.key == key) {
      return at.content;
    }
    return std::nullopt;
  }

 private:
  struct entry {
    ledger_key key;
    fingerprint content;
    bool used = false;
  };

  [[nodiscard]] std::size_t slot_of(const ledger_key& key) const {
    return std::hash<ledger_key>{}(key) % slots_.size();
  }

  std::vector<entry> slots_;
};

}  // namespace pawl
