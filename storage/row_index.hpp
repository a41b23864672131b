#pragma once

#include "protocol/value.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pawl {

/// One row of a user's table as a batch meets it, with the phases of what happens to it. A phase of
/// -1: nothing yet.
struct row_marks {
  const void* space = nullptr;  ///< the table, or the foreign key target, that its key belongs to
  const std::vector<value>* values = nullptr;        ///< where its key is first written ...
  const std::vector<std::size_t>* key_at = nullptr;  ///< ... and at which positions
  int last = -1;                                     ///< last phase that writes it
  int exists_last = -1;                              ///< last phase that may make or remove it
  int refers_last = -1;                              ///< last phase that needs it to exist
  std::uintptr_t last_class = 0;                     ///< writes of one class share a phase
  bool present = false;                              ///< made or written for certain by the batch
  std::size_t sums = 0;           ///< where the running sums of a folding `add` are kept
  std::int32_t statement = -1;    ///< in the statement being built: which, ...
  std::size_t statement_row = 0;  ///< ... and where
};

/// Finds rows by space and key. Open addressing, reused from batch to batch.
class row_index {
 public:
  void clear(std::size_t expected);
  /// The row's number; a new one if it is not known.
  std::uint32_t find(const void* space, const std::vector<value>& values,
                     const std::vector<std::size_t>& key_at);
  [[nodiscard]] row_marks& operator[](std::uint32_t row) { return rows_[row]; }

 private:
  struct slot {
    std::uint64_t hash = 0;
    std::uint32_t row = 0;  ///< its number + 1; 0: free
  };
  void grow();

  std::vector<row_marks> rows_;
  std::vector<slot> slots_;
};

}  // namespace pawl
