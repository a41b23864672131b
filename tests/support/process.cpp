#include "tests/support/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace pawl::test {
namespace {

constexpr std::chrono::milliseconds look_again{5};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string one = *each;
    if (!added.contains(one.substr(0, one.find('=')))) {
      all.push_back(one);
    }
  }
  for (const auto& [name, value] : added) {
    all.push_back(name + '=' + value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& one : texts) {
    all.push_back(one.data());
  }
  all.push_back(nullptr);
  return all;
}

}  // namespace

process::process(const process_plan& plan) {
  std::string name = (std::filesystem::temp_directory_path() / "pawl-run-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no temporary directory");
  }
  captured_ = name;
  int ends[2] = {-1, -1};
  if (plan.input.has_value()) {
    std::ofstream(captured_ / "in", std::ios::binary) << *plan.input;
    ends[0] = ::open((captured_ / "in").c_str(), O_RDONLY | O_CLOEXEC);
  } else if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe");
  }
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  const std::string out = (captured_ / "out").string();
  const std::string err = (captured_ / "err").string();
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, plan.folder.c_str());
  std::vector<std::string> arguments{plan.program};
  arguments.insert(arguments.end(), plan.arguments.begin(), plan.arguments.end());
  std::vector<std::string> environment = environment_with(plan.environment);
  const int failed = ::posix_spawn(&pid_, plan.program.c_str(), &actions, nullptr,
                                   pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  input_ = ends[1];
  if (failed != 0) {
    pid_ = -1;
    throw std::runtime_error(plan.program + ": " + std::strerror(failed));
  }
}

process::~process() {
  close_input();
  if (running()) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(captured_, ignored);
}

void process::signal(int number) {
  if (running()) {
    ::kill(pid_, number);
  }
}

void process::write(const std::string& text) {
  if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("the process does not read its input");
  }
}

void process::close_input() {
  if (input_ >= 0) {
    ::close(std::exchange(input_, -1));
  }
}

bool process::running() {
  int how = 0;
  if (pid_ > 0 && !code_.has_value() && ::waitpid(pid_, &how, WNOHANG) == pid_) {
    code_ = WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
  }
  return pid_ > 0 && !code_.has_value();
}

std::string process::err_so_far() const { return read_file(captured_ / "err"); }

bool process::wait_for_err(const std::string& text, std::chrono::milliseconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  while (err_so_far().find(text) == std::string::npos) {
    if (!running() || std::chrono::steady_clock::now() >= until) {
      return err_so_far().find(text) != std::string::npos;
    }
    std::this_thread::sleep_for(look_again);
  }
  return true;
}

process_end process::wait(std::chrono::milliseconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  process_end end;
  while (running()) {
    if (end.in_time && std::chrono::steady_clock::now() >= until) {
      end.in_time = false;
      ::kill(pid_, SIGKILL);
    }
    std::this_thread::sleep_for(look_again);
  }
  end.code = code_.value_or(-1);
  end.out = read_file(captured_ / "out");
  end.err = err_so_far();
  return end;
}

process_end run_process(const process_plan& plan) { return process(plan).wait(); }

}  // namespace pawl::test
