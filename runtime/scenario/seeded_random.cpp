#include "runtime/scenario/seeded_random.hpp"

#include <algorithm>

namespace pawl {
namespace {

/// 53 bits as a number from 0 to below 1.
double to_unit(std::uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1.0p-53; }

/// The finalizer of SplitMix64 (Steele, Lea, Flood, 2014): every input bit reaches every output
/// bit.
std::uint64_t scramble(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = text.size();
  for (const char c : text) {
    hash = scramble(hash ^ static_cast<unsigned char>(c));
  }
  return hash;
}

}  // namespace

seeded_random::seeded_random(std::uint64_t seed, std::string_view stream)
    : engine_(mix(seed, hash_text(stream), 0)) {}

std::uint64_t seeded_random::below(std::uint64_t bound) {
  // Numbers past the last whole multiple of the bound would favour the low results.
  const std::uint64_t whole = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t drawn = engine_();
  while (drawn >= whole) {
    drawn = engine_();
  }
  return drawn % bound;
}

std::int64_t seeded_random::between(std::int64_t low, std::int64_t high) {
  const auto first = static_cast<std::uint64_t>(low);
  const std::uint64_t span = static_cast<std::uint64_t>(high) - first + 1;
  return static_cast<std::int64_t>(first + (span == 0 ? next() : below(span)));
}

bool seeded_random::chance(double probability) { return to_unit(engine_()) < probability; }

std::uint64_t mix(std::uint64_t seed, std::uint64_t first, std::uint64_t second) {
  return scramble(scramble(scramble(seed) ^ first) ^ second);
}

bool falls_within(double share, std::uint64_t mixed) { return to_unit(mixed) < share; }

zipf_ranks::zipf_ranks(std::size_t ranks) {
  up_to_.reserve(ranks);
  double sum = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    sum += 1.0 / static_cast<double>(rank + 1);
    up_to_.push_back(sum);
  }
}

std::size_t zipf_ranks::pick(seeded_random& random) const {
  const double at = to_unit(random.next()) * up_to_.back();
  const auto found = std::upper_bound(up_to_.begin(), up_to_.end(), at);
  return std::min(static_cast<std::size_t>(found - up_to_.begin()), up_to_.size() - 1);
}

}  // namespace pawl
