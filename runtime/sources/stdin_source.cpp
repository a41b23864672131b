#include "runtime/sources/stdin_source.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace pawl {

status stdin_source::start(std::span<const source_position> /*stored*/) { return {}; }

result<poll_answer> stdin_source::poll(const poll_limits& limits) {
  poll_answer answer;
  std::size_t bytes = 0;
  auto wait = static_cast<int>(limits.wait.count());
  while (true) {
    text_line line;
    while (answer.messages.size() < limits.messages && bytes < limits.bytes) {
      if (!lines_.take(line) && !(ended_ && lines_.take_rest(line))) {
        break;
      }
      bytes += line.text.size();
      answer.messages.push_back(to_message(line));
    }
    answer.ended = ended_ && answer.messages.size() < limits.messages && bytes < limits.bytes;
    if (answer.ended || answer.messages.size() >= limits.messages || bytes >= limits.bytes) {
      return answer;
    }
    pollfd ready{descriptor_, POLLIN, 0};
    const int found = ::poll(&ready, 1, answer.messages.empty() ? wait : 0);
    if (found == 0 || (found < 0 && errno == EINTR)) {
      return answer;
    }
    const std::span<char> space = lines_.space();
    const ssize_t got = ::read(descriptor_, space.data(), space.size());
    if (got < 0 && errno != EINTR && errno != EAGAIN) {
      return error{fault::refused, "stdin",
                   "standard input can't be read: " + std::generic_category().message(errno)};
    }
    ended_ = got == 0;
    lines_.fill(got > 0 ? static_cast<std::size_t>(got) : 0);
    wait = 0;  // a line that is not whole yet waits for the next call
  }
}

message_ptr stdin_source::to_message(const text_line& line) const {
  auto made = std::make_shared<message>();
  made->payload = line.text;
  made->full_bytes = line.cut_from;
  made->origin = {name_, "stdin", line.start, 0, 0};
  return made;
}

source_position stdin_source::stored_form(const std::string& partition,
                                          std::int64_t position) const {
  return {name_, partition, position, ""};
}

}  // namespace pawl
