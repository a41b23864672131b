#pragma once

#include "runtime/scenario/scenario_config.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace pawl {

/// Decides when a scenario's crash strikes: at the named point, once so many more publications are
/// finished. From then on every point ends the run, until `next_run`. Thread-safe.
class crash_switch {
 public:
  /// `settled` tells how many publications are finished; `struck` is called once at the instant of
  /// each crash, on the thread that met it.
  crash_switch(std::optional<crash_config> crash, std::function<std::uint64_t()> settled,
               std::function<void()> struck);

  /// True if the run ends here.
  [[nodiscard]] bool reached(fault_point point);
  [[nodiscard]] bool has_struck() const;
  [[nodiscard]] std::uint64_t crashes() const;
  void next_run();

 private:
  const std::optional<crash_config> crash_;
  const std::function<std::uint64_t()> settled_;
  const std::function<void()> struck_;
  mutable std::mutex mutex_;
  std::uint64_t next_ = 0;
  bool down_ = false;
  std::uint64_t crashes_ = 0;
};

}  // namespace pawl
