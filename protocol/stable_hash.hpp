#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace pawl {

/// A 64-bit hash for shards and fingerprints. What it gives is stored and agreed between nodes, so
/// it never changes: the same on every machine, compiler and release (a test pins values). Not for
/// identity: that is SHA-256 (`make_ledger_key`).
class stable_hash {
 public:
  constexpr stable_hash() = default;

  constexpr void add(std::uint64_t number) noexcept { state_ = mix((state_ + golden) ^ number); }

  /// Length first, so that no two lists of texts feed the same words.
  void add(std::string_view text) noexcept {
    add(static_cast<std::uint64_t>(text.size()));
    while (text.size() >= sizeof(std::uint64_t)) {
      add(load(text, sizeof(std::uint64_t)));
      text.remove_prefix(sizeof(std::uint64_t));
    }
    if (!text.empty()) {
      add(load(text, text.size()));
    }
  }

  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return state_; }

 private:
  static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;  // 2^64 / golden ratio

  /// A bijection whose every output bit depends on every input bit.
  static constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31U);
  }

  /// Up to 8 bytes as a little-endian number.
  static std::uint64_t load(std::string_view text, std::size_t bytes) noexcept {
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&word, text.data(), bytes);
    } else {
      for (std::size_t i = 0; i < bytes; ++i) {
        word |= std::uint64_t{static_cast<std::uint8_t>(text[i])} << (8U * i);
      }
    }
    return word;
  }

  std::uint64_t state_ = 0;
};

}  // namespace pawl
