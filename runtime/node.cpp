#include "runtime/node.hpp"

#include "runtime/config/bind.hpp"
#include "runtime/config/database_file.hpp"
#include "runtime/config/node_file.hpp"
#include "runtime/sources/make_source.hpp"

#include <unistd.h>

#include <utility>

namespace pawl {
namespace {

status bring_schema(const opened_node& node) {
  if (node.config.migrate_auto) {
    const auto migrated = node.database->migrate();
    return migrated.ok() ? status{} : status{migrated.error()};
  }
  return require_schema(node);
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "node";
}

std::vector<runtime_source> make_sources(const node_config& config, bool once) {
  std::vector<runtime_source> made;
  for (const source_config& one : config.sources) {
    made.push_back({make_source(one, once), one.ignore_types, one.type_path});
  }
  return made;
}

}  // namespace

status require_schema(const opened_node& node) {
  const auto found = node.database->schema_version();
  if (!found.ok()) {
    return found.error();
  }
  const int wanted = node.database->wanted_version();
  if (*found == wanted) {
    return {};
  }
  const std::string have =
      *found == 0 ? "the database has no tables of Pawl's yet"
                  : "Pawl's tables in the database have version " + std::to_string(*found) +
                        ", and this program needs version " + std::to_string(wanted);
  return error{fault::refused, "schema",
               have + "; " +
                   (*found < wanted ? "run `pawl migrate " + node.config.file.string() +
                                          "`, or write `store: {url: ..., migrate: auto}`"
                                    : "use a newer pawl: an older one would not understand them")};
}

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
  if (read.config->node_name.empty()) {
    read.config->node_name = host_name();
  }
  auto opened = open_store(read.config->store_url);
  if (!opened.ok()) {
    if (opened.error().kind == fault::refused) {
      attempt.problems.push_back({read.config->store_where, opened.error().text, ""});
    } else {
      attempt.failure = opened.error();
    }
    return attempt;
  }
  attempt.value = opened_node{std::move(*read.config), std::move(*opened)};
  return attempt;
}

node_attempt<runtime_config> configure(const opened_node& node, bool once, bool with_sources) {
  node_attempt<runtime_config> attempt;
  if (auto missing = missing_database(node.config)) {
    attempt.problems.push_back(std::move(*missing));
    return attempt;
  }
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
