#include "storage/batch_progress.hpp"

#include "protocol/invariant.hpp"

#include <algorithm>
#include <utility>

namespace pawl {

batch_progress::batch_progress(const std::vector<commit_part>& parts)
    : parts_(parts), states_(parts.size()) {}

void batch_progress::queue(cut how) {
  units_.clear();
  std::vector<segment> whole;
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    const segment rest{part, static_cast<std::uint32_t>(states_[part].outcomes.size()),
                       static_cast<std::uint32_t>(parts_[part].items.size())};
    if (!is_open(part)) {
      continue;
    }
    if (how == cut::whole) {
      whole.push_back(rest);
    } else if (how == cut::parts) {
      units_.push_back({rest});
    } else {
      for (auto i = rest.first; i < rest.last; ++i) {
        units_.push_back({{part, i, i + 1}});
      }
    }
  }
  if (!whole.empty()) {
    units_.push_back(std::move(whole));
  }
  std::reverse(units_.begin(), units_.end());
}

std::vector<segment> batch_progress::next() {
  while (!units_.empty()) {
    auto unit = std::move(units_.back());
    units_.pop_back();
    std::erase_if(unit, [this](const segment& each) { return !is_open(each.part); });
    if (!unit.empty()) {
      return unit;
    }
  }
  return {};
}

bool batch_progress::pending() {
  auto unit = next();
  if (unit.empty()) {
    return false;
  }
  put_back(std::move(unit));
  return true;
}

bool batch_progress::split(const std::vector<segment>& unit) {
  if (unit.size() > 1) {
    const auto middle = unit.begin() + static_cast<std::ptrdiff_t>(unit.size() / 2);
    units_.emplace_back(middle, unit.end());
    units_.emplace_back(unit.begin(), middle);
    return true;
  }
  const auto [part, first, last] = unit.front();
  if (last - first < 2) {
    return false;
  }
  const auto middle = first + (last - first) / 2;
  units_.push_back({{part, middle, last}});
  units_.push_back({{part, first, middle}});
  return true;
}

void batch_progress::stage(const segment& done, std::span<const outcome> outcomes) {
  auto& of = states_[done.part].outcomes;
  invariant(of.size() == done.first && outcomes.size() == done.last - done.first,
            "a suffix took effect before its prefix");
  of.insert(of.end(), outcomes.begin(), outcomes.end());
}

void batch_progress::close(std::uint32_t part, part_status how, error why,
                           std::vector<known_item> known) {
  states_[part].closed = closing{how, std::move(why), std::move(known)};
}

void batch_progress::keep() {
  for (auto& each : states_) {
    each.durable = each.outcomes.size();
    each.closed_durably = each.closed.has_value();
  }
}

void batch_progress::forget() {
  for (auto& each : states_) {
    each.outcomes.resize(each.durable);
    if (!each.closed_durably) {
      each.closed.reset();
    }
  }
}

bool batch_progress::has_staged() const {
  return std::any_of(states_.begin(), states_.end(), [](const state& each) {
    return each.durable != each.outcomes.size() || each.closed_durably != each.closed.has_value();
  });
}

bool batch_progress::is_open(std::uint32_t part) const {
  return !states_[part].closed && states_[part].outcomes.size() < parts_[part].items.size();
}

doubtful_outcomes batch_progress::doubtful() const {
  doubtful_outcomes all;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const auto& [outcomes, durable, closed, closed_durably] = states_[part];
    if (outcomes.size() > durable) {
      all[parts_[part].items[durable].pair].assign(
          outcomes.begin() + static_cast<std::ptrdiff_t>(durable), outcomes.end());
    }
  }
  return all;
}

void batch_progress::settle(const doubtful_outcomes& known) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const auto& items = parts_[part].items;
    const auto found = known.find(items.front().pair);
    if (found != known.end() && found->second.size() <= items.size()) {
      states_[part].outcomes = found->second;
    }
  }
  keep();
}

std::vector<std::optional<part_answer>> batch_progress::answers(
    const std::optional<error>& failure) const {
  std::vector<std::optional<part_answer>> all(parts_.size());
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const auto& from = states_[part];
    if (from.closed) {
      all[part] =
          part_answer{from.closed->status, from.outcomes, from.closed->why, from.closed->known};
    } else if (from.outcomes.size() == parts_[part].items.size()) {
      all[part] = part_answer{part_status::done, from.outcomes, {}, {}};
    } else if (!from.outcomes.empty() && failure) {
      all[part] = part_answer{part_status::held, from.outcomes, *failure, {}};
    }
  }
  return all;
}

}  // namespace pawl
