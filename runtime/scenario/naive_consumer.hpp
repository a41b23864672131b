#pragma once

#include "actors/handler.hpp"
#include "protocol/decode.hpp"
#include "runtime/scenario/crash_switch.hpp"
#include "runtime/scenario/in_process_broker.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace pawl {

struct naive_counts {
  std::uint64_t committed = 0;  ///< messages whose transaction committed
  std::uint64_t swallowed = 0;  ///< taken for repeats: a unique key was there already
  std::uint64_t dropped = 0;    ///< could not be decoded, or refused by the database after retries
  std::uint64_t failed = 0;     ///< attempts that threw and were given back
};

/// What a naive consumer works with.
struct naive_setup {
  std::shared_ptr<store> database;
  std::shared_ptr<const catalog> tables;
  std::shared_ptr<shape_registry> shapes;
  std::span<const handler_registration> handlers;
  std::string consumer;
  std::string type_path;  ///< as in `decoder_config`
  int attempts = 5;       ///< at one message, then it is dropped with a log line
};

/// The consumer that everybody writes first: take a message, write its effects in one transaction,
/// commit, acknowledge. It commits before it acknowledges, gives back what failed and takes a
/// unique violation for a repeat. It has no ledger and compares no versions. One instance is one
/// run: a crash ends it. Used by one thread.
class naive_consumer {
 public:
  [[nodiscard]] static result<std::unique_ptr<naive_consumer>> start(const naive_setup& setup,
                                                                     in_process_broker& broker,
                                                                     crash_switch& crashes);

  /// Consumes until the broker has nothing left or a crash strikes. `progress` is called after
  /// each message.
  [[nodiscard]] status run(const std::function<void()>& progress);
  [[nodiscard]] const naive_counts& counts() const noexcept { return counts_; }

 private:
  naive_consumer(const naive_setup& setup, in_process_broker& broker, crash_switch& crashes,
                 std::unique_ptr<commit_session> session);
  enum class fate { ack, give_back, crashed };
  [[nodiscard]] result<fate> consume(const message_ptr& received);
  [[nodiscard]] result<std::vector<effect>> handle(const addressed_message& pair) const;
  [[nodiscard]] result<fate> write(const std::vector<effect>& effects);
  [[nodiscard]] fate failed_attempt(const message& received);

  naive_setup setup_;
  in_process_broker& broker_;
  crash_switch& crashes_;
  std::unique_ptr<commit_session> session_;
  message_decoder decoder_;
  std::map<std::uint64_t, int> attempts_;
  std::uint32_t run_ = 0;
  naive_counts counts_;
};

}  // namespace pawl
