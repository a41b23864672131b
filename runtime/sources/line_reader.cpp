#include "runtime/sources/line_reader.hpp"

#include <algorithm>
#include <cstring>

namespace pawl {

std::span<char> line_reader::space() {
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (end_ > limits::payload_bytes_max + 1) {  // one more, for a carriage return
    drop_middle();
  }
  if (buffer_.size() < end_ + chunk_bytes) {
    buffer_.resize(end_ + chunk_bytes);
  }
  return {buffer_.data() + end_, buffer_.size() - end_};
}

void line_reader::drop_middle() {
  if (dropped_ == 0) {
    head_.assign(buffer_.data(), limits::dead_letter_bytes_max);
  }
  // The last byte stays: it may be the first half of a `\r\n`.
  dropped_ += end_ - 1;
  buffer_[0] = buffer_[end_ - 1];
  end_ = 1;
  scanned_ = 1;
}

bool line_reader::take(text_line& line) {
  while (true) {
    const void* found =
        scanned_ < end_ ? std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_) : nullptr;
    if (found == nullptr) {
      scanned_ = end_;
      return false;
    }
    const auto size =
        static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) - begin_;
    if (finish(size, 1, line)) {
      return true;
    }
  }
}

bool line_reader::take_rest(text_line& line) {
  return end_ > begin_ && finish(end_ - begin_, 0, line);
}

bool line_reader::finish(std::size_t size, std::size_t end_bytes, text_line& line) {
  const char* text = buffer_.data() + begin_;
  const std::size_t size_all = dropped_ + size;
  const bool carriage_return = size > 0 && text[size - 1] == '\r';
  const std::size_t content = size_all - (carriage_return ? 1 : 0);
  line.start = start_;
  line.next = start_ + static_cast<std::int64_t>(size_all + end_bytes);
  line.cut_from = content > limits::payload_bytes_max ? content : 0;
  if (dropped_ > 0) {
    line.text = head_;
  } else {
    line.text = {text, line.cut_from > 0 ? limits::dead_letter_bytes_max : content};
  }
  begin_ += size + end_bytes;
  scanned_ = begin_;
  start_ = line.next;
  dropped_ = 0;
  return content > 0;
}

}  // namespace pawl
