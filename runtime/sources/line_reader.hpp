#pragma once

#include "protocol/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// A line without its end (`\n` or `\r\n`). `text` is valid until the reader is used again.
struct text_line {
  std::string_view text;
  std::int64_t start = 0;  ///< offset of its first byte
  std::int64_t next = 0;   ///< offset of the next line's first byte
  /// Its full size in bytes if it was longer than `limits::payload_bytes_max`: then `text` is the
  /// first `limits::dead_letter_bytes_max` bytes. Else 0.
  std::size_t cut_from = 0;
};

/// Cuts bytes into lines, whatever the pieces they come in. Empty lines are passed over. Holds at
/// most one line of the largest payload and one chunk, however long a line gets. Does no I/O:
/// the owner reads into `space`. Belongs to one thread.
class line_reader {
 public:
  static constexpr std::size_t chunk_bytes = 256U << 10U;

  /// `offset` is that of the first byte to come, the start of a line.
  explicit line_reader(std::int64_t offset = 0) : start_(offset) {}

  /// Where the next bytes belong: at least `chunk_bytes` long. Take all lines before.
  [[nodiscard]] std::span<char> space();
  /// So many bytes were put there.
  void fill(std::size_t bytes) { end_ += bytes; }

  /// The next whole line; false: more bytes are needed.
  bool take(text_line& line);
  /// What stands behind the last line's end, when nothing will follow; false if there is nothing.
  bool take_rest(text_line& line);

  /// Offset behind the last byte that was filled in.
  [[nodiscard]] std::int64_t end_offset() const noexcept {
    return start_ + static_cast<std::int64_t>(dropped_ + (end_ - begin_));
  }
  /// Offset of the line that is next to be taken.
  [[nodiscard]] std::int64_t line_offset() const noexcept { return start_; }

 private:
  void drop_middle();
  bool finish(std::size_t size, std::size_t end_bytes, text_line& line);

  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the line that is next
  std::size_t scanned_ = 0;  // no line ends before here
  std::size_t end_ = 0;
  std::int64_t start_;       // offset of the line that is next
  std::string head_;         // of a line so long that its middle was dropped
  std::size_t dropped_ = 0;  // bytes of it that are not in the buffer any more, head and all
};

}  // namespace pawl
