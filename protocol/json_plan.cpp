#include "protocol/json_plan.hpp"

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

template <class List, class Item>
std::size_t index_of(const List& list, const Item& item) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), item) - list.begin());
}

void add_once(std::vector<std::size_t>& numbers, std::size_t number) {
  if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
    numbers.push_back(number);
  }
}

}  // namespace

json_plan::json_plan() : nodes_(1) {}

std::size_t json_plan::add(const std::vector<path_step>& steps) {
  const std::size_t slot = index_of(paths_, steps);
  if (slot < paths_.size()) {
    return slot;
  }
  std::size_t group = none;
  const auto each = std::find_if(steps.begin(), steps.end(), [](const path_step& step) {
    return step.kind == path_step::what::each;
  });
  if (each != steps.end()) {
    const std::vector<path_step> prefix(steps.begin(), each + 1);
    group = index_of(groups_, prefix);
    if (group == groups_.size()) {
      groups_.push_back(prefix);
    }
  }
  paths_.push_back(steps);
  slot_groups_.push_back(group);
  insert(root(), 0, {&steps, slot, group});
  return slot;
}

void json_plan::insert(std::size_t at_node, std::size_t step, const addition& what) {
  if (step == what.steps->size()) {
    add_once(nodes_[at_node].slots, what.slot);
    return;
  }
  const path_step& next = (*what.steps)[step];
  switch (next.kind) {
    case path_step::what::name:
      insert(make_name(at_node, next.name), step + 1, what);
      return;
    case path_step::what::index:
      insert(make_index(at_node, next.index), step + 1, what);
      return;
    case path_step::what::each:
      break;
  }
  add_once(nodes_[at_node].groups, what.group);
  insert(make_each(at_node), step + 1, what);
  for (std::size_t i = 0; i < nodes_[at_node].indexes.size(); ++i) {
    insert(nodes_[at_node].indexes[i].second, step + 1, what);
  }
}

std::size_t json_plan::make_name(std::size_t parent, const std::string& name) {
  const json_name wanted(name);
  if (const std::size_t found = named_child(parent, wanted); found != none) {
    return found;
  }
  nodes_.emplace_back();
  nodes_[parent].names.push_back({name, wanted.head, nodes_.size() - 1});
  return nodes_.size() - 1;
}

std::size_t json_plan::make_index(std::size_t parent, std::uint32_t index) {
  for (const auto& [known, child] : nodes_[parent].indexes) {
    if (known == index) {
      return child;
    }
  }
  std::size_t child = nodes_.size();
  if (nodes_[parent].each == none) {
    nodes_.emplace_back();
  } else {
    child = clone(nodes_[parent].each);
  }
  nodes_[parent].indexes.emplace_back(index, child);
  return child;
}

std::size_t json_plan::make_each(std::size_t parent) {
  if (nodes_[parent].each == none) {
    nodes_.emplace_back();
    nodes_[parent].each = nodes_.size() - 1;
  }
  return nodes_[parent].each;
}

std::size_t json_plan::clone(std::size_t from) {
  node copy = nodes_[from];
  for (node::named& one : copy.names) {
    one.child = clone(one.child);
  }
  for (auto& one : copy.indexes) {
    one.second = clone(one.second);
  }
  if (copy.each != none) {
    copy.each = clone(copy.each);
  }
  nodes_.push_back(std::move(copy));
  return nodes_.size() - 1;
}

std::size_t json_plan::named_child(std::size_t parent, const json_name& name) const {
  for (const node::named& one : nodes_[parent].names) {
    if (one.head == name.head && one.name == name.text) {
      return one.child;
    }
  }
  return none;
}

std::size_t json_plan::indexed_child(std::size_t parent, std::uint32_t index) const {
  for (const auto& [known, child] : nodes_[parent].indexes) {
    if (known == index) {
      return child;
    }
  }
  return nodes_[parent].each;
}

}  // namespace pawl
