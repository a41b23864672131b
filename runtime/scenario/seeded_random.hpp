#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace pawl {

/// Random numbers that are the same for a seed on every machine and standard library: the engine
/// is fixed by the standard, the distributions are ours. Belongs to one thread.
class seeded_random {
 public:
  /// `stream` names what the numbers are for: each use has its own, so that one more fault doesn't
  /// change the workload.
  seeded_random(std::uint64_t seed, std::string_view stream);

  [[nodiscard]] std::uint64_t next() { return engine_(); }
  /// Uniform from 0 to `bound` - 1; `bound` from 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  /// Uniform from `low` to `high`, both included.
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high);
  /// True with this probability (0 to 1).
  [[nodiscard]] bool chance(double probability);

 private:
  std::mt19937_64 engine_;
};

/// A number that depends on all three, and on nothing else: for decisions that several threads
/// take in any order.
[[nodiscard]] std::uint64_t mix(std::uint64_t seed, std::uint64_t first, std::uint64_t second);

/// True for a share (0 to 1) of all values of `mixed`.
[[nodiscard]] bool falls_within(double share, std::uint64_t mixed);

/// Ranks 0 to n - 1 with Zipf's weights 1/(rank + 1): a few are hot, most are rare.
class zipf_ranks {
 public:
  explicit zipf_ranks(std::size_t ranks);
  [[nodiscard]] std::size_t pick(seeded_random& random) const;

 private:
  std::vector<double> up_to_;  // weights summed up
};

}  // namespace pawl
