#pragma once

#include "actors/source.hpp"
#include "runtime/sources/line_reader.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace pawl {

struct file_source_config {
  std::string name;
  std::filesystem::path file;
  std::string partition;  ///< the path as the node file writes it: the position belongs to it
  bool once = false;      ///< ends at the end of the file; else it follows the file's growth
};

/// A file with a message a line. A position is the offset of a line's first byte, and belongs to
/// the file's path and the hash of its first line: a file that was replaced or cut is refused and
/// not read from a wrong place. A line longer than `limits::payload_bytes_max` is delivered cut.
/// Followed, a last line without its end waits; read once, it is a message. Owned and used by the
/// intake's thread.
class file_source final : public source {
 public:
  explicit file_source(file_source_config config);
  file_source(const file_source&) = delete;
  file_source& operator=(const file_source&) = delete;
  ~file_source() override;

  [[nodiscard]] const std::string& name() const noexcept override { return config_.name; }
  [[nodiscard]] bool is_log() const noexcept override { return true; }
  status start(std::span<const source_position> stored) override;
  result<poll_answer> poll(const poll_limits& limits) override;
  void ack(std::span<const message_origin> /*finished*/) override {}
  [[nodiscard]] source_position stored_form(const std::string& partition,
                                            std::int64_t position) const override;
  [[nodiscard]] std::int64_t lag() const override;
  void stop() override;

 private:
  status open();
  status resume(const source_position& stored);
  bool take_lines(const poll_limits& limits, poll_answer& answer);
  [[nodiscard]] message_ptr to_message(const text_line& line) const;
  result<bool> read_more();
  status check_unchanged();
  [[nodiscard]] result<std::optional<std::string>> read_identity() const;
  [[nodiscard]] error refuse(const std::string& what, const std::string& fix) const;

  file_source_config config_;
  int descriptor_ = -1;
  line_reader lines_;
  std::string identity_;          // empty until the first line is whole
  bool at_end_ = false;           // the last read found nothing
  std::size_t answer_bytes_ = 0;  // of the answer that is being made
};

}  // namespace pawl
