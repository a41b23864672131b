#include "actors/shard_actor.hpp"

#include "actors/entity_actor.hpp"
#include "protocol/envelope.hpp"
#include "protocol/hash.hpp"

#include <chrono>
#include <utility>

namespace pawl {
namespace {

constexpr std::chrono::milliseconds sweep_interval{1000};

}  // namespace

shard_actor::shard_actor(caf::actor_config& config, node_surroundings* around, shard_grant grant,
                         caf::actor committer)
    : actor_base(config),
      around_(around),
      grant_(grant),
      committer_(std::move(committer)),
      lanes_(around->shards, *around->counted, *around->alarms) {}

caf::behavior shard_actor::make_behavior() {
  delayed_send(this, sweep_interval, sweep_lanes{});
  return {
      [this](const msg<accepted_tasks>& tasks) {
        shard_output out;
        lanes_.accept(*tasks, around_->now_ms(), out);
        act(out);
      },
      [this](const msg<flight_answers>& answers) {
        shard_output out;
        const std::int64_t now = around_->now_ms();
        for (const flight_answer& one : *answers) {
          lanes_.settle(one.entity, one.flight, one.answer, now, out);
        }
        act(out);
      },
      [this](const msg<worker_note>& note) {
        shard_output out;
        lanes_.note(note->entity, note->note, out);
        act(out);
      },
      [this](const msg<wake_lane>& wake) {
        shard_output out;
        lanes_.wake(wake->entity, wake->flight, out);
        act(out);
      },
      [this](const msg<fetched_parked>& fetched) {
        std::vector<task_ptr> tasks;
        tasks.reserve(fetched->rows.size());
        for (const parked_row& row : fetched->rows) {
          tasks.push_back(task_of(decode(row.envelope, row.entity), row.entity,
                                  {stored_ref::table::parked, row.key, row.content}));
        }
        shard_output out;
        lanes_.fetched(fetched->entity, fetched->why, std::move(tasks), fetched->last, out);
        act(out);
      },
      [this](const msg<fetched_dead_letter>& fetched) {
        if (fetched->row.has_value() && fetched->mark == dead_letter_mark::retry &&
            hand_over(*fetched->row)) {
          return;
        }
        task_ptr one;
        if (fetched->row.has_value() && fetched->row->mark != dead_letter_mark::none) {
          const dead_letter_row& row = *fetched->row;
          one = task_of(decode(row.envelope, row.entity), row.entity,
                        {stored_ref::table::dead_letter, row.key, row.content});
          one->held_entity = row.blocks;
          if (fetched->mark == dead_letter_mark::discard) {
            one->verdict = task_verdict::discard;
          }
        }
        shard_output out;
        lanes_.fetched_dead(fetched->entity, std::move(one), out);
        act(out);
      },
      [this](const msg<redrive_request>& request) {
        shard_output out;
        lanes_.redrive(request->entity, request->id, request->mark, around_->now_ms(), out);
        act(out);
      },
      [this](const msg<drain_request>& request) {
        shard_output out;
        lanes_.drain(request->entity, request->why, around_->now_ms(), out);
        act(out);
      },
      [this](sweep_lanes) {
        shard_output out;
        lanes_.passivate(around_->now_ms(), out);
        act(out);
        delayed_send(this, sweep_interval, sweep_lanes{});
      },
      [this](const msg<letter_handled>& handled) {
        shard_output out;
        lanes_.handled_elsewhere(handled->letter.entity, handled->letter.id, around_->now_ms(),
                                 out);
        act(out);
      },
      [this](const msg<know_others>& known) {
        intakes_ = known->intakes;
        shards_ = known->shards;
      },
  };
}

task_ptr shard_actor::task_of(const addressed_ptr& pair, const entity_ref& entity,
                              const stored_ref& from) const {
  auto made = std::make_shared<task>();
  made->pair = pair;
  if (pair->undecodable.has_value()) {
    // What the handlers of today can't read is set aside again where it was.
    auto kept = std::make_shared<addressed_message>(*pair);
    kept->entity = entity;
    kept->key = from.key;
    kept->content = from.content;
    made->pair = std::move(kept);
  }
  made->shard = grant_.shard;
  made->stored = from;
  return made;
}

addressed_ptr shard_actor::decode(const std::string& envelope, const entity_ref& entity) {
  const auto opened = decode_envelope(envelope);
  if (opened.ok()) {
    return decoder_for(opened->received->origin.source).decode_for(opened->received, entity);
  }
  auto broken = std::make_shared<addressed_message>();
  broken->source = std::make_shared<message>();
  broken->contract = &undecodable_contract();
  broken->entity = entity;
  broken->undecodable = opened.error();
  return broken;
}

message_decoder& shard_actor::decoder_for(const std::string& source) {
  const auto known = decoders_.find(source);
  return known != decoders_.end()
             ? known->second
             : decoders_.emplace(source, message_decoder(around_->decoding_of(source)))
                   .first->second;
}

bool shard_actor::hand_over(const dead_letter_row& row) {
  if (row.entity.type != source_entity_type) {
    return false;
  }
  const auto opened = decode_envelope(row.envelope);
  if (!opened.ok()) {
    return false;
  }
  const message_ptr& again = opened->received;
  const std::vector<addressed_ptr> pairs = decoder_for(again->origin.source).decode(again);
  if (!pairs.empty() && pairs.front()->undecodable.has_value()) {
    return false;
  }
  shard_output out;
  if (lanes_.hand_over(row.entity, out)) {
    auto delivered = std::make_shared<delivery>();
    delivered->origin = again->origin;
    delivered->bytes = again->payload.size();
    delivered->letter = decoded_letter{row.entity, grant_.shard, row.id};
    delivered->open.store(static_cast<std::uint32_t>(pairs.size()), std::memory_order_relaxed);
    around_->counted->pairs(pairs.size());
    for (const addressed_ptr& pair : pairs) {
      auto made = std::make_shared<task>();
      made->pair = pair;
      made->shard = shard_of(pair->entity, static_cast<std::uint32_t>(shards_.size()));
      made->waiting.push_back(delivered);
      const caf::actor& owner = shards_[made->shard.value];
      caf::anon_send(owner, msg<accepted_tasks>(std::make_shared<accepted_tasks>(1, made)));
    }
    if (pairs.empty()) {
      around_->counted->unaddressed(1);
      out.finished.push_back(std::move(delivered));
    }
  }
  act(out);
  return true;
}

void shard_actor::act(shard_output& out) {
  if (out.lost) {
    around_->ended(true, "the lease of shard " + std::to_string(grant_.shard.value) +
                             " was granted to another process");
  }
  const auto self = caf::actor_cast<caf::actor>(this);
  for (const entity_ref& ended : out.ended_workers) {
    const auto worker = workers_.find(ended);
    if (worker != workers_.end()) {
      caf::anon_send_exit(worker->second, caf::exit_reason::user_shutdown);
      workers_.erase(worker);
    }
  }
  for (shard_output::dispatch& one : out.dispatches) {
    caf::actor& worker = workers_[one.entity];
    if (one.new_worker) {
      worker = spawn<entity_actor, caf::lazy_init>(
          entity_logic(one.entity, grant_.shard, grant_.epoch, around_->entities), one.entity, self,
          committer_);
    }
    caf::anon_send(worker, std::move(one.work));
  }
  for (shard_output::wake& one : out.wakes) {
    delayed_send(
        this, std::chrono::milliseconds(one.after_ms),
        msg<wake_lane>(std::make_shared<wake_lane>(wake_lane{std::move(one.entity), one.flight})));
  }
  for (shard_output::fetch& one : out.fetches) {
    caf::anon_send(committer_, msg<fetch_parked>(std::make_shared<fetch_parked>(
                                   fetch_parked{std::move(one.entity), one.why, self})));
  }
  for (shard_output::fetch_dead& one : out.dead_fetches) {
    caf::anon_send(committer_,
                   msg<fetch_dead_letter>(std::make_shared<fetch_dead_letter>(
                       fetch_dead_letter{std::move(one.entity), one.id, one.mark, self})));
  }
  if (out.finished.empty()) {
    return;
  }
  std::vector<std::shared_ptr<finished_deliveries>> per_intake(intakes_.size());
  for (delivery_ptr& one : out.finished) {
    if (one->letter.has_value()) {
      caf::anon_send(
          shards_[one->letter->shard.value],
          msg<letter_handled>(std::make_shared<letter_handled>(letter_handled{*one->letter})));
      continue;
    }
    auto& list = per_intake[one->source];
    if (list == nullptr) {
      list = std::make_shared<finished_deliveries>();
    }
    list->push_back(std::move(one));
  }
  for (std::size_t i = 0; i < per_intake.size(); ++i) {
    if (per_intake[i] != nullptr) {
      caf::anon_send(intakes_[i], msg<finished_deliveries>(std::move(per_intake[i])));
    }
  }
}

void shard_actor::on_exit() {
  workers_.clear();
  intakes_.clear();
  shards_.clear();
  committer_ = nullptr;
}

}  // namespace pawl
