// Positions never pass an unfinished delivery: a file is read through by runtimes that are cut off
// at random moments.
#include "runtime/sources/file_source.hpp"
#include "tests/check.hpp"
#include "tests/support/runtime_world.hpp"
#include "tests/support/scenario_files.hpp"
#include "tests/support/sqlite_file.hpp"

#include <map>
#include <random>
#include <set>
#include <thread>

using namespace pawl;
using namespace pawl_test;

namespace {

constexpr int lines = 12'000;
constexpr int entities = 40;

void reserve_and_note(const addressed_message& message, effects<policies::ledger>& out) {
  reserve(message, out);
  note(message, out);
}

struct written_file {
  std::string path;
  std::map<std::int64_t, std::string> id_at;  ///< by offset
};

written_file write_lines(const scenario_files& files) {
  written_file made;
  std::string text;
  for (int i = 1; i <= lines; ++i) {
    const std::string id = std::to_string(i);
    made.id_at[static_cast<std::int64_t>(text.size())] = id;
    text += to_json({.sku = std::to_string(i % entities), .id = id}) + "\n";
  }
  made.path = files.write("orders.ndjson", text);
  return made;
}

std::set<std::string> finished(runtime_world& at) {
  std::set<std::string> ids;
  for (const auto& row : must(at.fixture().store().query("SELECT message FROM journal")).rows) {
    ids.insert(row.front().value_or(""));
  }
  return ids;
}

void check_position(runtime_world& at, const written_file& file) {
  const std::set<std::string> done = finished(at);
  for (const source_position& stored : at.status().positions) {
    for (const auto& [offset, id] : file.id_at) {
      if (offset < stored.position && !done.contains(id)) {
        FAIL("position " << stored.position << " has passed message " << id);
      }
    }
  }
}

std::unique_ptr<source> open(const written_file& file) {
  return std::make_unique<file_source>(
      file_source_config{"orders", file.path, "orders.ndjson", true});
}

}  // namespace

SQL_TEST_CASE("runtime: a file that is read through many crashes takes effect exactly once") {
  constexpr unsigned seed = 20'26;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const scenario_files files;
  const written_file file = write_lines(files);
  runtime_world at(open_journal<TestType>());
  at.on<policies::ledger>(placed(), reserve_and_note);
  at.adjust = [](runtime_config& config) {
    config.batch_messages = 100;
    config.credit_messages = 1000;
  };
  int crashes = 0;
  std::uint64_t received = 0;
  for (bool through = false; !through;) {
    const auto node = must(at.open(open(file)));
    // By messages and not by time: a fast machine must not get through before it crashes. Each run
    // gets further than the one before, whether or not a position was stored.
    const auto run = static_cast<std::uint64_t>(crashes + 1);
    const std::uint64_t most = run * lines / 10 + random() % (lines / 20);
    while (!through && node->count().acked < most) {
      through = node->wait_finished(std::chrono::milliseconds(1));
    }
    received += node->count().received;
    if (through) {
      REQUIRE(node->drain(std::chrono::seconds(5)));
    } else {
      node->abandon();
      ++crashes;
      REQUIRE(crashes < 500);
    }
    check_position(at, file);
  }
  CHECK(crashes > 2);
  CHECK(received > lines);
  for (int entity = 0; entity < entities; ++entity) {
    std::vector<std::string> expected;
    for (int i = entity == 0 ? entities : entity; i <= lines; i += entities) {
      expected.push_back(std::to_string(i));
    }
    CHECK(at.journal(std::to_string(entity)) == expected);
  }
  for (const auto& row : at.rows("stock")) {
    CHECK(row[2] == std::to_string(lines / entities));
  }
  CHECK(at.dead_letters().empty());
}

SQL_TEST_CASE(
    "runtime: a file that was read through is not read again, and goes on with new lines") {
  const scenario_files files;
  files.write("f", to_json({.id = "1"}) + "\n");
  const written_file file{(files.path() / "f").string(), {}};
  runtime_world at(open_journal<TestType>());
  at.on<policies::ledger>(placed(), reserve_and_note);
  const auto read_once = [&] {
    const auto node = must(at.open(open(file)));
    REQUIRE(node->wait_finished(std::chrono::seconds(20)));
    REQUIRE(node->drain(std::chrono::seconds(5)));
    return node->count();
  };
  CHECK(read_once().received == 1);
  CHECK(read_once().received == 0);
  files.write("f", to_json({.id = "1"}) + "\n" + to_json({.id = "2"}) + "\n");
  CHECK(read_once().received == 1);
  CHECK(at.journal("a") == numbers_to(2));
}
