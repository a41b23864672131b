#include "runtime/scenario/naive_consumer.hpp"

#include "protocol/effects.hpp"
#include "runtime/scenario/scenario_message.hpp"

#include <exception>
#include <utility>

namespace pawl {
namespace {

constexpr std::chrono::milliseconds poll_wait{100};
constexpr std::int64_t lease_ms = 15'000;

decoder_config decoding(const naive_setup& setup) {
  decoder_config config;
  config.consumer = setup.consumer;
  config.type_path = setup.type_path;
  for (const handler_registration& one : setup.handlers) {
    config.contracts.push_back(one.contract.get());
  }
  return config;
}

/// A session as the runtime's committers have it; its guards are left unused.
result<std::unique_ptr<commit_session>> open_session(const naive_setup& setup) {
  auto keeper = setup.database->open_keeper();
  if (!keeper) {
    return keeper.error();
  }
  const auto node = (*keeper)->register_node({setup.consumer, 1, "naive", lease_ms});
  if (!node) {
    return node.error();
  }
  return setup.database->open_commit({*node, setup.consumer, 0, {}}, setup.tables.get());
}

}  // namespace

result<std::unique_ptr<naive_consumer>> naive_consumer::start(const naive_setup& setup,
                                                              in_process_broker& broker,
                                                              crash_switch& crashes) {
  auto session = open_session(setup);
  if (!session) {
    return session.error();
  }
  return std::unique_ptr<naive_consumer>(
      new naive_consumer(setup, broker, crashes, std::move(*session)));
}

naive_consumer::naive_consumer(const naive_setup& setup, in_process_broker& broker,
                               crash_switch& crashes, std::unique_ptr<commit_session> session)
    : setup_(setup),
      broker_(broker),
      crashes_(crashes),
      session_(std::move(session)),
      decoder_(decoding(setup)),
      run_(broker.open_at_acked()) {}

status naive_consumer::run(const std::function<void()>& progress) {
  for (;;) {
    const broker_answer answer = broker_.receive(run_, 1, SIZE_MAX, poll_wait);
    for (const message_ptr& received : answer.messages) {
      const auto done = consume(received);
      if (!done) {
        return done.error();
      }
      if (*done == fate::crashed) {
        return {};
      }
      if (*done == fate::ack) {
        broker_.ack(run_, std::span(&received->origin, 1));
      } else {
        broker_.give_back(run_, received->origin);
      }
      progress();
      if (crashes_.reached(fault_point::after_ack_before_position)) {
        return {};
      }
    }
    if (answer.ended && answer.messages.empty()) {
      return {};
    }
  }
}

result<naive_consumer::fate> naive_consumer::consume(const message_ptr& received) {
  std::vector<effect> effects;
  for (const addressed_ptr& pair : decoder_.decode(received)) {
    if (pair->undecodable) {
      ++counts_.dropped;
      return fate::ack;
    }
    auto wanted = handle(*pair);
    if (!wanted) {
      return failed_attempt(*received);
    }
    effects.insert(effects.end(), wanted->begin(), wanted->end());
  }
  const auto written = write(effects);
  if (written || written.error().kind != fault::poison) {
    return written;
  }
  return failed_attempt(*received);
}

result<std::vector<effect>> naive_consumer::handle(const addressed_message& pair) const {
  for (const handler_registration& one : setup_.handlers) {
    if (one.contract.get() != pair.contract) {
      continue;
    }
    effect_list effects(pair.contract->pair, *setup_.tables, *setup_.shapes);
    try {
      one.run->handle(pair, std::nullopt, effects);
    } catch (const std::exception& thrown) {
      return error{fault::poison, "handler", thrown.what()};
    }
    return effects.take();
  }
  return error{fault::poison, "handler", "no handler"};
}

naive_consumer::fate naive_consumer::failed_attempt(const message& received) {
  ++counts_.failed;
  if (++attempts_[scenario_number(received).value_or(0)] < setup_.attempts) {
    return fate::give_back;
  }
  ++counts_.dropped;
  return fate::ack;
}

result<naive_consumer::fate> naive_consumer::write(const std::vector<effect>& effects) {
  for (const fault_point before :
       {fault_point::before_fence, fault_point::after_fence, fault_point::after_guards}) {
    if (crashes_.reached(before)) {
      return fate::crashed;
    }
  }
  if (auto begun = session_->begin(); !begun) {
    return begun.error();
  }
  for (const effect& one : effects) {
    const effect_statement statement{one.shape, false, {}, {{0, one.values}}};
    const auto applied = session_->apply(statement);
    if (!applied) {
      session_->rollback();
      if (one.shape->kind == effect_kind::insert && !one.shape->key.empty() &&
          applied.error().kind == fault::poison) {
        ++counts_.swallowed;  // "duplicate key": surely it was done already
        return fate::ack;
      }
      return applied.error();
    }
  }
  for (const fault_point before : {fault_point::after_effects, fault_point::before_commit}) {
    if (crashes_.reached(before)) {
      session_->rollback();
      return fate::crashed;
    }
  }
  if (auto committed = session_->commit(); !committed) {
    session_->rollback();
    return committed.error();
  }
  ++counts_.committed;
  return crashes_.reached(fault_point::after_commit_before_ack) ? fate::crashed : fate::ack;
}

}  // namespace pawl
