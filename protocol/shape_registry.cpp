#include "protocol/shape_registry.hpp"

#include "protocol/stable_hash.hpp"

#include <mutex>
#include <utility>

namespace pawl {

std::size_t shape_registry::hash_shape::operator()(const effect_shape* shape) const noexcept {
  stable_hash hash;
  hash.add(static_cast<std::uint64_t>(shape->kind));
  hash.add(shape->table);
  for (const std::string& column : shape->key) {
    hash.add(column);
  }
  for (const std::string& column : shape->columns) {
    hash.add(column);
  }
  return static_cast<std::size_t>(hash.value());
}

const effect_shape* shape_registry::intern(effect_shape shape) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = known_.find(&shape); found != known_.end()) {
      return *found;
    }
  }
  const std::unique_lock lock(mutex_);
  if (const auto found = known_.find(&shape); found != known_.end()) {
    return *found;
  }
  const effect_shape* kept = &shapes_.emplace_back(std::move(shape));
  known_.insert(kept);
  return kept;
}

std::vector<const effect_shape*> shape_registry::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<const effect_shape*> listed;
  listed.reserve(shapes_.size());
  for (const effect_shape& shape : shapes_) {
    listed.push_back(&shape);
  }
  return listed;
}

}  // namespace pawl
