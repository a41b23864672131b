#include "actors/lane.hpp"

#include <algorithm>
#include <iterator>

namespace pawl {
namespace {

bool goes_alone(const task& head) {
  if (head.verdict == task_verdict::dead_letter) {
    return head.stored.has_value();
  }
  return head.attempts > 0 ||
         (head.stored.has_value() && head.stored->from == stored_ref::table::dead_letter);
}

}  // namespace

flight_ptr lane::start(std::size_t tasks_max) {
  auto flight = std::make_shared<pawl::flight>();
  const std::size_t n = goes_alone(*undone_.front()) ? 1 : std::min(tasks_max, undone_.size());
  flight->tasks.reserve(n);
  flying_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    // What must go alone waits for a flight of its own.
    if (i > 0 && goes_alone(*undone_.front())) {
      break;
    }
    flying_.push_back(std::move(undone_.front()));
    undone_.pop_front();
    flight->tasks.push_back(flying_.back());
  }
  const bool redriven = std::any_of(flying_.begin(), flying_.end(),
                                    [](const task_ptr& one) { return one->stored.has_value(); });
  flight->number = ++flight_number;
  flight->reload = reload_next || redriven;
  reload_next = false;
  failure_noted = false;
  gap_closed_at.reset();
  now = phase::flying;
  return flight;
}

void lane::take_out(const task& one) {
  std::erase_if(undone_, [&one](const task_ptr& at) { return at.get() == &one; });
}

void lane::put_back(std::size_t first) {
  const auto from = flying_.begin() + static_cast<std::ptrdiff_t>(first);
  undone_.insert(undone_.begin(), std::make_move_iterator(from),
                 std::make_move_iterator(flying_.end()));
  flying_.erase(from, flying_.end());
}

std::vector<task_ptr> lane::finish() {
  now = phase::idle;
  return std::exchange(flying_, {});
}

std::vector<task_ptr> lane::drop_stored() {
  std::vector<task_ptr> dropped;
  std::erase_if(undone_, [&dropped](const task_ptr& one) {
    if (one->stored.has_value()) {
      dropped.push_back(one);
    }
    return one->stored.has_value();
  });
  return dropped;
}

}  // namespace pawl
