#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pawl::test {

/// What a process left behind.
struct process_end {
  int code = -1;    ///< its exit code; minus the signal's number if one ended it
  std::string out;  ///< all of its standard output
  std::string err;
  bool in_time = true;  ///< false: it was killed because its time was over
};

struct process_plan {
  std::string program;
  std::vector<std::string> arguments;
  std::filesystem::path folder;                    ///< it runs there
  std::map<std::string, std::string> environment;  ///< besides this process's own
  std::optional<std::string> input;  ///< its standard input; nothing: a pipe that `write` fills
};

/// A child process whose output goes to files, so that it never waits for its reader. Ended with
/// SIGKILL if the owner lets it go while it runs; no other process is ever signalled.
class process {
 public:
  explicit process(const process_plan& plan);
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  ~process();

  void signal(int number);
  void write(const std::string& text);
  void close_input();

  [[nodiscard]] bool running();
  [[nodiscard]] std::string err_so_far() const;
  /// Waits until the text stands in its standard error; false if it ended, or `at_most` passed,
  /// before.
  [[nodiscard]] bool wait_for_err(const std::string& text,
                                  std::chrono::milliseconds at_most = std::chrono::seconds(30));
  /// Waits for its end; kills it if that does not come within the time.
  [[nodiscard]] process_end wait(std::chrono::milliseconds at_most = std::chrono::seconds(60));

 private:
  std::filesystem::path captured_;  // a folder of its own, removed at the end
  pid_t pid_ = -1;
  int input_ = -1;
  std::optional<int> code_;
};

/// Starts, waits, answers.
[[nodiscard]] process_end run_process(const process_plan& plan);

}  // namespace pawl::test
