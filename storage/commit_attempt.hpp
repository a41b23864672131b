#pragma once

#include "storage/batch.hpp"
#include "storage/batch_progress.hpp"
#include "storage/commit_session.hpp"
#include "storage/effect_plan.hpp"
#include "storage/guard_book.hpp"
#include "storage/runner.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pawl {

/// A part whose guards or entity row disagreed with what it was decided on.
struct part_reload {
  std::uint32_t part = 0;
  std::vector<known_item> known;
};

/// The steps between fence and commit for some segments, once. It only tells what happened: undoing
/// and trying again is the runner's. Used by one thread; its buffers are reused.
class commit_attempt {
 public:
  commit_attempt(commit_session& session, const runner_config& config);

  /// Guards, entity rows, effects, set-aside rows. Segments are of different parts. After an error,
  /// or if `reloads` is not empty, everything has to be undone.
  status run(const std::vector<commit_part>& parts, std::span<const segment> segments);

  [[nodiscard]] const std::vector<part_reload>& reloads() const noexcept { return reloads_; }
  /// Outcomes of a segment's items, by its place in the last `run`.
  [[nodiscard]] std::span<const outcome> outcomes(std::size_t segment) const;

 private:
  /// One item in the attempt.
  struct tried {
    const commit_item* item = nullptr;
    const commit_part* part = nullptr;
    std::uint32_t segment = 0;
    bool fresh = true;
    bool refused = false;  ///< becomes a dead letter with reason `conflict`
  };

  void lay_out(const std::vector<commit_part>& parts, std::span<const segment> segments);
  status guard();
  status move_entities(const std::vector<commit_part>& parts);
  status apply_effects();
  status set_aside();
  status write_letters();
  status cut(fault_point point) const;
  void note_reloads();
  [[nodiscard]] static std::size_t index_of(const tried& entry);
  [[nodiscard]] dead_letter_row letter_of(std::size_t at) const;

  commit_session& session_;
  const fault_hook& hook_;
  guard_book guards_;
  effect_plan plan_;
  std::span<const segment> segments_;
  std::vector<std::size_t> first_of_;  ///< by segment: its first entry; one more at the end
  std::vector<tried> entries_;
  std::vector<const commit_item*> items_;
  std::vector<outcome> outcomes_;
  std::vector<part_reload> reloads_;
  std::vector<entity_write> writes_;
  std::vector<std::size_t> write_segments_;
  std::vector<const commit_item*> fresh_items_;
  std::vector<std::size_t> fresh_entries_;
  std::vector<bool> dropped_;
};

}  // namespace pawl
