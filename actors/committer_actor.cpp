#include "actors/committer_actor.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

namespace pawl {
namespace {

/// Parked messages read at a time: they are in memory beside the credits.
constexpr std::size_t parked_rows_max = 256;

}  // namespace

committer_actor::committer_actor(caf::actor_config& config, node_surroundings* around,
                                 std::uint32_t number, std::shared_ptr<commit_session> session,
                                 committer_settings settings)
    : actor_base(config),
      around_(around),
      alarm_("store:committer-" + std::to_string(number)),
      session_(std::move(session)),
      settings_(std::move(settings)),
      runner_(*session_, settings_.runner) {}

caf::behavior committer_actor::make_behavior() {
  return {
      [this](const std::shared_ptr<flight_part>& handed) {
        messages_ += handed->part.items.size();
        parts_.push_back(std::move(handed->part));
        senders_.push_back({handed->flight, std::move(handed->shard)});
        gather();
      },
      [this](const msg<load_request>& request) {
        loads_.push_back(request);
        gather();
      },
      [this](const msg<fetch_parked>& request) {
        fetches_.push_back(request);
        gather();
      },
      [this](const msg<fetch_dead_letter>& request) {
        dead_fetches_.push_back(request);
        gather();
      },
      [this](flush_commits) {
        flush_on_its_way_ = false;
        flush();
      },
  };
}

void committer_actor::gather() {
  if (messages_ >= settings_.batch_messages && failures_ == 0) {
    flush();
  } else if (!flush_on_its_way_) {
    // It comes behind everything that is in the mailbox already: all of that goes together.
    flush_on_its_way_ = true;
    caf::anon_send(caf::actor_cast<caf::actor>(this), flush_commits{});
  }
}

void committer_actor::flush() {
  if (around_->abandoned.load(std::memory_order_relaxed)) {
    return;
  }
  if (read() && commit()) {
    recover();
  }
}

bool committer_actor::read() {
  if (!loads_.empty()) {
    std::vector<entity_query> queries;
    queries.reserve(loads_.size());
    for (const auto& one : loads_) {
      queries.push_back(one->query);
    }
    auto answers = session_->load(queries);
    if (!answers.ok()) {
      fail(answers.error());
      return false;
    }
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      caf::anon_send(loads_[i]->worker, msg<load_answer>(std::make_shared<load_answer>(load_answer{
                                            std::move((*answers)[i]), loads_[i]->flight})));
    }
    loads_.clear();
  }
  while (!fetches_.empty()) {
    const auto& wanted = fetches_.back();
    auto rows = session_->load_parked(wanted->entity, wanted->why, parked_rows_max + 1);
    if (!rows.ok()) {
      fail(rows.error());
      return false;
    }
    // One more than is given on: who gets the last must know it, since it frees the entity.
    const bool last = rows->size() <= parked_rows_max;
    rows->resize(std::min(rows->size(), parked_rows_max));
    caf::anon_send(wanted->shard,
                   msg<fetched_parked>(std::make_shared<fetched_parked>(
                       fetched_parked{wanted->entity, wanted->why, std::move(*rows), last})));
    fetches_.pop_back();
  }
  while (!dead_fetches_.empty()) {
    const auto& wanted = dead_fetches_.back();
    auto row = session_->load_dead_letter(wanted->id);
    if (!row.ok()) {
      fail(row.error());
      return false;
    }
    caf::anon_send(wanted->shard,
                   msg<fetched_dead_letter>(std::make_shared<fetched_dead_letter>(
                       fetched_dead_letter{wanted->entity, wanted->mark, std::move(*row)})));
    dead_fetches_.pop_back();
  }
  return true;
}

bool committer_actor::commit() {
  if (parts_.empty()) {
    return true;
  }
  batch_result committed = runner_.run(parts_);
  if (!committed.failure.has_value()) {
    around_->counted->committed();
  }
  answer(committed);
  if (committed.failure.has_value()) {
    fail(*committed.failure);
    return false;
  }
  return true;
}

void committer_actor::answer(batch_result& committed) {
  std::unordered_map<caf::actor_id, std::pair<caf::actor, std::shared_ptr<flight_answers>>> answers;
  std::vector<commit_part> parts = std::exchange(parts_, {});
  std::vector<sender> senders = std::exchange(senders_, {});
  messages_ = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!committed.answers[i].has_value()) {
      messages_ += parts[i].items.size();
      parts_.push_back(std::move(parts[i]));
      senders_.push_back(std::move(senders[i]));
      continue;
    }
    auto& [shard, list] = answers[senders[i].shard.id()];
    if (list == nullptr) {
      shard = senders[i].shard;
      list = std::make_shared<flight_answers>();
    }
    list->push_back(
        {std::move(parts[i].entity), senders[i].flight, std::move(*committed.answers[i])});
  }
  for (auto& [id, one] : answers) {
    caf::anon_send(one.first, msg<flight_answers>(std::move(one.second)));
  }
}

void committer_actor::fail(const error& why) {
  if (why.kind == fault::stopped) {
    return;
  }
  ++failures_;
  around_->alarms->raise(
      alarm_, (why.kind == fault::deployment
                   ? "the store refuses the statements; nothing is lost, and it is tried "
                     "again: "
                   : "the store can't be reached; nothing is lost, and it is tried again: ") +
                  why.text);
  flush_on_its_way_ = true;
  const auto spread = static_cast<std::uint64_t>(failures_) * 7919U + id();
  delayed_send(this, std::chrono::milliseconds(backoff_ms(settings_.retry, failures_, spread)),
               flush_commits{});
}

void committer_actor::recover() {
  if (std::exchange(failures_, 0) > 0) {
    around_->alarms->clear(alarm_);
  }
}

void committer_actor::on_exit() {
  parts_.clear();
  senders_.clear();
  loads_.clear();
  fetches_.clear();
  dead_fetches_.clear();
  session_.reset();
}

}  // namespace pawl
