#pragma once

#include "storage/batch.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace pawl {

/// Consecutive items of one part: `first` to `last` - 1.
struct segment {
  std::uint32_t part = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// Outcomes of a transaction whose commit is in doubt, by the first pair that each part had in it.
using doubtful_outcomes = std::map<addressed_ptr, std::vector<outcome>>;

/// How far the parts of a batch are: what is durable, what the open transaction adds to it
/// (staged), and the units that are still to be tried, in order. Plain data of one
/// `commit_runner::run`.
class batch_progress {
 public:
  /// `parts` outlive it.
  explicit batch_progress(const std::vector<commit_part>& parts);

  /// Queues everything that is undone, anew: as one unit, as a unit for each part, or for each
  /// item.
  enum class cut : std::uint8_t { whole, parts, items };
  void queue(cut how);
  /// The next unit without segments of closed parts; empty if nothing is left.
  std::vector<segment> next();
  void put_back(std::vector<segment> unit) { units_.push_back(std::move(unit)); }
  /// Queues the two halves of a unit: by parts, or by items if it is of one part. False if it is a
  /// single item.
  bool split(const std::vector<segment>& unit);
  [[nodiscard]] bool pending();

  void stage(const segment& done, std::span<const outcome> outcomes);
  /// Nothing more of the part is tried. Staged like outcomes: it holds once the transaction does.
  void close(std::uint32_t part, part_status how, error why, std::vector<known_item> known = {});
  /// The open transaction is durable; or it is gone, with what was staged.
  void keep();
  void forget();
  [[nodiscard]] bool has_staged() const;

  [[nodiscard]] bool is_open(std::uint32_t part) const;
  /// What is staged, for the time when nobody knows whether it is durable.
  [[nodiscard]] doubtful_outcomes doubtful() const;
  /// Takes what a commit in doubt turned out to have done.
  void settle(const doubtful_outcomes& known);

  [[nodiscard]] std::vector<std::optional<part_answer>> answers(
      const std::optional<error>& failure) const;

 private:
  struct closing {
    part_status status = part_status::done;
    error why;
    std::vector<known_item> known;
  };
  struct state {
    std::vector<outcome> outcomes;
    std::size_t durable = 0;  ///< of `outcomes`; the rest is staged
    std::optional<closing> closed;
    bool closed_durably = false;
  };

  const std::vector<commit_part>& parts_;
  std::vector<state> states_;
  std::vector<std::vector<segment>> units_;  ///< the next one is the last
};

}  // namespace pawl
