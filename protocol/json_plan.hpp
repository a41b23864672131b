#pragma once

#include "protocol/path.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl {

/// A field name with its first 8 bytes as one number: most comparisons end there.
struct json_name {
  std::uint64_t head = 0;
  std::string_view text;

  json_name() = default;
  explicit json_name(std::string_view name) : text(name) {
    std::memcpy(&head, name.data(), name.size() < sizeof head ? name.size() : sizeof head);
  }

  /// The same where 8 bytes may be read at `name.data()`, whatever its length.
  static json_name in_padded_buffer(std::string_view name) {
    if constexpr (std::endian::native != std::endian::little) {
      return json_name(name);
    }
    json_name made;
    made.text = name;
    std::memcpy(&made.head, name.data(), sizeof head);
    if (name.size() < sizeof head) {
      made.head &= (std::uint64_t{1} << (8U * name.size())) - 1U;
    }
    return made;
  }
  friend bool operator==(const json_name& left, const json_name& right) {
    return left.head == right.head && left.text == right.text;
  }
};

/// The payload paths that are read, as one tree, so that a single walk over a payload finds them
/// all. Each path gets a slot; paths with `[*]` also a group, one per list that they repeat over.
/// Where an index and a `[*]` meet (`$.a[0]`, `$.a[*]`), the index's subtree holds both.
class json_plan {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  struct node {
    struct named {
      std::string name;
      std::uint64_t head = 0;
      std::size_t child = none;
    };
    std::vector<named> names;
    std::vector<std::pair<std::uint32_t, std::size_t>> indexes;
    std::size_t each = none;
    std::vector<std::size_t> slots;   ///< filled with the value at this place
    std::vector<std::size_t> groups;  ///< count the elements of the list at this place
  };

  json_plan();

  /// The slot of a path, the same for the same steps. The steps hold at most one `[*]`.
  std::size_t add(const std::vector<path_step>& steps);

  [[nodiscard]] std::size_t slot_count() const noexcept { return slot_groups_.size(); }
  [[nodiscard]] std::size_t group_count() const noexcept { return groups_.size(); }
  /// The group of a slot, or `none`.
  [[nodiscard]] std::size_t group_of(std::size_t slot) const { return slot_groups_[slot]; }

  [[nodiscard]] static constexpr std::size_t root() noexcept { return 0; }
  [[nodiscard]] const node& at(std::size_t index) const { return nodes_[index]; }
  /// The child of `parent` for a field name, or for an element's index; `none` if nothing is read
  /// there.
  [[nodiscard]] std::size_t named_child(std::size_t parent, const json_name& name) const;
  [[nodiscard]] std::size_t indexed_child(std::size_t parent, std::uint32_t index) const;

 private:
  struct addition {
    const std::vector<path_step>* steps;
    std::size_t slot;
    std::size_t group;
  };
  void insert(std::size_t at_node, std::size_t step, const addition& what);
  std::size_t make_name(std::size_t parent, const std::string& name);
  std::size_t make_index(std::size_t parent, std::uint32_t index);
  std::size_t make_each(std::size_t parent);
  std::size_t clone(std::size_t from);

  std::vector<node> nodes_;
  std::vector<std::vector<path_step>> paths_;   ///< per slot
  std::vector<std::vector<path_step>> groups_;  ///< per group: the steps up to and with `[*]`
  std::vector<std::size_t> slot_groups_;
};

}  // namespace pawl
