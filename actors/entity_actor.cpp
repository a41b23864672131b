#include "actors/entity_actor.hpp"

#include <utility>

namespace pawl {

entity_actor::entity_actor(caf::actor_config& config, entity_logic logic, entity_ref entity,
                           caf::actor shard, caf::actor committer)
    : actor_base(config),
      logic_(std::move(logic)),
      entity_(std::move(entity)),
      shard_(std::move(shard)),
      committer_(std::move(committer)) {}

caf::behavior entity_actor::make_behavior() {
  return {
      [this](const msg<flight>& next) {
        if (!logic_.needs_load(*next)) {
          work(next);
          return;
        }
        loading_ = next;
        caf::anon_send(committer_,
                       msg<load_request>(std::make_shared<load_request>(load_request{
                           logic_.query(*next), next->number, caf::actor_cast<caf::actor>(this)})));
      },
      [this](const msg<load_answer>& loaded) {
        if (loading_ == nullptr || loading_->number != loaded->flight) {
          return;
        }
        const flight_ptr next = std::exchange(loading_, nullptr);
        logic_.loaded(*next, loaded->answer);
        work(next);
      },
  };
}

void entity_actor::work(const flight_ptr& next) {
  entity_logic::built made = logic_.build(*next);
  const bool failed = made.note.failed_at.has_value();
  if (failed || made.note.gap_closed_at.has_value()) {
    // Before the part: the committer's answer must find the shard knowing.
    caf::anon_send(shard_, msg<worker_note>(std::make_shared<worker_note>(
                               worker_note{entity_, std::move(made.note)})));
  }
  if (!made.part.items.empty()) {
    caf::anon_send(committer_, std::make_shared<flight_part>(
                                   flight_part{std::move(made.part), next->number, shard_}));
  }
  if (failed) {
    quit(caf::make_error(caf::sec::runtime_error));
  }
}

}  // namespace pawl
