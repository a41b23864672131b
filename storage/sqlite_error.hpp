#pragma once

#include "protocol/result.hpp"

#include <exception>
#include <string>
#include <utility>

namespace pawl {

/// The class of a SQLite result code, primary or extended (commit.md section 4). `at_run_time`: the
/// statement compiles, so a plain ERROR came from the values in it and not from the schema.
[[nodiscard]] fault classify_sqlite(int code, bool at_run_time);

/// An error on its way from a statement to the session's boundary; never leaves the adapter.
class sqlite_failure : public std::exception {
 public:
  explicit sqlite_failure(error what) : what_(std::move(what)) {}
  sqlite_failure(fault kind, std::string code, std::string text)
      : what_{kind, std::move(code), std::move(text)} {}

  [[nodiscard]] const error& what_happened() const noexcept { return what_; }
  [[nodiscard]] const char* what() const noexcept override { return what_.text.c_str(); }

 private:
  error what_;
};

/// Runs `work` and turns a failure into an error value.
template <class Work>
auto answered(Work&& work) -> result<decltype(work())> {
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (const sqlite_failure& failure) {
    return failure.what_happened();
  }
}

}  // namespace pawl
