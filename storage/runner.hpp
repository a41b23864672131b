#pragma once

#include "storage/batch.hpp"
#include "storage/batch_progress.hpp"
#include "storage/commit_session.hpp"
#include "storage/table_rules.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

class commit_attempt;

/// The cuts of a commit at which scenarios, simulation and crash tests may strike. One list of
/// names for all of them.
enum class fault_point : std::uint8_t {
  before_fence,
  after_fence,
  after_guards,
  after_effects,
  before_commit,
  after_commit_before_ack,
  after_ack_before_position,
};

[[nodiscard]] std::string_view name_of(fault_point point);
[[nodiscard]] std::optional<fault_point> fault_point_from(std::string_view name);

/// Called at each cut; true ends the run there: what is not committed is lost. Empty in production.
using fault_hook = std::function<bool(fault_point)>;

struct runner_config {
  const catalog* tables = nullptr;
  std::map<std::string, table_rules, std::less<>> rules;
  bool folds = false;   ///< the store's `folds()`
  bool grouped = true;  ///< false: one message a transaction, the path that the grouped one must
                        ///< equal
  fault_hook at_fault_point;
};

/// What a batch came to. `answers` are in the order of the parts; if `failure` is set, parts
/// without an answer (nothing) were not decided: their commit is to be run again.
struct batch_result {
  std::vector<std::optional<part_answer>> answers;
  std::optional<error> failure;  ///< `retry`, `deployment` or `stopped`
};

/// Commits many entities' parts together and lets each keep its own fate: fence, guards, phases,
/// bisect by entity then prefix, in doubt settled by the token (commit.md). Plain class, no clock;
/// used by one committer, on its thread.
///
/// A commit in doubt that can't be settled at once (the database is down) is a `retry`; the next
/// `run` settles it first, and answers those of its parts that begin with the same pairs.
class commit_runner {
 public:
  commit_runner(commit_session& session, runner_config config);
  commit_runner(const commit_runner&) = delete;
  commit_runner& operator=(const commit_runner&) = delete;
  ~commit_runner();

  /// One or more transactions. Parts are of different entities, and none is empty.
  [[nodiscard]] batch_result run(const std::vector<commit_part>& parts);

 private:
  class work;

  commit_session& session_;
  runner_config config_;
  std::unique_ptr<commit_attempt> attempt_;
  std::optional<doubtful_outcomes> in_doubt_;
};

}  // namespace pawl
