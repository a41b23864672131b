#include "runtime/scenario/broker_source.hpp"

#include <utility>

namespace pawl {

broker_source::broker_source(std::shared_ptr<in_process_broker> broker)
    : broker_(std::move(broker)) {}

const std::string& broker_source::name() const noexcept { return broker_->options().source; }

bool broker_source::is_log() const noexcept { return broker_->options().kind == broker_kind::log; }

status broker_source::start(std::span<const source_position> stored) {
  run_ = broker_->open(stored);
  return {};
}

result<poll_answer> broker_source::poll(const poll_limits& limits) {
  broker_answer answer = broker_->receive(run_, limits.messages, limits.bytes, limits.wait);
  return poll_answer{std::move(answer.messages), answer.ended};
}

void broker_source::ack(std::span<const message_origin> finished) { broker_->ack(run_, finished); }

source_position broker_source::stored_form(const std::string& partition,
                                           std::int64_t position) const {
  return {name(), partition, position, "scenario"};
}

std::int64_t broker_source::lag() const { return static_cast<std::int64_t>(broker_->left()); }

void broker_source::stop() {}

}  // namespace pawl
