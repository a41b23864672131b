#pragma once

#include "protocol/contract.hpp"
#include "protocol/effect.hpp"
#include "protocol/value.hpp"
#include "runtime/config/position.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pawl {

/// A value in an effect: a path into the message, or a constant.
using value_expression = std::variant<path, value>;

struct column_expression {
  std::string column;
  value_expression from;
  bool optional = false;           ///< a missing path leaves the column out
  file_position where;             ///< of the column's name
  file_position value_where = {};  ///< of what is written into it
};

/// One declared effect, before the catalog is known.
struct declared_effect {
  effect_kind kind = effect_kind::upsert;
  std::string table;
  std::vector<column_expression> key;
  std::vector<column_expression> values;
  std::vector<std::string> unique;  ///< of `insert`
  missing_row missing = missing_row::create;
  file_position where;
  file_position table_where = {};
};

struct declared_message {
  message_contract contract;  ///< `fields` is filled when the handler is bound
  std::vector<declared_effect> effects;
  bool accept_overwrite = false;  ///< `accept: overwrite`, of `natural`
  file_position where;
};

enum class source_kind : std::uint8_t { file, standard_input };

struct source_config {
  std::string name;
  source_kind kind = source_kind::file;
  std::filesystem::path file;
  std::string partition;  ///< the file's path as written: a position belongs to it
  std::string type_path = "$.type";
  std::vector<std::string> ignore_types;
  file_position where;
};

struct retry_config {
  int attempts = 5;  ///< per message, then it is a dead letter
  std::int64_t backoff_ms = 100;
  std::int64_t backoff_ms_max = 10'000;
};

/// A node file, read and checked as far as that goes without the database. Every default is
/// declared in node_options.hpp, from which the reference is generated.
struct node_config {
  std::filesystem::path file;
  std::string consumer;
  std::string node_name;  ///< empty: the host's name
  std::string store_url;
  file_position store_where = {};
  bool migrate_auto = false;
  std::vector<source_config> sources;
  std::vector<declared_message> messages;
  retry_config retry;
  std::int64_t ledger_window_ms = 0;  ///< 0: no message has `dedupe: ledger`
  std::uint32_t shards = 64;
  std::uint32_t committers = 0;  ///< 0: two on a store with parallel commits, else one
  std::size_t credit_messages = 50'000;
  std::size_t credit_bytes = 64U << 20U;
  std::size_t batch_messages = 1024;  ///< most messages in one commit
  std::uint32_t handlers_spare = 8;
  std::int64_t lease_ms = 15'000;
  std::int64_t drain_ms = 30'000;
  std::int64_t passivate_ms = 60'000;
};

}  // namespace pawl
