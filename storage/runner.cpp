#include "storage/runner.hpp"

#include "protocol/limits.hpp"
#include "storage/commit_attempt.hpp"

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

/// How often a batch that met somebody's lock or lost a commit is run again as it is.
constexpr int repeats_max = 2;

/// An error that is nobody's message's: the caller waits and runs the batch again.
error as_failure(error why) {
  if (why.kind == fault::refused) {
    why.kind = fault::deployment;
  } else if (why.kind != fault::deployment && why.kind != fault::stopped) {
    why.kind = fault::retry;
  }
  return why;
}

}  // namespace

/// One run. Without savepoints a transaction holds one unit of the progress; after a failure units
/// are halved and stand under savepoints, many in a transaction.
class commit_runner::work {
 public:
  work(commit_runner& runner, const std::vector<commit_part>& parts)
      : runner_(runner),
        session_(runner.session_),
        attempt_(*runner.attempt_),
        parts_(parts),
        progress_(parts) {}

  batch_result run() {
    if (settle_doubt()) {
      queue_rest();
    }
    while (!failure_ && (open_ || progress_.pending())) {
      if (open_ || begin()) {
        step();
      }
    }
    return {progress_.answers(failure_), failure_};
  }

 private:
  bool settle_doubt();
  void queue_rest();
  bool begin();
  std::vector<shard_grant> grants();
  void step();
  void try_unit(const std::vector<segment>& unit);
  void keep_unit(const std::vector<segment>& unit);
  void undo_unit(const std::vector<segment>& unit, std::vector<part_reload> reloads,
                 std::optional<error> why);
  void blame(const std::vector<segment>& unit, error why);
  bool confirm_without();
  void commit();
  void doubt();
  void start_alone();
  void close(std::uint32_t part, part_status how, error why, std::vector<known_item> known = {});
  void fail(error why);
  bool stopped_at(fault_point point);

  commit_runner& runner_;
  commit_session& session_;
  commit_attempt& attempt_;
  const std::vector<commit_part>& parts_;
  batch_progress progress_;
  std::optional<error> failure_;
  std::vector<segment> last_unit_;
  bool open_ = false;        ///< a transaction is open, behind its fence
  bool savepoints_ = false;  ///< units stand under savepoints
  bool alone_ = false;       ///< savepoints don't hold here: each unit has its transaction
  int units_ = 0;            ///< tried in the open transaction
  int contended_ = 0;
  int doubts_ = 0;
};

/// False if a commit of the run before is still in doubt.
bool commit_runner::work::settle_doubt() {
  auto& doubt = runner_.in_doubt_;
  if (!doubt) {
    return true;
  }
  auto happened = session_.was_committed();
  if (!happened.ok()) {
    failure_ = as_failure(happened.error());
    return false;
  }
  if (happened.value()) {
    progress_.settle(*doubt);
  }
  doubt.reset();
  return true;
}

void commit_runner::work::queue_rest() {
  using cut = batch_progress::cut;
  progress_.queue(!runner_.config_.grouped ? cut::items : alone_ ? cut::parts : cut::whole);
}

/// Opens a transaction behind the fence. False if it did not: then either `failure_` is set, or
/// parts of lost shards are closed and it is to be tried again.
bool commit_runner::work::begin() {
  const auto wanted = grants();
  if (!progress_.pending()) {
    return false;
  }
  if (auto begun = session_.begin(); !begun.ok()) {
    fail(begun.error());
    return false;
  }
  if (stopped_at(fault_point::before_fence)) {
    return false;
  }
  auto lost = session_.fence(wanted);
  if (!lost.ok()) {
    fail(lost.error());
    return false;
  }
  if (!lost->empty()) {
    session_.rollback();
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
      if (progress_.is_open(part) &&
          std::find(lost->begin(), lost->end(), parts_[part].shard) != lost->end()) {
        close(part, part_status::lost, {});
      }
    }
    return false;
  }
  if (stopped_at(fault_point::after_fence)) {
    return false;
  }
  open_ = true;
  units_ = 0;
  return true;
}

/// One grant for each shard of the open parts. A part that was decided under an older epoch than
/// another is lost already.
std::vector<shard_grant> commit_runner::work::grants() {
  std::map<shard_id, lease_epoch> newest;
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    if (progress_.is_open(part)) {
      auto& epoch = newest[parts_[part].shard];
      epoch = std::max(epoch, parts_[part].epoch);
    }
  }
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    if (progress_.is_open(part) && parts_[part].epoch < newest[parts_[part].shard]) {
      close(part, part_status::lost, {});
    }
  }
  std::vector<shard_grant> all;
  all.reserve(newest.size());
  for (const auto& [shard, epoch] : newest) {
    all.push_back({shard, epoch});
  }
  return all;
}

void commit_runner::work::step() {
  auto unit = progress_.next();
  if (unit.empty()) {
    commit();
    return;
  }
  try_unit(unit);
  last_unit_ = std::move(unit);
  const int most = savepoints_ ? limits::savepoints_per_transaction_max : 1;
  if (open_ && units_ >= most) {
    commit();
  }
}

void commit_runner::work::try_unit(const std::vector<segment>& unit) {
  ++units_;
  if (savepoints_) {
    if (auto set = session_.savepoint(); !set.ok()) {
      fail(set.error());
      return;
    }
  }
  auto done = attempt_.run(parts_, unit);
  if (done.ok() && attempt_.reloads().empty()) {
    done = session_.check_constraints();
  }
  if (!done.ok()) {
    undo_unit(unit, {}, done.error());
  } else if (!attempt_.reloads().empty()) {
    undo_unit(unit, attempt_.reloads(), std::nullopt);
  } else {
    keep_unit(unit);
  }
}

void commit_runner::work::keep_unit(const std::vector<segment>& unit) {
  if (savepoints_) {
    if (auto released = session_.release(); !released.ok()) {
      fail(released.error());
      return;
    }
  }
  for (std::size_t i = 0; i < unit.size(); ++i) {
    progress_.stage(unit[i], attempt_.outcomes(i));
  }
}

void commit_runner::work::undo_unit(const std::vector<segment>& unit,
                                    std::vector<part_reload> reloads, std::optional<error> why) {
  const bool of_the_messages = !why || why->kind == fault::poison || why->kind == fault::unknown ||
                               why->kind == fault::contended;
  if (!of_the_messages) {
    fail(*why);
    return;
  }
  if (!savepoints_) {
    session_.rollback();
    open_ = false;
  } else if (!session_.rollback_to().ok()) {
    start_alone();
    return;
  }
  if (why) {
    blame(unit, *why);
    return;
  }
  for (auto& reload : reloads) {
    close(reload.part, part_status::reload, {}, std::move(reload.known));
  }
  progress_.put_back(unit);
}

/// Something in an undone unit fails: halves are tried, a single item gets its answer.
void commit_runner::work::blame(const std::vector<segment>& unit, error why) {
  if (why.kind == fault::contended && !savepoints_ && contended_ < repeats_max) {
    ++contended_;
    progress_.put_back(unit);
    return;
  }
  if (progress_.split(unit)) {
    if (!savepoints_ && !alone_) {
      savepoints_ = true;
    }
    return;
  }
  const auto part = unit.front().part;
  if (why.kind == fault::contended) {
    close(part, part_status::held, std::move(why));
    return;
  }
  if (why.kind == fault::unknown && !savepoints_ && !confirm_without()) {
    return;
  }
  why.kind = fault::poison;
  close(part, part_status::failed, std::move(why));
}

/// Whether a commit passes without the item that failed for no known reason: else it is not the
/// item's fault.
bool commit_runner::work::confirm_without() {
  auto passed = session_.begin();
  if (passed.ok()) {
    auto fenced = session_.fence(grants());
    passed = fenced.ok() ? session_.commit() : status(fenced.error());
  }
  if (!passed.ok()) {
    fail(passed.error());
  }
  return passed.ok();
}

void commit_runner::work::commit() {
  if (stopped_at(fault_point::before_commit)) {
    return;
  }
  const auto done = session_.commit();
  open_ = false;
  if (done.ok()) {
    if (!stopped_at(fault_point::after_commit_before_ack)) {
      progress_.keep();
    }
    return;
  }
  const auto kind = done.error().kind;
  if (kind == fault::in_doubt) {
    doubt();
  } else if (kind != fault::poison && kind != fault::unknown) {
    fail(done.error());
  } else {
    session_.rollback();
    progress_.forget();
    if (savepoints_) {
      start_alone();
    } else {
      blame(last_unit_, done.error());
    }
  }
}

void commit_runner::work::doubt() {
  auto happened = session_.was_committed();
  if (!happened.ok()) {
    runner_.in_doubt_ = progress_.doubtful();
    fail(happened.error());
    return;
  }
  if (happened.value()) {
    progress_.keep();
    return;
  }
  if (++doubts_ > repeats_max) {
    fail({fault::retry, "in_doubt", "the connection is lost during every commit"});
    return;
  }
  progress_.forget();
  savepoints_ = false;
  queue_rest();
}

/// A transaction was gone together with its savepoints (a constraint that rolls everything back, or
/// a lost connection): from here each part has its own.
void commit_runner::work::start_alone() {
  session_.rollback();
  open_ = false;
  savepoints_ = false;
  alone_ = true;
  progress_.forget();
  queue_rest();
}

void commit_runner::work::close(std::uint32_t part, part_status how, error why,
                                std::vector<known_item> known) {
  progress_.close(part, how, std::move(why), std::move(known));
  if (!open_) {
    progress_.keep();
  }
}

void commit_runner::work::fail(error why) {
  session_.rollback();
  open_ = false;
  progress_.forget();
  failure_ = as_failure(std::move(why));
}

bool commit_runner::work::stopped_at(fault_point point) {
  const auto& hook = runner_.config_.at_fault_point;
  if (!hook || !hook(point)) {
    return false;
  }
  fail({fault::stopped, std::string(name_of(point)), "stopped by a fault point"});
  return true;
}

commit_runner::commit_runner(commit_session& session, runner_config config)
    : session_(session),
      config_(std::move(config)),
      attempt_(std::make_unique<commit_attempt>(session, config_)) {}

commit_runner::~commit_runner() = default;

batch_result commit_runner::run(const std::vector<commit_part>& parts) {
  return work(*this, parts).run();
}

}  // namespace pawl
