#pragma once

#include "protocol/message.hpp"
#include "runtime/config/environment.hpp"
#include "runtime/config/problem.hpp"
#include "runtime/config/promises.hpp"
#include "storage/store.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// Opens the store of a node file; `open_store`, or a test's own.
using store_opener = std::function<result<std::unique_ptr<store>>(const std::string& url)>;

/// What one entity would get of a message. Nothing of it is done.
struct explained_pair {
  std::string entity_type;
  std::string entity_key;
  std::string id;
  std::optional<std::int64_t> version;
  std::string policies;              ///< `dedupe: ledger, order: arrival`
  std::string ledger_key;            ///< hexadecimal
  std::vector<std::string> effects;  ///< a line each, to be read and not to be run
  std::string failure;               ///< why it would be a dead letter; empty: it would not
};

/// What a node would make of a message.
struct explained_message {
  std::string type;
  std::vector<explained_pair> pairs;  ///< none: acknowledged as `unaddressed`
};

/// What `pawl check` says of a node file.
struct check_report {
  std::string file;
  std::vector<config_problem> problems;   ///< none: it is sound
  bool unreachable = false;               ///< one of them: the database; it may be there later
  std::vector<handler_promise> promises;  ///< only if it is sound
  std::optional<explained_message> message;
};

/// Checks a node file against its database, which is only read. A database that can't be reached is
/// a problem too. `message` is shown as its handlers would take it, if given.
[[nodiscard]] check_report check_node_file(const std::string& file,
                                           const environment_lookup& environment,
                                           const store_opener& open, const message_ptr& message);

/// For a terminal; ends with a line that counts problems and warnings.
[[nodiscard]] std::string to_text(const check_report& report);
/// One JSON object.
[[nodiscard]] std::string to_json(const check_report& report);

}  // namespace pawl
