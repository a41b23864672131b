#include "actors/retention.hpp"
#include "runtime/cli/commands.hpp"

#include <fmt/format.h>

namespace pawl {
namespace {

nlohmann::json to_json(const ledger_status& ledger, std::int64_t window_ms) {
  nlohmann::json one{{"running_clock_ms", ledger.clock_ms}, {"window_ms", window_ms}};
  one["generations"] = nlohmann::json::array();
  for (const ledger_generation& generation : ledger.ring) {
    one["generations"].push_back({{"slot", generation.slot},
                                  {"number", generation.number},
                                  {"state", std::string(name_of(generation.state))},
                                  {"opened_ms", generation.opened_ms},
                                  {"closed_ms", generation.closed_ms},
                                  {"rows", generation.rows}});
  }
  return one;
}

}  // namespace

exit_code command_ledger_show(const console& out, const std::string& file) {
  const admin_access access = open_admin(out, file);
  if (access.admin == nullptr) {
    return access.failed;
  }
  const auto ledger = access.admin->ledger();
  const auto seen = access.admin->status_of();
  if (!ledger.ok() || !seen.ok()) {
    return out.fail(ledger.ok() ? seen.error() : ledger.error());
  }
  const std::int64_t window_ms = access.node->config.ledger_window_ms;
  out.document(to_json(*ledger, window_ms));
  out.line(fmt::format("window {}; the consumer has run for {} (downtime does not age the ledger)",
                       duration_text(window_ms), duration_text(ledger->clock_ms)));
  for (const ledger_generation& one : ledger->ring) {
    if (one.state == generation_state::empty) {
      out.line(fmt::format("  table {}: empty", one.slot));
      continue;
    }
    out.line(
        fmt::format("  table {}: generation {}, {}, about {} rows, {}", one.slot, one.number,
                    name_of(one.state), one.rows,
                    one.state == generation_state::current
                        ? "opened " + duration_text(ledger->clock_ms - one.opened_ms) + " ago"
                        : "closed " + duration_text(ledger->clock_ms - one.closed_ms) + " ago"));
  }
  const std::string held = retention_held_by(*ledger, window_ms, seen->positions);
  if (!held.empty()) {
    out.line("  ALARM: " + held);
  }
  return exit_code::good;
}

exit_code command_ledger_prune(const console& out, const std::string& file) {
  const admin_access access = open_admin(out, file);
  if (access.admin == nullptr) {
    return access.failed;
  }
  const auto janitor = access.node->database->open_janitor(access.node->config.consumer);
  if (!janitor.ok()) {
    return out.fail(janitor.error());
  }
  const std::int64_t window_ms = access.node->config.ledger_window_ms;
  nlohmann::json gone = nlohmann::json::array();
  for (;;) {
    const auto ledger = (*janitor)->ledger();
    const auto positions = (*janitor)->positions();
    if (!ledger.ok() || !positions.ok()) {
      return out.fail(ledger.ok() ? positions.error() : ledger.error());
    }
    const auto step = next_retention_step(*ledger, window_ms, *positions);
    // Closing a generation is the running node's: only it knows what has been delivered.
    if (!step.has_value() || step->kind == retention_step::what::rotate) {
      break;
    }
    const bool retire = step->kind == retention_step::what::retire;
    const status done =
        retire ? (*janitor)->retire(step->generation) : (*janitor)->truncate(step->generation);
    if (!done.ok()) {
      return out.fail(done.error());
    }
    if (!retire) {
      out.line(fmt::format("generation {} is gone", step->generation));
      gone.push_back(step->generation);
    }
  }
  if (gone.empty()) {
    out.line("nothing may go yet");
  }
  out.document({{"pruned", gone}});
  return exit_code::good;
}

}  // namespace pawl
