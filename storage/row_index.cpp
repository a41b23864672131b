#include "storage/row_index.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

namespace pawl {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  return x ^ (x >> 27U);
}

std::uint64_t hash_key(const void* space, const std::vector<value>& values,
                       const std::vector<std::size_t>& key_at) {
  std::uint64_t hash = mix(std::bit_cast<std::uintptr_t>(space));
  for (const auto at : key_at) {
    const auto& part = values[at];
    const auto word = part.kind() == value_kind::integer
                          ? static_cast<std::uint64_t>(part.number())
                          : std::hash<std::string>{}(part.characters());
    hash = mix(hash ^ word);
  }
  return hash;
}

bool same_key(const row_marks& row, const void* space, const std::vector<value>& values,
              const std::vector<std::size_t>& key_at) {
  if (row.space != space || row.key_at->size() != key_at.size()) {
    return false;
  }
  for (std::size_t i = 0; i < key_at.size(); ++i) {
    if ((*row.values)[(*row.key_at)[i]] != values[key_at[i]]) {
      return false;
    }
  }
  return true;
}

}  // namespace

void row_index::clear(std::size_t expected) {
  rows_.clear();
  const auto wanted = std::bit_ceil(std::max<std::size_t>(16, expected * 2));
  slots_.assign(wanted, slot{});
}

std::uint32_t row_index::find(const void* space, const std::vector<value>& values,
                              const std::vector<std::size_t>& key_at) {
  if (rows_.size() * 2 >= slots_.size()) {
    grow();
  }
  const auto hash = hash_key(space, values, key_at);
  const auto mask = slots_.size() - 1;
  for (auto at = hash & mask;; at = (at + 1) & mask) {
    auto& candidate = slots_[at];
    if (candidate.row == 0) {
      row_marks fresh;
      fresh.space = space;
      fresh.values = &values;
      fresh.key_at = &key_at;
      rows_.push_back(fresh);
      candidate = {hash, static_cast<std::uint32_t>(rows_.size())};
      return candidate.row - 1;
    }
    if (candidate.hash == hash && same_key(rows_[candidate.row - 1], space, values, key_at)) {
      return candidate.row - 1;
    }
  }
}

void row_index::grow() {
  std::vector<slot> old(slots_.size() * 2);
  old.swap(slots_);
  const auto mask = slots_.size() - 1;
  for (const auto& each : old) {
    if (each.row == 0) {
      continue;
    }
    auto at = each.hash & mask;
    while (slots_[at].row != 0) {
      at = (at + 1) & mask;
    }
    slots_[at] = each;
  }
}

}  // namespace pawl
