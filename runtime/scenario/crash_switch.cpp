#include "runtime/scenario/crash_switch.hpp"

#include <utility>

namespace pawl {

crash_switch::crash_switch(std::optional<crash_config> crash,
                           std::function<std::uint64_t()> settled, std::function<void()> struck)
    : crash_(crash),
      settled_(std::move(settled)),
      struck_(std::move(struck)),
      next_(crash_ ? crash_->every : 0) {}

bool crash_switch::reached(fault_point point) {
  const std::lock_guard lock(mutex_);
  if (down_ || !crash_ || point != crash_->at) {
    return down_;
  }
  const std::uint64_t settled = settled_();
  if (settled < next_) {
    return false;
  }
  // The next multiple: something is finished between two crashes, or they would never end.
  next_ = (settled / crash_->every + 1) * crash_->every;
  down_ = true;
  ++crashes_;
  struck_();
  return true;
}

bool crash_switch::has_struck() const {
  const std::lock_guard lock(mutex_);
  return down_;
}

std::uint64_t crash_switch::crashes() const {
  const std::lock_guard lock(mutex_);
  return crashes_;
}

void crash_switch::next_run() {
  const std::lock_guard lock(mutex_);
  down_ = false;
}

}  // namespace pawl
