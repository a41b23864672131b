#include "runtime/node.hpp"

#include "runtime/config/bind.hpp"
#include "runtime/config/node_file.hpp"
#include "runtime/sources/make_source.hpp"

#include <utility>

namespace pawl {
namespace {

status bring_schema(const opened_node& node) {
  if (node.config.migrate_auto) {
    const auto migrated = node.database->migrate();
    return migrated.ok() ? status{} : status{migrated.error()};
  }
  const auto version = node.database->schema_version();
  if (!version.ok()) {
    return version.error();
  }
  if (*version != node.database->wanted_version()) {
    return error{fault::refused, "schema",
                 "the database has version " + std::to_string(*version) +
                     " of Pawl's tables and this program needs " +
                     std::to_string(node.database->wanted_version()) + "; run `pawl migrate " +
                     node.config.file.string() + "`, or write `store: {url: ..., migrate: auto}`"};
  }
  return {};
}

std::vector<runtime_source> make_sources(const node_config& config, bool once) {
  std::vector<runtime_source> made;
  for (const source_config& one : config.sources) {
    made.push_back({make_source(one, once), one.ignore_types});
  }
  return made;
}

}  // namespace

runtime_config runtime_options(const node_config& config) {
  using std::chrono::milliseconds;
  runtime_config made;
  made.consumer = config.consumer;
  made.node_name = config.node_name;
  made.shards = config.shards;
  made.committers = config.committers;
  made.attempts = config.retry.attempts;
  made.backoff = milliseconds(config.retry.backoff_ms);
  made.backoff_max = milliseconds(config.retry.backoff_ms_max);
  made.credit_messages = config.credit_messages;
  made.credit_bytes = config.credit_bytes;
  made.batch_messages = config.batch_messages;
  made.handlers_spare = config.handlers_spare;
  made.lease = milliseconds(config.lease_ms);
  made.passivate = milliseconds(config.passivate_ms);
  made.ledger_window = milliseconds(config.ledger_window_ms);
  return made;
}

node_attempt<opened_node> open_node(const std::string& file,
                                    const environment_lookup& environment) {
  node_attempt<opened_node> attempt;
  node_file read = read_node_file(file, environment);
  if (!read.config.has_value()) {
    attempt.problems = std::move(read.problems);
    return attempt;
  }
  auto opened = open_store(read.config->store_url);
  if (!opened.ok()) {
    attempt.failure = opened.error();
    return attempt;
  }
  attempt.value = opened_node{std::move(*read.config), std::move(*opened)};
  return attempt;
}

node_attempt<runtime_config> configure(const opened_node& node, bool once, bool with_sources) {
  node_attempt<runtime_config> attempt;
  if (const status brought = bring_schema(node); !brought.ok()) {
    attempt.failure = brought.error();
    return attempt;
  }
  auto read = node.database->read_catalog(tables_of(node.config));
  auto names = node.database->table_names();
  if (!read.ok() || !names.ok()) {
    attempt.failure = read.ok() ? names.error() : read.error();
    return attempt;
  }
  runtime_config made = runtime_options(node.config);
  made.database = node.database;
  made.tables = std::make_shared<const catalog>(std::move(*read));
  made.shapes = std::make_shared<shape_registry>();
  bound_handlers bound = bind_handlers(
      node.config, {made.tables.get(), made.shapes.get(), *names, node.database->kind()});
  if (!bound.problems.empty()) {
    attempt.problems = std::move(bound.problems);
    return attempt;
  }
  made.handlers = std::move(bound.handlers);
  if (with_sources) {
    made.sources = make_sources(node.config, once);
  }
  attempt.value = std::move(made);
  return attempt;
}

}  // namespace pawl
