#include "runtime/stored_work.hpp"

#include <utility>

namespace pawl {

bool stored_work::at_rest() {
  if (session_ == nullptr) {
    auto opened = database_.open_janitor(consumer_);
    if (!opened.ok()) {
      return false;
    }
    session_ = std::move(*opened);
  }
  const auto marked = session_->marked(1);
  if (!marked.ok() || !marked->empty()) {
    return false;
  }
  // Asked second: a dead letter that has just left is seen by what it leaves to be drained.
  const auto undrained = session_->undrained(1);
  return undrained.ok() && undrained->empty();
}

}  // namespace pawl
