#include "runtime/cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

namespace pawl {
namespace {

/// What there is to read yet of a file source, in bytes; nothing if it is not a file that can be
/// seen.
std::optional<std::int64_t> lag_of(const node_config& config, const source_position& at) {
  for (const source_config& one : config.sources) {
    if (one.name == at.source && one.kind == source_kind::file) {
      std::error_code failed;
      const auto size = std::filesystem::file_size(one.file, failed);
      if (!failed) {
        return static_cast<std::int64_t>(size) - at.position;
      }
    }
  }
  return std::nullopt;
}

/// Whether a node, if one ran, would have messages to read.
bool has_work(const consumer_status& seen, const node_config& config) {
  return std::any_of(seen.positions.begin(), seen.positions.end(),
                     [&](const source_position& at) { return lag_of(config, at).value_or(0) > 0; });
}

/// Conditions that a person should know of, as the store shows them; a running node logs its own
/// besides.
std::vector<std::string> alarms_of(const consumer_status& seen, const node_config& config) {
  std::vector<std::string> alarms;
  if (seen.blocked_entities > 0) {
    alarms.push_back(
        seen.blocked_entities == 1
            ? fmt::format("1 entity is blocked by a dead letter, {} messages wait behind it",
                          seen.parked_behind_dead)
            : fmt::format("{} entities are blocked by a dead letter, {} messages wait behind them",
                          seen.blocked_entities, seen.parked_behind_dead));
  }
  const auto conflicts = seen.dead_letters.find("conflict");
  if (conflicts != seen.dead_letters.end()) {
    alarms.push_back(
        fmt::format("{} messages came with the id or version of another one and other content",
                    conflicts->second));
  }
  const auto expired = std::count_if(seen.leases.begin(), seen.leases.end(),
                                     [](const lease_row& one) { return one.expires_in_ms <= 0; });
  if (expired > 0 && static_cast<std::size_t>(expired) < seen.leases.size()) {
    alarms.push_back(fmt::format("{} of {} shards have no live node", expired, seen.leases.size()));
  } else if (expired > 0 && has_work(seen, config)) {
    alarms.emplace_back("no node runs, and there is something to do");
  }
  return alarms;
}

nlohmann::json to_json(const consumer_status& seen, const node_config& config,
                       const std::vector<std::string>& alarms) {
  nlohmann::json one{{"consumer", seen.consumer},
                     {"shards", seen.shards},
                     {"blocked_entities", seen.blocked_entities},
                     {"parked_behind_dead", seen.parked_behind_dead},
                     {"parked_gap", seen.parked_gap},
                     {"dead_letters", seen.dead_letters},
                     {"alarms", alarms}};
  one["positions"] = nlohmann::json::array();
  for (const source_position& at : seen.positions) {
    nlohmann::json position{
        {"source", at.source}, {"partition", at.partition}, {"position", at.position}};
    if (const auto lag = lag_of(config, at); lag.has_value()) {
      position["lag"] = *lag;
    }
    one["positions"].push_back(std::move(position));
  }
  one["leases"] = nlohmann::json::array();
  for (const lease_row& lease : seen.leases) {
    one["leases"].push_back({{"shard", lease.shard.value},
                             {"epoch", lease.epoch.value},
                             {"node", lease.node},
                             {"expires_in_ms", lease.expires_in_ms}});
  }
  return one;
}

}  // namespace

exit_code command_migrate(const console& out, const std::string& file, const std::string& setup) {
  const auto opened = open_node(file, process_environment());
  if (!opened.value.has_value()) {
    return opened.failure.has_value() ? out.fail(*opened.failure) : out.fail(opened.problems);
  }
  if (!setup.empty()) {
    std::ifstream script(setup, std::ios::binary);
    const std::string sql(std::istreambuf_iterator<char>(script), {});
    if (sql.empty()) {
      return out.fail({fault::refused, "setup",
                       setup + ": the script can't be read, or is empty; is the path right?"});
    }
    if (const status done = opened.value->database->execute_script(sql); !done.ok()) {
      return out.fail({done.error().kind, done.error().code,
                       setup + ": " + done.error().text + "; nothing of the script was done"});
    }
    out.line(fmt::format("{} is done", setup));
  }
  const auto applied = opened.value->database->migrate();
  if (!applied.ok()) {
    return out.fail(applied.error());
  }
  const int version = opened.value->database->wanted_version();
  out.line(*applied == 0 ? fmt::format("Pawl's tables are at version {} already", version)
                         : fmt::format("{} migrations applied; Pawl's tables are at version {}",
                                       *applied, version));
  out.document({{"applied", *applied}, {"version", version}});
  return exit_code::good;
}

exit_code command_status(const console& out, const std::string& file) {
  const admin_access access = open_admin(out, file);
  if (access.admin == nullptr) {
    return access.failed;
  }
  const auto seen = access.admin->status_of();
  if (!seen.ok()) {
    return out.fail(seen.error());
  }
  const std::vector<std::string> alarms = alarms_of(*seen, access.node->config);
  out.document(to_json(*seen, access.node->config, alarms));
  out.line(fmt::format("consumer {}, {} shards", seen->consumer, seen->shards));
  std::map<std::string, int> nodes;
  for (const lease_row& one : seen->leases) {
    ++nodes[fmt::format("{} ({})", one.node, one.expires_in_ms > 0 ? "live" : "not running")];
  }
  for (const auto& [name, count] : nodes) {
    out.line(fmt::format("  node {}: {} shards", name, count));
  }
  for (const source_position& at : seen->positions) {
    const auto lag = lag_of(access.node->config, at);
    out.line(fmt::format("  source {}/{}: position {}{}", at.source, at.partition, at.position,
                         lag.has_value() ? fmt::format(", {} bytes to go", *lag) : std::string()));
  }
  out.line(fmt::format("  parked: {} behind a dead letter, {} behind a gap",
                       seen->parked_behind_dead, seen->parked_gap));
  std::int64_t dead = 0;
  for (const auto& [reason, count] : seen->dead_letters) {
    dead += count;
  }
  out.line(fmt::format("  dead letters: {}", dead));
  for (const auto& [reason, count] : seen->dead_letters) {
    out.line(fmt::format("    {}: {}", reason, count));
  }
  if (alarms.empty()) {
    out.line("  no alarms");
  }
  for (const std::string& one : alarms) {
    out.line("  ALARM: " + one);
  }
  return exit_code::good;
}

exit_code command_docs(const console& out, const std::string& text) {
  out.document({{"markdown", text}});
  out.as_it_is(text);  // so that `pawl docs config > docs/config.md` is the whole of it
  return exit_code::good;
}

}  // namespace pawl
