#include "runtime/scenario/run_scenario.hpp"
#include "tests/check.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/scenario_files.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace pawl {
namespace {

const std::string accounts_node = R"(consumer: ledgers
store: sqlite:unused.db
sources:
  bookings:
    stdin: true
defaults:
  retry: {attempts: 3, backoff: 10ms}
entities:
  account:
    messages:
      Booked:
        key: $.account
        version: $.number
        dedupe: version
        order: sequence
        effects:
          - add: accounts
            key:
              account: $key
            values:
              balance: $.amount
      Renamed:
        key: $.account
        dedupe: natural
        accept: overwrite
        effects:
          - upsert: owners
            key:
              account: $key
            values:
              name: $.name
)";

const std::string accounts_setup = R"(
CREATE TABLE accounts (account TEXT NOT NULL PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 0);
CREATE TABLE owners (account TEXT NOT NULL PRIMARY KEY, name TEXT);
)";

const std::string accounts_scenario = R"(scenario: sequences
seed: 5
node: node.yaml
setup: setup.sql
workload:
  - generate: Booked
    count: 800
    entities: 10
    fields:
      $.amount: {min: 1, max: 100}
  - generate: Renamed
    count: 100
    entities: 10
faults:
  duplicate: 10%
  reorder: {share: 30%, distance: 40}
  lost_ack: 3%
  worker_throws: 2%
  crash: {at: before_commit, every: 200}
expect:
  - effects_once
  - order_per_entity
  - nothing_lost
  - query: SELECT sum(balance) FROM accounts
    equals: sum($.amount)
    type: Booked
compare: naive
)";

std::string write_accounts(const scenario_files& files, const std::string& scenario) {
  files.write("node.yaml", accounts_node);
  files.write("setup.sql", accounts_setup);
  return files.write("scenario.yaml", scenario);
}

scenario_report run(const std::string& file, const scenario_run_options& options = {}) {
  const auto report = run_scenario(file, options);
  INFO((report ? std::string() : report.error().text));
  REQUIRE(report.ok());
  return *report;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a sequence survives reordering, throws and crashes, and the naive consumer does not") {
  const scenario_files files;
  const scenario_report report = run(write_accounts(files, accounts_scenario));
  INFO(report_text(report, false));
  CHECK(report.passed());
  CHECK(report.broker == "queue");
  REQUIRE(report.consumers.size() == 2);
  const consumer_report& pawl = report.consumers[0];
  const consumer_report& naive = report.consumers[1];
  CHECK(pawl.effects == 800);
  CHECK(pawl.threw > 0);
  CHECK(pawl.outcomes[static_cast<std::size_t>(outcome::dead)] == 0);
  CHECK(naive.crashes > 0);
  CHECK(naive.effects > 800);
  CHECK_FALSE(naive.results[0].answer.holds);
  CHECK_FALSE(naive.results[1].answer.holds);
  CHECK_FALSE(naive.results[3].answer.holds);
  CHECK(pawl.results[0].answer.note.find("natural") != std::string::npos);
}

TEST_CASE("one seed meets every consumer with the same deliveries, another seed with others") {
  const scenario_files files;
  const std::string file = write_accounts(files, accounts_scenario);
  scenario_run_options options;
  const scenario_report one = run(file, options);
  const scenario_report same = run(file, options);
  options.seed = 6;
  const scenario_report other = run(file, options);
  CHECK(one.duplicates == same.duplicates);
  CHECK(one.consumers[0].results[3].answer.expected ==
        same.consumers[0].results[3].answer.expected);
  CHECK(one.consumers[1].results[3].answer.got == same.consumers[1].results[3].answer.got);
  CHECK(one.consumers[0].results[3].answer.expected !=
        other.consumers[0].results[3].answer.expected);
  CHECK(other.seed == 6);
}

TEST_CASE("a run tells how far it is, writes its reports and leaves the stores if asked") {
  const scenario_files files;
  scenario_run_options options;
  std::uint64_t last = 0;
  options.progress = [&](const scenario_progress& at) { last = at.settled; };
  options.keep = files.path() / "kept";
  options.json = files.path() / "report.json";
  options.junit = files.path() / "report.xml";
  const std::string file = write_accounts(files, accounts_scenario);
  const scenario_report report = run(file, options);
  CHECK(last == report.consumers[1].broker.published);
  CHECK(text_of(options.json) == report_json(report));
  CHECK(text_of(options.junit) == report_junit(report));
  CHECK(std::filesystem::exists(options.keep / "pawl.db"));
  CHECK(std::filesystem::exists(options.keep / "naive.db"));
  const auto again = run_scenario(file, options);
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().text.find("is there already") != std::string::npos);
}

TEST_CASE("messages that can't be decoded must become dead letters") {
  const scenario_files files;
  files.write("lines.ndjson",
              "{\"type\":\"Booked\",\"account\":\"a\",\"number\":1,\"amount\":5}\n"
              "{\"type\":\"Booked\",\"account\":\n"
              "{\"type\":\"Booked\",\"account\":\"a\",\"number\":2,\"amount\":6}\n");
  const scenario_report report = run(write_accounts(files, R"(scenario: broken lines
node: node.yaml
setup: setup.sql
workload:
  - file: lines.ndjson
expect:
  - nothing_lost
  - query: SELECT balance FROM accounts
    equals: 11
)"));
  INFO(report_text(report, false));
  CHECK(report.passed());
  CHECK(report.consumers[0].outcomes[static_cast<std::size_t>(outcome::dead)] == 1);
}

TEST_CASE("a wrong expectation fails the run and says what it got") {
  const scenario_files files;
  const scenario_report report = run(write_accounts(files, R"(scenario: wrong
node: node.yaml
setup: setup.sql
workload:
  - generate: Booked
    count: 10
expect:
  - query: SELECT count(*) FROM accounts
    equals: 11
  - query: SELECT nothing FROM nowhere
    equals: 1
)"));
  CHECK_FALSE(report.passed());
  CHECK(report.consumers[0].results[0].answer.expected == "11");
  CHECK(report.consumers[0].results[1].answer.got == "an error");
}

TEST_CASE("a scenario that can't be run says why") {
  const scenario_files files;
  const std::string file = write_accounts(files, accounts_scenario);
  SECTION("its tables don't fit its node file") {
    files.write("setup.sql",
                "CREATE TABLE accounts (account TEXT NOT NULL PRIMARY KEY, "
                "balanse INTEGER NOT NULL DEFAULT 0);");
    const auto report = run_scenario(file, {});
    REQUIRE_FALSE(report.ok());
    CHECK(report.error().text.find("balanse") != std::string::npos);
  }
  SECTION("its setup is no SQL") {
    files.write("setup.sql", "CREATE TABEL x;");
    const auto report = run_scenario(file, {});
    REQUIRE_FALSE(report.ok());
    CHECK(report.error().text.find("setup.sql") != std::string::npos);
  }
  SECTION("two consumers would share one database") {
    scenario_run_options options;
    options.store_url = "sqlite:" + (files.path() / "one.db").string();
    const auto report = run_scenario(file, options);
    REQUIRE_FALSE(report.ok());
    CHECK(report.error().text.find("{consumer}") != std::string::npos);
  }
}

}  // namespace pawl
