#pragma once

#include "actors/handler.hpp"
#include "protocol/shape_registry.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// The table that a scenario adds to a store for evidence: a row per applied pair, unguarded, in
/// the transaction of its effects.
inline constexpr std::string_view probe_table = "scenario_probe";

/// The statement that makes it, for a store of this kind (`sqlite` or `postgresql`).
[[nodiscard]] std::string probe_table_script(std::string_view store_kind);

/// The shape of a probe row, interned.
[[nodiscard]] const effect_shape* probe_shape(shape_registry& shapes);

/// Which attempts at a message throw: a share of them, by the seed, but never so many that the
/// message reaches its attempts. One for all runs of a consumer; thread-safe.
class throw_plan {
 public:
  throw_plan(std::uint64_t seed, double share, int attempts, std::size_t messages);

  /// Counts one attempt; true if it is to throw.
  [[nodiscard]] bool throws(std::uint64_t message);
  [[nodiscard]] std::uint64_t thrown() const { return thrown_.load(std::memory_order_relaxed); }

 private:
  struct tally {
    std::atomic<std::uint32_t> attempts{0};
    std::atomic<int> thrown{0};
  };
  const std::uint64_t seed_;
  const double share_;
  const int thrown_max_;
  std::vector<tally> tallies_;
  std::atomic<std::uint64_t> thrown_{0};
};

/// Decorates a handler for a scenario: throws where the plan says so, else lets the handler do its
/// work and adds the probe row (not under `natural`, which may not insert).
class probing_handler : public handler {
 public:
  /// `throws` outlives the handler; `run` is the consumer instance that it works in.
  probing_handler(std::shared_ptr<const handler> inner, throw_plan& throws, std::uint32_t run);

  void handle(const addressed_message& message, const std::optional<std::string>& state,
              effect_list& out) const override;

 private:
  std::shared_ptr<const handler> inner_;
  throw_plan& throws_;
  std::uint32_t run_;
};

/// Puts the decorator around every handler, and the probe shape beside the known shapes.
void add_probes(std::vector<handler_registration>& handlers, shape_registry& shapes,
                throw_plan& throws, std::uint32_t run);

}  // namespace pawl
