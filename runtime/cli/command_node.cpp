#include "runtime/cli/commands.hpp"
#include "runtime/clocks.hpp"
#include "runtime/log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>

namespace pawl {
namespace {

/// SIGTERM and SIGINT, taken by the thread that asks: blocked in all threads from construction on.
class stop_signals {
 public:
  stop_signals() {
    sigemptyset(&wanted_);
    sigaddset(&wanted_, SIGTERM);
    sigaddset(&wanted_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &wanted_, nullptr);
  }
  /// True if one came within the time; at once if `at_most` is zero.
  [[nodiscard]] bool wait(std::chrono::milliseconds at_most) const {
    timespec time{};
    time.tv_sec = at_most.count() / 1000;
    time.tv_nsec = (at_most.count() % 1000) * 1'000'000;
    return sigtimedwait(&wanted_, nullptr, &time) > 0;
  }
  /// From now on an interrupt from the terminal ends the process at once, as a crash would.
  void let_interrupt_end() const {
    sigset_t interrupt{};
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
  }

 private:
  sigset_t wanted_{};
};

nlohmann::json to_json(const counts& seen) {
  nlohmann::json one;
  for (const outcome which : all_outcomes) {
    one[std::string(name_of(which))] = seen.of(which);
  }
  one["received"] = seen.received;
  one["acknowledged"] = seen.acked;
  one["unaddressed"] = seen.unaddressed;
  one["ignored"] = seen.ignored;
  one["redriven"] = seen.redriven;
  one["failed_attempts"] = seen.attempts_failed;
  one["commits"] = seen.commits;
  return one;
}

std::string to_text(const counts& seen) {
  std::string text = fmt::format("{} received", seen.received);
  for (const outcome which : all_outcomes) {
    if (seen.of(which) > 0) {
      text += fmt::format(", {} {}", seen.of(which), name_of(which));
    }
  }
  if (seen.unaddressed > 0) {
    text += fmt::format(", {} unaddressed", seen.unaddressed);
  }
  if (seen.ignored > 0) {
    text += fmt::format(", {} ignored", seen.ignored);
  }
  if (seen.redriven > 0) {
    text +=
        fmt::format(", {} dead letter{} redriven", seen.redriven, seen.redriven == 1 ? "" : "s");
  }
  return text;
}

/// One line on a terminal that is written over, a few times a second.
class progress_line {
 public:
  progress_line() : shown_(isatty(STDERR_FILENO) != 0), last_ms_(steady_clock_ms()) {}
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void update(const counts& seen) {
    const std::int64_t now = steady_clock_ms();
    if (!shown_ || now - last_ms_ < 500) {
      return;
    }
    const double seconds = static_cast<double>(now - last_ms_) / 1000.0;
    const double rate = static_cast<double>(seen.acked - last_acked_) / seconds;
    fmt::print(stderr, "\r\x1b[K{} ({:.0f}/s)", to_text(seen), rate);
    std::fflush(stderr);
    last_ms_ = now;
    last_acked_ = seen.acked;
    dirty_ = true;
  }
  void clear() {
    if (dirty_) {
      fmt::print(stderr, "\r\x1b[K");
      dirty_ = false;
    }
  }

 private:
  bool shown_;
  bool dirty_ = false;
  std::int64_t last_ms_;
  std::uint64_t last_acked_ = 0;
};

exit_code end_of(const console& out, const opened_node& node, bool stopped, bool finished,
                 const runtime_end& end, const counts& seen) {
  nlohmann::json report = to_json(seen);
  exit_code code = exit_code::good;
  if (!end.text.empty()) {
    log_error(end.text);
    report["error"] = end.text;
    code = exit_code::failed;
  } else if (!finished) {
    log_warning("stopped before all was finished: what is not committed will be redelivered");
    code = exit_code::unfinished;
  } else if (!stopped) {
    const auto admin = node.database->open_admin(node.config.consumer);
    if (admin.ok()) {
      const auto set_aside = (*admin)->status_of();
      std::int64_t dead = 0;
      if (set_aside.ok()) {
        for (const auto& [reason, count] : set_aside->dead_letters) {
          dead += count;
        }
      }
      report["dead_letters"] = dead;
      if (dead > 0) {
        log_warning(fmt::format("{} dead letter{}; see with `pawl dead-letters list {}`", dead,
                                dead == 1 ? "" : "s", node.config.file.string()));
        code = exit_code::dead_letters;
      }
    }
  }
  out.document(report);
  out.line(to_text(seen));
  return code;
}

}  // namespace

exit_code command_node(const console& out, const node_arguments& given) {
  const stop_signals signals;
  auto opened = open_node(given.file, process_environment());
  if (!opened.value.has_value()) {
    return opened.failure.has_value() ? out.fail(*opened.failure) : out.fail(opened.problems);
  }
  auto configured = configure(*opened.value, given.once);
  if (!configured.value.has_value()) {
    return configured.failure.has_value() ? out.fail(*configured.failure)
                                          : out.fail(configured.problems);
  }
  progress_line progress;
  configured.value->on_alarm = [](const alarm& one, bool raised) {
    if (raised) {
      log_warning(fmt::format("alarm raised: {}: {}", one.name, one.text));
    } else {
      log_info(fmt::format("alarm cleared: {}", one.name));
    }
  };
  const std::chrono::milliseconds drain(opened.value->config.drain_ms);
  auto started = runtime::start(std::move(*configured.value));
  if (!started.ok()) {
    return out.fail(started.error());
  }
  runtime& node = **started;
  log_info(fmt::format("consumer {} runs as node {}", opened.value->config.consumer,
                       opened.value->config.node_name));
  bool stopped = false;
  while (!stopped && node.ended().text.empty()) {
    // Also without --once: standard input can come to its end, a file that is followed never does.
    if (node.wait_finished(std::chrono::milliseconds(0))) {
      break;
    }
    stopped = signals.wait(std::chrono::milliseconds(100));
    progress.update(node.count());
  }
  progress.clear();
  const runtime_end end = node.ended();
  if (stopped) {
    log_info(fmt::format(
        "told to stop: finishing what is in flight, for {} at most (an interrupt ends it at once)",
        duration_text(drain.count())));
    signals.let_interrupt_end();
  }
  const bool finished = node.drain(drain);
  return end_of(out, *opened.value, stopped, finished, end, node.count());
}

}  // namespace pawl
