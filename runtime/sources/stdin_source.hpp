#pragma once

#include "actors/source.hpp"
#include "runtime/sources/line_reader.hpp"

#include <string>

namespace pawl {

/// Standard input (or another open pipe) with a message a line. Nothing is kept of where it was:
/// what comes again is told by the guards. Coordinates count the bytes of this run. Owned and used
/// by the intake's thread; the descriptor stays open.
class stdin_source final : public source {
 public:
  explicit stdin_source(std::string name, int descriptor = 0)
      : name_(std::move(name)), descriptor_(descriptor) {}

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] bool is_log() const noexcept override { return false; }
  status start(std::span<const source_position> stored) override;
  result<poll_answer> poll(const poll_limits& limits) override;
  void ack(std::span<const message_origin> /*finished*/) override {}
  [[nodiscard]] source_position stored_form(const std::string& partition,
                                            std::int64_t position) const override;
  [[nodiscard]] std::int64_t lag() const override { return -1; }
  void stop() override {}

 private:
  [[nodiscard]] message_ptr to_message(const text_line& line) const;

  std::string name_;
  int descriptor_;
  line_reader lines_;
  bool ended_ = false;
};

}  // namespace pawl
