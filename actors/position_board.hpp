#pragma once

#include "storage/janitor_session.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace pawl {

/// The highest positions that the node's logs have delivered. Thread-safe: each intake writes
/// before it hands the deliveries on, so whoever reads after a ledger rotation knows a bound of
/// everything that the closed generation holds.
class position_board {
 public:
  void put(source_position highest) {
    const std::lock_guard lock(mutex_);
    highest_[{highest.source, highest.partition}] = std::move(highest);
  }

  [[nodiscard]] std::vector<source_position> read() const {
    const std::lock_guard lock(mutex_);
    std::vector<source_position> all;
    all.reserve(highest_.size());
    for (const auto& [name, one] : highest_) {
      all.push_back(one);
    }
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, source_position> highest_;
};

}  // namespace pawl
