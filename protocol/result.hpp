#pragma once

#include "protocol/invariant.hpp"

#include <string>
#include <utility>
#include <variant>

namespace pawl {

/// What the caller of a failed operation may do. Errors are values: adapters turn the exceptions
/// and codes of their libraries into one of these, by code and never by text.
enum class fault {
  retry,       ///< infrastructure: nothing was done, the same call again later may pass
  contended,   ///< somebody holds a row, or a deadlock: again, then leave the blocked entities out
  deployment,  ///< schema, rights or configuration are wrong: pause, alarm, wait for a person
  poison,      ///< this input can never succeed: bisect, dead letter
  unknown,     ///< poison only if it fails alone and a commit without it passes
  in_doubt,    ///< the commit may have happened: settle it by the commit token
  refused,     ///< the request itself is wrong; `text` tells a person what and how to fix it
  stopped,     ///< a fault point ended this run (scenarios and crash tests only)
};

/// An error: what the caller may do, the library's own code (SQLSTATE, SQLite code, or a word of
/// ours), and a text for a person.
struct error {
  fault kind = fault::refused;
  std::string code;
  std::string text;
};

/// A value or an error. Reading the wrong side is a bug, checked in release builds too.
template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : data_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(*-explicit-*)
  result(pawl::error failure)                                           // NOLINT(*-explicit-*)
      : data_(std::in_place_index<1>, std::move(failure)) {}

  [[nodiscard]] bool ok() const noexcept { return data_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  [[nodiscard]] T& value() & {
    invariant(ok(), "a result was read that holds an error");
    return std::get<0>(data_);
  }
  [[nodiscard]] const T& value() const& {
    invariant(ok(), "a result was read that holds an error");
    return std::get<0>(data_);
  }
  [[nodiscard]] T&& value() && {
    invariant(ok(), "a result was read that holds an error");
    return std::get<0>(std::move(data_));
  }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }

  [[nodiscard]] const pawl::error& error() const {
    invariant(!ok(), "an error was read from a result that holds a value");
    return std::get<1>(data_);
  }

 private:
  std::variant<T, pawl::error> data_;
};

/// Success without a value, or an error.
template <>
class [[nodiscard]] result<void> {
 public:
  result() = default;
  result(pawl::error failure)  // NOLINT(*-explicit-*)
      : failed_(true), error_(std::move(failure)) {}

  [[nodiscard]] bool ok() const noexcept { return !failed_; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] const pawl::error& error() const {
    invariant(failed_, "an error was read from a result that holds a value");
    return error_;
  }

 private:
  bool failed_ = false;
  pawl::error error_;
};

using status = result<void>;

}  // namespace pawl
