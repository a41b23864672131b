#pragma once

#include "storage/store.hpp"

#include <memory>
#include <string>

namespace pawl {

/// Whether a running node still has something to do with what lies in the store: dead letters that
/// a person marked, and parked messages that may go on. Messages that wait for a person, or for a
/// version that has not come, are none of it. Owned by one thread; connects when it is first asked.
class stored_work {
 public:
  /// `database` outlives it.
  stored_work(store& database, std::string consumer)
      : database_(database), consumer_(std::move(consumer)) {}

  /// False too if the store can't be asked now.
  [[nodiscard]] bool at_rest();

 private:
  store& database_;
  std::string consumer_;
  std::unique_ptr<janitor_session> session_;
};

}  // namespace pawl
