#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace pawl {

/// A named condition that a person should know of.
struct alarm {
  std::string name;  ///< `store-unreachable`, `dead-letter:sku/A-1` ...
  std::string text;
  std::int64_t since_ms = 0;  ///< milliseconds since 1970, by the clock given to the board
};

/// Alarms that are raised now. Thread-safe. The hook hears of each one once when it is raised and
/// once when it is cleared, on the thread that did it; it must be quick and must not call the
/// board.
class alarm_board {
 public:
  using hook = std::function<void(const alarm&, bool raised)>;
  /// Most alarms kept at a time: a million blocked entities need one alarm, not a million. Past it,
  /// new ones are only heard by the hook.
  static constexpr std::size_t alarms_max = 1000;

  alarm_board(std::function<std::int64_t()> now_ms, hook heard)
      : now_ms_(std::move(now_ms)), heard_(std::move(heard)) {}

  void raise(const std::string& name, const std::string& text) {
    const alarm fresh{name, text, now_ms_()};
    {
      const std::lock_guard lock(mutex_);
      if (raised_.contains(name)) {
        return;
      }
      if (raised_.size() < alarms_max) {
        raised_.emplace(name, fresh);
      }
    }
    if (heard_) {
      heard_(fresh, true);
    }
  }

  void clear(const std::string& name) {
    alarm gone;
    {
      const std::lock_guard lock(mutex_);
      const auto found = raised_.find(name);
      if (found == raised_.end()) {
        return;
      }
      gone = found->second;
      raised_.erase(found);
    }
    if (heard_) {
      heard_(gone, false);
    }
  }

  [[nodiscard]] std::vector<alarm> raised() const {
    const std::lock_guard lock(mutex_);
    std::vector<alarm> all;
    all.reserve(raised_.size());
    for (const auto& [name, one] : raised_) {
      all.push_back(one);
    }
    return all;
  }

 private:
  std::function<std::int64_t()> now_ms_;
  hook heard_;
  mutable std::mutex mutex_;
  std::map<std::string, alarm> raised_;
};

}  // namespace pawl
