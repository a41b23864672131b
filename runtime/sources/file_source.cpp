#include "runtime/sources/file_source.hpp"

#include "protocol/hash.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace pawl {
namespace {

/// How often a file that is followed is looked at.
constexpr std::chrono::milliseconds look_again{20};
/// So much of a first line tells one file from another.
constexpr std::size_t identity_bytes_max = limits::dead_letter_bytes_max;

std::string reason() { return std::generic_category().message(errno); }

std::string identity_of(std::string_view first_line) {
  return to_hex(make_ledger_key("pawl", {"first line", ""}, first_line));
}

/// Reads at `offset` until `size` bytes are there or the file ends. Negative: it can't be read.
ssize_t read_at(int descriptor, std::span<char> into, std::int64_t offset) {
  std::size_t have = 0;
  while (have < into.size()) {
    const ssize_t got = ::pread(descriptor, into.data() + have, into.size() - have,
                                static_cast<off_t>(offset) + static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return got;
    }
    if (got == 0) {
      break;
    }
    have += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(have);
}

}  // namespace

file_source::file_source(file_source_config config) : config_(std::move(config)) {}

file_source::~file_source() { stop(); }

void file_source::stop() {
  if (descriptor_ >= 0) {
    ::close(std::exchange(descriptor_, -1));
  }
}

error file_source::refuse(const std::string& what, const std::string& fix) const {
  return {fault::refused, "file", config_.file.string() + ' ' + what + "; " + fix};
}

status file_source::start(std::span<const source_position> stored) {
  if (status opened = open(); !opened) {
    return opened;
  }
  lines_ = line_reader();
  at_end_ = false;
  identity_.clear();
  const auto ours = std::find_if(stored.begin(), stored.end(), [this](const source_position& each) {
    return each.source == config_.name && each.partition == config_.partition;
  });
  if (ours != stored.end() && ours->position > 0) {
    return resume(*ours);
  }
  return {};
}

status file_source::open() {
  stop();
  descriptor_ = ::open(config_.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    return refuse("can't be opened: " + reason(), "check the path and its rights");
  }
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) {
    return refuse("is not a regular file", "read a pipe through `stdin: true`");
  }
  return {};
}

status file_source::resume(const source_position& stored) {
  const std::string at = std::to_string(stored.position);
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0) {
    return refuse("can't be read: " + reason(), "check the disk");
  }
  if (about.st_size < stored.position) {
    return refuse("has " + std::to_string(about.st_size) + " bytes, and was read up to " + at +
                      ": it was cut or replaced",
                  "put the old file back, or give the new one another name");
  }
  result<std::optional<std::string>> identity = read_identity();
  if (!identity) {
    return identity.error();
  }
  identity_ = identity->value_or("");
  if (!stored.identity.empty() && identity_ != stored.identity) {
    return refuse("begins with another line than the file that was read up to byte " + at,
                  "put the old file back, or give the new one another name");
  }
  char around[2] = {'\n', '\n'};  // before the position, and at it
  if (read_at(descriptor_, around, stored.position - 1) < 1) {
    return refuse("can't be read: " + reason(), "check the disk");
  }
  // A last line without its end, read once, may have got its end since.
  if (around[0] != '\n' && around[1] != '\n' && around[1] != '\r') {
    return refuse("has no line that begins at byte " + at + ", up to which it was read",
                  "put the old file back, or give the new one another name");
  }
  lines_ = line_reader(stored.position);
  return {};
}

/// Nothing while the first line has no end (and the file is followed).
result<std::optional<std::string>> file_source::read_identity() const {
  std::vector<char> head(identity_bytes_max);
  const ssize_t got = read_at(descriptor_, head, 0);
  if (got < 0) {
    return refuse("can't be read: " + reason(), "check the disk");
  }
  const std::string_view text(head.data(), static_cast<std::size_t>(got));
  const std::size_t end = std::min(text.find('\n'), text.size());
  const bool whole = end < text.size() || text.size() == head.size() || config_.once;
  if (!whole) {
    return std::optional<std::string>();
  }
  return std::optional(identity_of(text.substr(0, end)));
}

result<poll_answer> file_source::poll(const poll_limits& limits) {
  poll_answer answer;
  answer_bytes_ = 0;
  const auto until = std::chrono::steady_clock::now() + limits.wait;
  while (true) {
    if (take_lines(limits, answer)) {
      return answer;
    }
    result<bool> more = read_more();
    if (!more) {
      return more.error();
    }
    if (*more) {
      continue;
    }
    if (config_.once) {
      text_line rest;
      if (lines_.take_rest(rest)) {
        answer.messages.push_back(to_message(rest));
      }
      answer.ended = true;
      return answer;
    }
    const auto now = std::chrono::steady_clock::now();
    if (!answer.messages.empty() || now >= until) {
      return answer;
    }
    std::this_thread::sleep_for(
        std::min<std::chrono::steady_clock::duration>(look_again, until - now));
  }
}

/// True if the answer is as large as it may get.
bool file_source::take_lines(const poll_limits& limits, poll_answer& answer) {
  text_line line;
  while (answer.messages.size() < limits.messages && answer_bytes_ < limits.bytes) {
    if (!lines_.take(line)) {
      return false;
    }
    answer_bytes_ += line.text.size();
    answer.messages.push_back(to_message(line));
  }
  return true;
}

message_ptr file_source::to_message(const text_line& line) const {
  auto made = std::make_shared<message>();
  made->payload = line.text;
  made->full_bytes = line.cut_from;
  made->origin = {config_.name, config_.partition, line.start, line.next, 0};
  return made;
}

/// False at the end of the file as it is now.
result<bool> file_source::read_more() {
  const std::span<char> space = lines_.space();
  const ssize_t got = read_at(descriptor_, space, lines_.end_offset());
  if (got < 0) {
    return refuse("can't be read: " + reason(), "check the disk");
  }
  if (got == 0 || at_end_ || identity_.empty()) {
    if (status same = check_unchanged(); !same) {
      return same.error();
    }
  }
  at_end_ = got == 0;
  lines_.fill(static_cast<std::size_t>(got));
  return got > 0;
}

status file_source::check_unchanged() {
  struct stat opened {};
  if (::fstat(descriptor_, &opened) != 0) {
    return refuse("can't be read: " + reason(), "check the disk");
  }
  if (opened.st_size < lines_.end_offset()) {
    return refuse("was cut while it was read",
                  "lines may be lost: put it back, or give the new one another name");
  }
  struct stat named {};
  if (!config_.once && (::stat(config_.file.c_str(), &named) != 0 ||
                        named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)) {
    return refuse("was removed or replaced while it was read",
                  "write on to one file, or give the new one another name");
  }
  const result<std::optional<std::string>> identity = read_identity();
  if (!identity) {
    return identity.error();
  }
  if (identity_.empty()) {
    identity_ = identity->value_or("");
  } else if (*identity != identity_) {
    return refuse("got another first line while it was read",
                  "put the old file back, or give the new one another name");
  }
  return {};
}

source_position file_source::stored_form(const std::string& partition,
                                         std::int64_t position) const {
  return {config_.name, partition, position, identity_};
}

std::int64_t file_source::lag() const {
  struct stat about {};
  return descriptor_ >= 0 && ::fstat(descriptor_, &about) == 0
             ? about.st_size - lines_.line_offset()
             : -1;
}

}  // namespace pawl
