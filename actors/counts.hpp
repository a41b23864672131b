#pragma once

#include "protocol/outcome.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace pawl {

/// A reading of `counters`.
struct counts {
  std::array<std::uint64_t, all_outcomes.size()> outcomes{};
  std::uint64_t received = 0;         ///< deliveries polled from the sources
  std::uint64_t pairs = 0;            ///< (entity, message) pairs accepted
  std::uint64_t unaddressed = 0;      ///< messages with an empty list of keys
  std::uint64_t ignored = 0;          ///< of a type that the source says to ignore
  std::uint64_t redriven = 0;         ///< dead letters that left by a redrive: retried or discarded
  std::uint64_t acked = 0;            ///< deliveries acknowledged
  std::uint64_t attempts_failed = 0;  ///< handler runs that threw, and effects that a store refused
  std::uint64_t commits = 0;

  [[nodiscard]] std::uint64_t of(outcome which) const {
    return outcomes[static_cast<std::size_t>(which)];
  }
};

/// What the runtime counts since it started. Thread-safe; a pair is counted once, when its outcome
/// is durable (`parked` when it is parked, and its final outcome besides when it is drained).
/// `dead` is final: what becomes of a dead letter by a redrive is counted apart.
class counters {
 public:
  void count(outcome which, std::uint64_t n = 1) {
    outcomes_[static_cast<std::size_t>(which)].fetch_add(n, std::memory_order_relaxed);
  }
  void received(std::uint64_t n) { received_.fetch_add(n, std::memory_order_relaxed); }
  void pairs(std::uint64_t n) { pairs_.fetch_add(n, std::memory_order_relaxed); }
  void unaddressed(std::uint64_t n) { unaddressed_.fetch_add(n, std::memory_order_relaxed); }
  void ignored(std::uint64_t n) { ignored_.fetch_add(n, std::memory_order_relaxed); }
  void redriven() { redriven_.fetch_add(1, std::memory_order_relaxed); }
  void acked(std::uint64_t n) { acked_.fetch_add(n, std::memory_order_relaxed); }
  void attempt_failed() { attempts_failed_.fetch_add(1, std::memory_order_relaxed); }
  void committed() { commits_.fetch_add(1, std::memory_order_relaxed); }

  [[nodiscard]] counts read() const {
    counts seen;
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      seen.outcomes[i] = outcomes_[i].load(std::memory_order_relaxed);
    }
    seen.received = received_.load(std::memory_order_relaxed);
    seen.pairs = pairs_.load(std::memory_order_relaxed);
    seen.unaddressed = unaddressed_.load(std::memory_order_relaxed);
    seen.ignored = ignored_.load(std::memory_order_relaxed);
    seen.redriven = redriven_.load(std::memory_order_relaxed);
    seen.acked = acked_.load(std::memory_order_relaxed);
    seen.attempts_failed = attempts_failed_.load(std::memory_order_relaxed);
    seen.commits = commits_.load(std::memory_order_relaxed);
    return seen;
  }

 private:
  std::array<std::atomic<std::uint64_t>, all_outcomes.size()> outcomes_{};
  std::atomic<std::uint64_t> received_{0};
  std::atomic<std::uint64_t> pairs_{0};
  std::atomic<std::uint64_t> unaddressed_{0};
  std::atomic<std::uint64_t> ignored_{0};
  std::atomic<std::uint64_t> redriven_{0};
  std::atomic<std::uint64_t> acked_{0};
  std::atomic<std::uint64_t> attempts_failed_{0};
  std::atomic<std::uint64_t> commits_{0};
};

}  // namespace pawl
