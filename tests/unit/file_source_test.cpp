#include "runtime/sources/file_source.hpp"

#include "protocol/decode.hpp"
#include "runtime/sources/line_reader.hpp"
#include "runtime/sources/stdin_source.hpp"
#include "tests/check.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace pawl;

namespace {

constexpr poll_limits plenty{1000, 1U << 30U, std::chrono::milliseconds(0)};

/// A file in a folder of its own, gone afterwards.
class scratch_file {
 public:
  explicit scratch_file(const std::string& content = "") {
    std::string name = (std::filesystem::temp_directory_path() / "pawl-file-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    append(content);
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "in.ndjson"; }
  void append(const std::string& content) const {
    std::ofstream(path(), std::ios::app | std::ios::binary) << content;
  }
  void replace(const std::string& content) const {
    std::ofstream(path(), std::ios::trunc | std::ios::binary) << content;
  }
  [[nodiscard]] file_source_config config(bool once) const {
    return {"in", path(), "in.ndjson", once};
  }

 private:
  std::filesystem::path folder_;
};

std::vector<std::string> payloads(const poll_answer& answer) {
  std::vector<std::string> out;
  for (const message_ptr& each : answer.messages) {
    out.push_back(each->payload);
  }
  return out;
}

poll_answer poll(source& from, const poll_limits& limits = plenty) {
  result<poll_answer> answer = from.poll(limits);
  REQUIRE(answer.ok());
  return std::move(*answer);
}

std::string failure(source& from) {
  const result<poll_answer> answer = from.poll(plenty);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().kind == fault::refused);
  return answer.error().text;
}

using lines = std::vector<std::string>;

struct seen_line {
  std::string text;
  std::int64_t start;
  std::int64_t next;
  friend bool operator==(const seen_line&, const seen_line&) = default;
};

/// The lines of `text`, cut the simple way.
std::vector<seen_line> cut_simply(const std::string& text) {
  std::vector<seen_line> out;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string line = text.substr(start, end - start);
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    const std::size_t next = std::min(end + 1, text.size());
    if (!line.empty()) {
      out.push_back({line, static_cast<std::int64_t>(start), static_cast<std::int64_t>(next)});
    }
    start = next;
  }
  return out;
}

void take_all(line_reader& reader, std::vector<seen_line>& out) {
  text_line line;
  while (reader.take(line)) {
    out.push_back({std::string(line.text), line.start, line.next});
  }
}

}  // namespace

TEST_CASE("lines are the same whatever pieces a file is read in") {
  property("pieces", [] {
    const auto words = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "{}", "\n", "\r\n", "\r", "\n\n", "long line"));
    std::string text;
    for (const std::string& word : words) {
      text += word;
    }
    line_reader reader;
    std::vector<seen_line> seen;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = std::min(*rc::gen::inRange<std::size_t>(1, 8), text.size() - at);
      const std::span<char> space = reader.space();
      std::copy_n(text.data() + at, size, space.data());
      reader.fill(size);
      at += size;
      take_all(reader, seen);
    }
    RC_ASSERT(reader.end_offset() == static_cast<std::int64_t>(text.size()));
    text_line rest;
    if (reader.take_rest(rest)) {
      seen.push_back({std::string(rest.text), rest.start, rest.next});
    }
    RC_ASSERT(seen == cut_simply(text));
  });
}

TEST_CASE(
    "a line of the largest payload is whole, one byte more is cut, and memory stays bounded") {
  for (const std::size_t size :
       {limits::payload_bytes_max, limits::payload_bytes_max + 1, std::size_t{5} << 20U}) {
    for (const char* end : {"\n", "\r\n"}) {
      CAPTURE(size, end);
      const scratch_file file("x\n" + std::string(size, 'y') + end + "z\n");
      file_source source(file.config(true));
      REQUIRE(source.start({}));
      const poll_answer answer = poll(source);
      REQUIRE(answer.messages.size() == 3);
      const message& large = *answer.messages[1];
      const bool cut = size > limits::payload_bytes_max;
      CHECK(large.full_bytes == (cut ? size : 0));
      CHECK(large.payload.size() == (cut ? limits::dead_letter_bytes_max : size));
      CHECK(large.origin.next == answer.messages[2]->origin.position);
      CHECK(answer.messages[2]->payload == "z");
    }
  }
}

TEST_CASE("a line that was cut is a dead letter that says how long it was") {
  const scratch_file file(std::string(std::size_t{2} << 20U, 'y') + "\n");
  file_source source(file.config(true));
  REQUIRE(source.start({}));
  message_decoder decoder({"c", {}, ""});
  const auto pairs = decoder.decode(poll(source).messages.at(0));
  REQUIRE((pairs.size() == 1 && pairs[0]->undecodable));
  CHECK(pairs[0]->undecodable->text.find("2097152 bytes") != std::string::npos);
}

TEST_CASE("a file read once gives each line with its place, and ends") {
  const scratch_file file("{\"a\":1}\n\n{\"a\":2}\r\nlast");
  file_source source(file.config(true));
  REQUIRE(source.start({}));
  const poll_answer answer = poll(source);
  CHECK(payloads(answer) == lines{"{\"a\":1}", "{\"a\":2}", "last"});
  CHECK(answer.ended);
  CHECK(answer.messages[1]->origin == message_origin{"in", "in.ndjson", 9, 18, 0});
  CHECK(answer.messages[2]->origin.next == 22);
  CHECK(source.lag() == 0);
  CHECK(poll(source).messages.empty());
}

TEST_CASE("a poll stays within the credits, and goes on where it stopped") {
  const scratch_file file("1\n22\n333\n4444\n");
  file_source source(file.config(true));
  REQUIRE(source.start({}));
  CHECK(payloads(poll(source, {2, 100, {}})) == lines{"1", "22"});
  CHECK(source.lag() == 9);
  CHECK(payloads(poll(source, {10, 1, {}})) == lines{"333"});
  const poll_answer rest = poll(source, {10, 100, {}});
  CHECK(payloads(rest) == lines{"4444"});
  CHECK(rest.ended);
}

TEST_CASE("a followed file waits for the end of its last line") {
  const scratch_file file("one\ntw");
  file_source source(file.config(false));
  REQUIRE(source.start({}));
  CHECK(payloads(poll(source)) == lines{"one"});
  CHECK(poll(source).messages.empty());
  file.append("o\nthree\n");
  const poll_answer more = poll(source);
  CHECK(payloads(more) == lines{"two", "three"});
  CHECK_FALSE(more.ended);
  CHECK(more.messages[0]->origin.position == 4);
}

TEST_CASE("a file goes on at its stored position") {
  const scratch_file file("one\ntwo\nthree\n");
  file_source first(file.config(true));
  REQUIRE(first.start({}));
  const poll_answer all = poll(first);
  const source_position stored = first.stored_form("in.ndjson", all.messages[0]->origin.next);
  CHECK_FALSE(stored.identity.empty());
  const source_position others[] = {{"in", "other.ndjson", 99, "x"}, stored};
  file_source second(file.config(true));
  REQUIRE(second.start(others));
  const poll_answer rest = poll(second);
  CHECK(payloads(rest) == lines{"two", "three"});
  CHECK(rest.messages[0]->origin.position == 4);
}

TEST_CASE("a last line without an end is read once, also after it has got one") {
  const scratch_file file("one\ntwo");
  file_source first(file.config(true));
  REQUIRE(first.start({}));
  CHECK(poll(first).messages.size() == 2);
  const source_position stored[] = {first.stored_form("in.ndjson", 7)};
  file.append("\nthree\n");
  file_source second(file.config(true));
  REQUIRE(second.start(stored));
  CHECK(payloads(poll(second)) == lines{"three"});
}

TEST_CASE("a file that is not the one that was read is refused with what to do") {
  const scratch_file file("one\ntwo\nthree\n");
  file_source first(file.config(true));
  REQUIRE(first.start({}));
  CHECK(poll(first).messages.size() == 3);
  const source_position stored[] = {first.stored_form("in.ndjson", 8)};
  const auto refusal = [&](const std::string& content) {
    file.replace(content);
    file_source second(file.config(true));
    const status started = second.start(stored);
    REQUIRE_FALSE(started.ok());
    CHECK(started.error().kind == fault::refused);
    return started.error().text;
  };
  CHECK(refusal("one\n").find("has 4 bytes, and was read up to 8") != std::string::npos);
  CHECK(refusal("other\ntwo\nthree\n").find("begins with another line") != std::string::npos);
  CHECK(refusal("one\nlonger\n").find("no line that begins at byte 8") != std::string::npos);
  CHECK(refusal("one\n").find("give the new one another name") != std::string::npos);
}

TEST_CASE("a file that is missing or no file is refused at start") {
  file_source missing({"in", "/no/such/file", "x", true});
  CHECK(missing.start({}).error().text.find("can't be opened: No such file") != std::string::npos);
  file_source folder({"in", "/", "x", true});
  CHECK(folder.start({}).error().text.find("is not a regular file") != std::string::npos);
}

TEST_CASE("a file that is cut, replaced or rewritten while it is followed stops the source") {
  const scratch_file file("one\ntwo\n");
  file_source source(file.config(false));
  REQUIRE(source.start({}));
  CHECK(poll(source).messages.size() == 2);
  SECTION("cut") {
    file.replace("one\n");
    CHECK(failure(source).find("was cut while it was read") != std::string::npos);
  }
  SECTION("rewritten, and longer than before") {
    file.replace("other\nlines, and more of them\n");
    CHECK(failure(source).find("got another first line") != std::string::npos);
  }
  SECTION("replaced") {
    std::filesystem::rename(file.path(), file.path().string() + ".1");
    file.append("one\ntwo\nthree\n");
    CHECK(failure(source).find("was removed or replaced") != std::string::npos);
  }
  SECTION("removed") {
    std::filesystem::remove(file.path());
    CHECK(failure(source).find("was removed or replaced") != std::string::npos);
  }
}

TEST_CASE("an empty file that grows later is read from its first line") {
  const scratch_file file("");
  file_source source(file.config(false));
  REQUIRE(source.start({}));
  CHECK(poll(source).messages.empty());
  file.append("one\n");
  CHECK(payloads(poll(source)) == lines{"one"});
  CHECK_FALSE(source.stored_form("in.ndjson", 4).identity.empty());
  CHECK(poll(source).messages.empty());
}

TEST_CASE("a pipe gives whole lines as they come, and its rest at its end") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto write = [&](const std::string& text) {
    REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  };
  stdin_source source("in", ends[0]);
  CHECK_FALSE(source.is_log());
  REQUIRE(source.start({}));
  CHECK(poll(source).messages.empty());
  write("one\ntw");
  CHECK(payloads(poll(source)) == lines{"one"});
  write("o\nthree");
  const poll_answer more = poll(source);
  CHECK(payloads(more) == lines{"two"});
  CHECK(more.messages[0]->origin == message_origin{"in", "stdin", 4, 0, 0});
  ::close(ends[1]);
  const poll_answer last = poll(source);
  CHECK(payloads(last) == lines{"three"});
  CHECK(last.ended);
  ::close(ends[0]);
}
