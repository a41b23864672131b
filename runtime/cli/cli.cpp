#include "runtime/cli/cli.hpp"

#include "runtime/cli/commands.hpp"
#include "runtime/config/node_options.hpp"
#include "runtime/scenario/scenario_options.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>

namespace pawl {
namespace {

constexpr const char* description =
    "Pawl runs message consumers: every message takes effect once, in order per entity.";

constexpr const char* exit_codes =
    "Exit codes:\n"
    "  0  good\n"
    "  1  a scenario's verdict is no, or the node ended by itself\n"
    "  2  the command line, a file or the database's schema is wrong\n"
    "  3  the node read its sources to their end, and dead letters remain\n"
    "  4  the database can't be reached; the same call may pass later\n"
    "  5  stopped before all was finished; it will be redelivered\n"
    "  6  what was asked for is not there\n"
    "\n"
    "Start with:  pawl run configs/scenarios/stock.yaml\n"
    "             pawl check configs/stock.yaml";

/// The commands with what they were given; `chosen` is the one to run.
struct command_line {
  CLI::App app{description, "pawl"};
  bool json = false;
  std::function<exit_code(const console&)> chosen;

  std::string file;
  node_arguments node;
  run_arguments run;
  explain_arguments explain;
  std::optional<std::string> message;
  std::string entity;
  std::string setup;
  std::int64_t id = 0;
  std::size_t limit = 100;

  command_line() {
    app.fallthrough();
    app.require_subcommand(1);
    app.footer(exit_codes);
    app.add_flag("--json", json, "Print one JSON document instead of text");
    app.set_version_flag("--version", "pawl 0.1.0");
    add_running();
    add_looking();
    add_dead_letters();
  }

  void with_file(CLI::App* command, std::string& into) {
    command->add_option("FILE", into, "The node file")->required();
  }

  void on(CLI::App* command, std::function<exit_code(const console&)> run_it) {
    command->callback([this, run_it = std::move(run_it)] { chosen = run_it; });
  }

  void add_running() {
    CLI::App* one =
        app.add_subcommand("node", "Run a node until it is told to stop (SIGTERM drains it)");
    with_file(one, node.file);
    one->add_flag("--once", node.once, "Stop when the sources are read to their end");
    on(one, [this](const console& out) { return command_node(out, node); });

    one = app.add_subcommand("run", "Run a scenario: workload, faults, verdict");
    one->add_option("FILE", run.file, "The scenario file")->required();
    one->add_option("--seed", run.seed,
                    "Another seed than the file's; the same seed replays a run");
    one->add_option(
        "--store", run.store,
        "URL of empty databases to run in, `{consumer}` for pawl or naive; else fresh SQLite");
    one->add_option("--junit", run.junit, "Write the verdict as JUnit XML to this file");
    one->add_option("--keep", run.keep, "Leave the run's databases in this folder");
    on(one, [this](const console& out) { return command_run(out, run); });

    one = app.add_subcommand("check", "Check a node file against its database, without running it");
    with_file(one, file);
    one->add_option("--message", message, "Show what this message (a file with JSON) would do");
    on(one, [this](const console& out) { return command_check(out, file, message); });

    one = app.add_subcommand("migrate", "Bring Pawl's tables to this program's version");
    with_file(one, file);
    one->add_option("--setup", setup,
                    "Run this SQL script first, as a whole or not at all: your tables");
    on(one, [this](const console& out) { return command_migrate(out, file, setup); });
  }

  void add_looking() {
    CLI::App* one =
        app.add_subcommand("status", "Positions, leases, parked messages, dead letters, alarms");
    with_file(one, file);
    on(one, [this](const console& out) { return command_status(out, file); });

    one = app.add_subcommand("explain", "What became of a message, and why");
    with_file(one, explain.file);
    one->add_option("MESSAGE-ID", explain.message_id, "The message's id")->required();
    one->add_option(
        "--entity", explain.entities,
        "TYPE/KEY that the message addresses; else what Pawl keeps rows of is searched");
    on(one, [this](const console& out) { return command_explain(out, explain); });

    CLI::App* ledger = app.add_subcommand("ledger", "The processed-message ledger");
    ledger->require_subcommand(1);
    one = ledger->add_subcommand("show", "Its generations, and what holds them");
    with_file(one, file);
    on(one, [this](const console& out) { return command_ledger_show(out, file); });
    one = ledger->add_subcommand("prune", "Drop what may go now, without waiting for the janitor");
    with_file(one, file);
    on(one, [this](const console& out) { return command_ledger_prune(out, file); });

    CLI::App* entities = app.add_subcommand("entities", "Entities");
    entities->require_subcommand(1);
    one = entities->add_subcommand("show", "One entity's version, state, and what waits for it");
    with_file(one, file);
    one->add_option("ENTITY", entity, "TYPE/KEY, like sku/A-1")->required();
    on(one, [this](const console& out) { return command_entity_show(out, file, entity); });

    CLI::App* docs = app.add_subcommand("docs", "Reference texts, generated from the program");
    docs->require_subcommand(1);
    one = docs->add_subcommand("config", "Every option of a node file");
    on(one, [](const console& out) { return command_docs(out, node_reference()); });
    one = docs->add_subcommand("scenarios", "Every option of a scenario file");
    on(one, [](const console& out) { return command_docs(out, scenario_reference()); });
  }

  void add_dead_letters() {
    CLI::App* dead = app.add_subcommand("dead-letters", "Messages that were set aside");
    dead->require_subcommand(1);
    CLI::App* one = dead->add_subcommand("list", "All of them, oldest first");
    with_file(one, file);
    one->add_option("--limit", limit, "Most to show")->capture_default_str();
    on(one, [this](const console& out) { return command_dead_letters_list(out, file, limit); });

    one = dead->add_subcommand("show", "One, with its message");
    with_file(one, file);
    one->add_option("ID", id, "Its number in the list")->required();
    on(one, [this](const console& out) { return command_dead_letters_show(out, file, id); });

    for (const auto mark : {dead_letter_mark::retry, dead_letter_mark::discard}) {
      const bool retry = mark == dead_letter_mark::retry;
      one = dead->add_subcommand(
          retry ? "retry" : "discard",
          retry ? "Handle it again, and then what is parked behind it (the running node does it)"
                : "Give it up, and go on with what is parked behind it (done by the running node)");
      with_file(one, file);
      one->add_option("ID", id, "Its number in the list")->required();
      on(one, [this, mark](const console& out) {
        return command_dead_letters_mark(out, file, id, mark);
      });
    }
  }
};

}  // namespace

int run_command_line(int argc, char** argv) {
  const auto line = std::make_unique<command_line>();
  try {
    line->app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    const int code = line->app.exit(wrong);
    return code == 0 ? 0 : static_cast<int>(exit_code::refused);
  }
  return static_cast<int>(line->chosen(console(line->json)));
}

}  // namespace pawl
