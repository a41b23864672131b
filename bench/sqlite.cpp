// What the SQLite session costs beside the bare statements that it runs: one ledger row and one add
// for every message, durable commits.
//
//   bench_sqlite [directory] [messages] [messages a commit]

#include "protocol/hash.hpp"
#include "storage/sqlite_db.hpp"
#include "storage/sqlite_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace pawl;
using bench_clock = std::chrono::steady_clock;

constexpr std::int64_t entities = 1000;
constexpr const char* tables =
    "CREATE TABLE stock(sku TEXT NOT NULL PRIMARY KEY, n INTEGER NOT NULL DEFAULT 0) STRICT";

struct load {
  std::string directory;
  std::int64_t messages = 0;
  std::int64_t batch = 0;
};

std::string sku_of(std::int64_t message) { return "sku-" + std::to_string(message % entities); }

double seconds_since(bench_clock::time_point start) {
  return std::chrono::duration<double>(bench_clock::now() - start).count();
}

template <class T>
T must(result<T> answer) {
  if (!answer.ok()) {
    fmt::print(stderr, "bench_sqlite: {}\n", answer.error().text);
    std::exit(1);
  }
  return std::move(answer).value();
}
void must(const status& done) {
  if (!done.ok()) {
    fmt::print(stderr, "bench_sqlite: {}\n", done.error().text);
    std::exit(1);
  }
}

void report(const std::string& what, const load& given, double seconds) {
  const auto messages = static_cast<double>(given.messages);
  const double commits = messages / static_cast<double>(given.batch);
  fmt::print("{:<24} {:>9.0f} messages/s  {:>7.2f} us a message  {:>7.2f} ms a commit\n", what,
             messages / seconds, seconds / messages * 1e6, seconds / commits * 1e3);
}

double run_bare(const load& given, const std::vector<ledger_key>& keys) {
  sqlite_db db(given.directory + "/bare.db", sqlite_access::create, 2000);
  db.execute(tables);
  db.execute(
      "CREATE TABLE ledger(key BLOB NOT NULL PRIMARY KEY, content INTEGER NOT NULL)"
      " STRICT, WITHOUT ROWID");
  for (std::int64_t i = 0; i < entities; ++i) {
    db.run("INSERT INTO stock(sku) VALUES(?1)", sku_of(i));
  }
  auto& ledger =
      db.prepared("INSERT INTO ledger(key, content) VALUES(?1, ?2) ON CONFLICT DO NOTHING");
  auto& add = db.prepared("UPDATE stock SET n = n + ?2 WHERE sku = ?1");
  const auto start = bench_clock::now();
  for (std::int64_t first = 0; first < given.messages; first += given.batch) {
    const std::int64_t last = std::min(first + given.batch, given.messages);
    db.run("BEGIN IMMEDIATE");
    for (std::int64_t i = first; i < last; ++i) {
      if (ledger.run(keys[static_cast<std::size_t>(i)], i) == 1) {
        add.run(sku_of(i), 1);
      }
    }
    db.run("COMMIT");
  }
  return seconds_since(start);
}

double run_session(const load& given, const std::vector<ledger_key>& keys,
                   std::map<std::string, double>& steps) {
  const auto store = must(open_sqlite_store(given.directory + "/session.db"));
  must(store->migrate());
  must(store->execute_script(tables));
  const std::vector<std::string> names{"stock"};
  const catalog read = must(store->read_catalog(names));
  const auto keeper = must(store->open_keeper());
  commit_identity identity;
  identity.node =
      must(keeper->register_node({.consumer = "c", .shards = 64, .node = "a", .lease_ms = 600000}));
  const auto grants = must(keeper->take_leases(identity.node));
  const auto session = must(store->open_commit(identity, &read));
  const effect_shape shape{effect_kind::add, "stock", {"sku"}, {"n"}, missing_row::create};

  const auto start = bench_clock::now();
  auto before = start;
  const auto count = [&](const char* step) {
    const auto now = bench_clock::now();
    steps[step] += std::chrono::duration<double>(now - before).count();
    before = now;
  };
  for (std::int64_t first = 0; first < given.messages; first += given.batch) {
    const std::int64_t last = std::min(first + given.batch, given.messages);
    std::vector<ledger_row> rows;
    effect_statement adds;
    adds.shape = &shape;
    for (std::int64_t i = first; i < last; ++i) {
      rows.push_back({keys[static_cast<std::size_t>(i)], {static_cast<std::uint64_t>(i)}});
      adds.rows.push_back(
          {static_cast<std::uint32_t>(i - first), {value::text(sku_of(i)), value::integer(1)}});
    }
    count("1 rows made");
    must(session->begin());
    must(session->fence(grants));
    count("2 fence");
    must(session->insert_ledger(rows));
    count("3 ledger");
    must(session->apply(adds));
    count("4 effects");
    must(session->check_constraints());
    must(session->commit());
    count("5 commit");
  }
  return seconds_since(start);
}

}  // namespace

int main(int argc, char** argv) {
  load given;
  given.directory = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
  given.messages = argc > 2 ? std::max(1LL, std::atoll(argv[2])) : 500'000;
  given.batch = argc > 3 ? std::max(1LL, std::atoll(argv[3])) : 1024;
  given.directory += "/pawl-bench-sqlite";
  std::filesystem::remove_all(given.directory);
  std::filesystem::create_directories(given.directory);

  std::vector<ledger_key> keys;
  for (std::int64_t i = 0; i < given.messages; ++i) {
    keys.push_back(make_ledger_key("c", {"sku", sku_of(i)}, std::to_string(i)));
  }
  fmt::print("{} messages, {} a commit, {} entities, in {}\n", given.messages, given.batch,
             entities, given.directory);
  report("bare statements", given, run_bare(given, keys));
  std::map<std::string, double> steps;
  report("session", given, run_session(given, keys, steps));
  for (const auto& [step, seconds] : steps) {
    report("  " + step, given, seconds);
  }
  std::filesystem::remove_all(given.directory);
}
