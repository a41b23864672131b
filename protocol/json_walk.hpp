#pragma once

#include "protocol/json_plan.hpp"
#include "protocol/json_reader.hpp"
#include "protocol/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace pawl {

/// Takes what a walk finds.
class json_sink {
 public:
  virtual ~json_sink() = default;
  virtual void fill(std::size_t slot, const json_token& found) = 0;
  /// Something stands where a group's list is expected; then its elements follow one by one.
  virtual void found_list(std::size_t group, bool is_list) = 0;
  virtual void next_element(std::size_t group) = 0;
};

/// One validating pass over a payload (`json_reader` says what is refused). Tokens point into its
/// buffers until the next pass.
class json_walk {
 public:
  json_walk();
  json_walk(json_walk&&) noexcept;
  json_walk& operator=(json_walk&&) noexcept;
  ~json_walk();

  [[nodiscard]] status read(std::string_view payload, const json_plan& plan, json_sink& sink);
  [[nodiscard]] result<std::uint64_t> hash_without_slots(std::string_view payload,
                                                         const json_plan& plan);

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace pawl
