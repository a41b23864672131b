#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace pawl {

/// Something whose changes are kept in layers above what was committed: one layer for the
/// transaction, one for each savepoint.
class layered {
 public:
  virtual ~layered() = default;
  virtual void open() = 0;  ///< puts an empty layer on top
  virtual void keep() = 0;  ///< merges the top layer into what is below it
  virtual void drop() = 0;  ///< forgets the top layer
};

/// An ordered map with layers. Readers outside of the transaction use `committed`, which changes
/// only when the lowest layer is kept. Not synchronized.
template <class Key, class Row, class Less = std::less<Key>>
class layered_map final : public layered {
 public:
  using rows = std::map<Key, Row, Less>;

  void open() override { layers_.emplace_back(); }

  void keep() override {
    auto top = std::move(layers_.back());
    layers_.pop_back();
    for (auto& [key, row] : top) {
      if (!layers_.empty()) {
        layers_.back().insert_or_assign(key, std::move(row));
      } else if (row.has_value()) {
        base_.insert_or_assign(key, std::move(*row));
      } else {
        base_.erase(key);
      }
    }
  }

  void drop() override { layers_.pop_back(); }

  /// The row as the open transaction sees it, or null.
  [[nodiscard]] const Row* find(const Key& key) const {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      if (const auto found = layer->find(key); found != layer->end()) {
        return found->second.has_value() ? &*found->second : nullptr;
      }
    }
    return find_committed(key);
  }

  [[nodiscard]] const Row* find_committed(const Key& key) const {
    const auto found = base_.find(key);
    return found == base_.end() ? nullptr : &found->second;
  }

  /// Writes into the top layer, or at once if there is none.
  void put(const Key& key, Row row) {
    if (layers_.empty()) {
      base_.insert_or_assign(key, std::move(row));
    } else {
      layers_.back().insert_or_assign(key, std::optional<Row>(std::move(row)));
    }
  }

  void erase(const Key& key) {
    if (layers_.empty()) {
      base_.erase(key);
    } else {
      layers_.back().insert_or_assign(key, std::nullopt);
    }
  }

  [[nodiscard]] const rows& committed() const noexcept { return base_; }

 private:
  rows base_;
  std::vector<std::map<Key, std::optional<Row>, Less>> layers_;
};

}  // namespace pawl
