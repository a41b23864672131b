#pragma once

#include "protocol/result.hpp"
#include "runtime/config/problem.hpp"
#include "runtime/node.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// What the program's exit tells a script. The same list is in `pawl --help`.
enum class exit_code : int {
  good = 0,
  failed = 1,   ///< a verdict is no, or the node ended by itself
  refused = 2,  ///< the command line, a file or the database's schema is wrong: a person must act
  dead_letters = 3,  ///< the node read its sources to their end, and dead letters remain
  unreachable = 4,   ///< the database can't be reached: the same call may pass later
  unfinished = 5,    ///< stopped before all was finished: it will be redelivered
  not_found = 6,     ///< what was asked for is not there
};

/// Where a command writes: text for a person, or one JSON document, on standard output; errors on
/// standard error.
class console {
 public:
  explicit console(bool json) : json_(json) {}

  [[nodiscard]] bool json() const noexcept { return json_; }
  /// A message may hold any bytes: control characters are shown escaped, so that no stranger writes
  /// to a person's terminal.
  void line(const std::string& text) const;
  /// Text of the program's own, with its colours and line ends.
  void as_it_is(const std::string& text) const;
  void document(const nlohmann::json& one) const;
  /// Prints a failure (with `--json` as the document too) and says which exit code it is.
  exit_code fail(const error& why) const;
  exit_code fail(const std::vector<config_problem>& problems) const;

 private:
  bool json_;
};

/// The node file's database and its admin session, for commands that look or mark. Nothing after
/// `failed` is set.
struct admin_access {
  std::optional<opened_node> node;
  std::unique_ptr<admin_session> admin;
  exit_code failed = exit_code::good;
};
[[nodiscard]] admin_access open_admin(const console& out, const std::string& file);

/// `type/key` as an entity; refused if there is no slash.
[[nodiscard]] result<entity_ref> parse_entity(const std::string& text);

/// "3 min", "2 days": for a person, rounded down.
[[nodiscard]] std::string duration_text(std::int64_t ms);

}  // namespace pawl
