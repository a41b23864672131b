#pragma once

#include "runtime/config/option.hpp"
#include "runtime/config/problem.hpp"
#include "runtime/config/yaml_node.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// Reads one map of a configuration file by its declared options. Unknown keys, missing required
/// ones and "not yet" ones are reported on construction, values out of bounds when they are read;
/// the getters then give the default, so that reading goes on and finds more. Lives on the stack of
/// a reader; node, table and problems outlive it. A name that is not declared is a broken
/// invariant.
class config_section {
 public:
  /// `node` null: the section was left out, all defaults. `prefix` is its path in the table;
  /// `where` its place for what is missing.
  config_section(const yaml_node* node, option_table table, std::string prefix,
                 const file_position& where, config_problems& problems);

  [[nodiscard]] bool has(std::string_view name) const { return node(name) != nullptr; }
  /// The value as written in the file; null if the key is not there or the value already reported.
  [[nodiscard]] const yaml_node* node(std::string_view name) const;
  /// Where the value is, or the section if it is not there.
  [[nodiscard]] const file_position& where(std::string_view name) const;
  [[nodiscard]] const file_position& where() const noexcept { return where_; }

  /// The text of a `text` or `choice`, or its default (empty if there is none).
  [[nodiscard]] std::string text(std::string_view name) const;
  /// An `integer`, `duration` (ms), `bytes` or `percent` (parts per million).
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  /// A list of texts, or one text alone; empty if it is not there.
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  /// A section below.
  [[nodiscard]] config_section section(std::string_view name) const;
  /// The entries of a map whose names the author chooses; none if it is not there.
  [[nodiscard]] const std::vector<yaml_entry>& entries(std::string_view name) const;
  /// The elements of a list; none if it is not there.
  [[nodiscard]] const std::vector<yaml_node>& items(std::string_view name) const;

  void problem(const file_position& at, std::string what, std::string fix) const {
    problems_->add(at, std::move(what), std::move(fix));
  }
  [[nodiscard]] config_problems& problems() const noexcept { return *problems_; }
  [[nodiscard]] option_table table() const noexcept { return table_; }
  [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }

 private:
  [[nodiscard]] const config_option& option(std::string_view name) const;
  void check_keys() const;
  [[nodiscard]] bool is(std::string_view name, yaml_kind kind, std::string_view wanted) const;

  const yaml_node* node_;
  option_table table_;
  std::string prefix_;
  file_position where_;
  config_problems* problems_;
};

/// A scalar read as text; reported and nothing if it is something else. `what` names it.
[[nodiscard]] std::optional<std::string> read_text(const yaml_node& node, std::string_view what,
                                                   config_problems& problems);

/// A scalar read as the option's number; reported and nothing if it is malformed or out of bounds.
[[nodiscard]] std::optional<std::int64_t> read_number(const yaml_node& node,
                                                      const config_option& option,
                                                      config_problems& problems);

/// "unknown ..., did you mean ...": the fix for a name that is not among `known`.
[[nodiscard]] std::string suggest(std::string_view given, const std::vector<std::string>& known);

}  // namespace pawl
