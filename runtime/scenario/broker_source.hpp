#pragma once

#include "actors/source.hpp"
#include "runtime/scenario/in_process_broker.hpp"

#include <memory>
#include <string>

namespace pawl {

/// The in-process broker as a source of the runtime. One instance is one run.
class broker_source : public source {
 public:
  explicit broker_source(std::shared_ptr<in_process_broker> broker);

  [[nodiscard]] const std::string& name() const noexcept override;
  [[nodiscard]] bool is_log() const noexcept override;
  status start(std::span<const source_position> stored) override;
  result<poll_answer> poll(const poll_limits& limits) override;
  void ack(std::span<const message_origin> finished) override;
  [[nodiscard]] source_position stored_form(const std::string& partition,
                                            std::int64_t position) const override;
  [[nodiscard]] std::int64_t lag() const override;
  void stop() override;

 private:
  std::shared_ptr<in_process_broker> broker_;
  std::uint32_t run_ = 0;
};

}  // namespace pawl
