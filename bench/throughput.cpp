// How many messages a second take effect once, over PostgreSQL: Pawl, beside the consumer that is
// written by hand (one transaction a message) and the bare set-based statements without any Pawl.
// One run, interleaved rounds, medians.
//   PAWL_TEST_POSTGRES=<connection string> bench_throughput [SECONDS-PER-CELL] [ROUNDS] [KEYS]
//   [ONLY-CELLS-NAMED]
#include "runtime/config/bind.hpp"
#include "runtime/config/node_file.hpp"
#include "runtime/runtime.hpp"
#include "storage/postgres_shim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <thread>

using namespace pawl;
using bench_clock = std::chrono::steady_clock;

namespace {

struct setup {
  std::string database;
  double seconds = 5;
  int rounds = 3;
  std::uint64_t keys = 10'000;
};

double seconds_since(bench_clock::time_point start) {
  return std::chrono::duration<double>(bench_clock::now() - start).count();
}

void execute(const setup& with, const std::string& sql) {
  pqxx::connection connection(with.database);
  pqxx::nontransaction direct(connection);
  direct.exec(sql);
}

void fresh_tables(const setup& with) {
  execute(with,
          "DROP SCHEMA IF EXISTS pawl CASCADE; DROP TABLE IF EXISTS inventory, hand_ledger;"
          "CREATE TABLE inventory (sku text PRIMARY KEY, reserved bigint NOT NULL DEFAULT 0);"
          "CREATE TABLE hand_ledger (key uuid PRIMARY KEY, fingerprint bigint NOT NULL);" +
              fmt::format(
                  "INSERT INTO inventory SELECT 'sku-' || n, 0 FROM generate_series(0, {}) AS n;",
                  with.keys - 1) +
              "ANALYZE inventory; CHECKPOINT");
}

std::string uuid_of(std::uint64_t high, std::uint64_t low) {
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU,
                     high & 0xffffU, low >> 48U, low & 0xffffffffffffU);
}

/// Runs `work(connection number)` on so many threads for the time, each answering how many messages
/// it did; messages a second.
double on_threads(const setup& with, int threads,
                  const std::function<std::uint64_t(int, bench_clock::time_point)>& work) {
  std::atomic<std::uint64_t> total{0};
  const auto start = bench_clock::now();
  const auto end =
      start + std::chrono::milliseconds(static_cast<std::int64_t>(with.seconds * 1000));
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] { total += work(i, end); });
  }
  for (std::thread& one : running) {
    one.join();
  }
  return static_cast<double>(total.load()) / seconds_since(start);
}

double by_hand(const setup& with, int connections) {
  fresh_tables(with);
  return on_threads(with, connections, [&](int number, bench_clock::time_point end) {
    std::mt19937_64 random(static_cast<std::uint64_t>(number) + 1);
    pqxx::connection connection(with.database);
    connection.prepare("mark",
                       "INSERT INTO hand_ledger VALUES ($1::uuid, 0) ON CONFLICT DO NOTHING");
    connection.prepare("add",
                       "UPDATE inventory SET reserved = reserved + $2::bigint WHERE sku = $1");
    std::uint64_t n = 0;
    while (bench_clock::now() < end) {
      pqxx::nontransaction direct(connection);
      direct.exec("BEGIN");
      if (pg::affected(pg::exec_prepared(direct, "mark", {uuid_of(random(), random())})) == 1) {
        pg::exec_prepared(direct, "add", {fmt::format("sku-{}", random() % with.keys), "1"});
      }
      direct.exec("COMMIT");
      ++n;
    }
    return n;
  });
}

double bare_sets(const setup& with, int connections, std::size_t batch) {
  fresh_tables(with);
  return on_threads(with, connections, [&](int number, bench_clock::time_point end) {
    std::mt19937_64 random(static_cast<std::uint64_t>(number) + 1);
    pqxx::connection connection(with.database);
    connection.prepare("mark",
                       "INSERT INTO hand_ledger SELECT * FROM unnest($1::uuid[], $2::bigint[]) "
                       "ON CONFLICT DO NOTHING RETURNING key");
    connection.prepare("add",
                       "UPDATE inventory i SET reserved = i.reserved + d.n FROM "
                       "unnest($1::text[], $2::bigint[]) AS d(sku, n) WHERE i.sku = d.sku");
    const std::uint64_t share = with.keys / static_cast<std::uint64_t>(connections);
    std::uint64_t n = 0;
    while (bench_clock::now() < end) {
      std::string ids;
      std::string prints;
      std::map<std::string, int> sums;
      for (std::size_t i = 0; i < batch; ++i) {
        ids += (i == 0 ? '{' : ',') + uuid_of(random(), random());
        prints += (i == 0 ? "{" : ",") + std::to_string(random() >> 1U);
        ++sums[fmt::format("sku-{}",
                           random() % share + share * static_cast<std::uint64_t>(number))];
      }
      std::string skus;
      std::string counts;
      for (const auto& [sku, count] : sums) {
        skus += (skus.empty() ? '{' : ',') + sku;
        counts += (counts.empty() ? '{' : ',') + std::to_string(count);
      }
      pqxx::nontransaction direct(connection);
      direct.exec("BEGIN");
      pg::exec_prepared(direct, "mark", {ids + '}', prints + '}'});
      pg::exec_prepared(direct, "add", {skus + '}', counts + '}'});
      direct.exec("COMMIT");
      n += batch;
    }
    return n;
  });
}

/// A source that makes messages up as fast as they are asked for, for a while.
class endless_source final : public source {
 public:
  endless_source(std::uint64_t keys, bench_clock::time_point end) : keys_(keys), end_(end) {}

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] bool is_log() const noexcept override { return false; }
  status start(std::span<const source_position>) override { return {}; }
  result<poll_answer> poll(const poll_limits& limits) override {
    poll_answer answer;
    answer.ended = bench_clock::now() >= end_;
    for (std::size_t i = 0; !answer.ended && i < limits.messages; ++i) {
      auto made = std::make_shared<message>();
      made->payload = fmt::format(
          R"({{"type":"OrderPlaced","messageId":"{}","sku":"sku-{}","quantity":1,"note":"as usual"}})",
          uuid_of(random_(), random_()), random_() % keys_);
      made->origin = {name_, "0", ++position_, 0, 0};
      answer.messages.push_back(std::move(made));
    }
    return answer;
  }
  void ack(std::span<const message_origin>) override {}
  [[nodiscard]] source_position stored_form(const std::string& partition,
                                            std::int64_t position) const override {
    return {name_, partition, position, {}};
  }
  [[nodiscard]] std::int64_t lag() const override { return -1; }
  void stop() override {}

 private:
  std::string name_ = "made-up";
  std::uint64_t keys_;
  bench_clock::time_point end_;
  std::mt19937_64 random_{7};
  std::int64_t position_ = 0;
};

constexpr const char* node_text = R"(
consumer: bench
store: 'memory:'
sources: {in: {file: "-"}}
ledger: {window: 7d}
entities:
  sku:
    messages:
      OrderPlaced:
        key: $.sku
        id: $.messageId
        dedupe: ledger
        effects:
          - add: inventory
            key: {sku: $key}
            values: {reserved: $.quantity}
)";

template <class T>
T must(result<T> tried) {
  if (!tried.ok()) {
    fmt::print(stderr, "bench: {}\n", tried.error().text);
    std::exit(1);
  }
  return std::move(tried).value();
}

double with_pawl(const setup& with, std::uint32_t committers) {
  fresh_tables(with);
  const auto file =
      parse_node_file("bench.yaml", node_text, [](const std::string&) { return std::nullopt; });
  if (!file.config.has_value()) {
    fmt::print(stderr, "{}", to_text(file.problems));
    std::exit(1);
  }
  runtime_config config;
  config.consumer = "bench";
  config.database = must(open_store(with.database));
  must(config.database->migrate());
  config.tables =
      std::make_shared<const catalog>(must(config.database->read_catalog(tables_of(*file.config))));
  config.shapes = std::make_shared<shape_registry>();
  config.handlers =
      bind_handlers(*file.config, {config.tables.get(), config.shapes.get(), {}, "postgresql"})
          .handlers;
  config.committers = committers;
  const auto end = bench_clock::now() +
                   std::chrono::milliseconds(static_cast<std::int64_t>(with.seconds * 1000));
  config.sources.push_back({std::make_unique<endless_source>(with.keys, end), {}});
  const auto start = bench_clock::now();
  const auto node = must(runtime::start(std::move(config)));
  const bool finished = node->wait_finished(std::chrono::minutes(2));
  const double took = seconds_since(start);
  const counts seen = node->count();
  node->drain(std::chrono::seconds(5));
  invariant(finished && seen.of(outcome::applied) == seen.received, "the benchmark lost messages");
  fmt::print(stderr, "    {} messages in {} commits\n", seen.received, seen.commits);
  return static_cast<double>(seen.of(outcome::applied)) / took;
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  setup with;
  const char* database = std::getenv("PAWL_TEST_POSTGRES");
  if (database == nullptr) {
    fmt::print(stderr,
               "set PAWL_TEST_POSTGRES to a database that may be emptied (`make bench` does)\n");
    return 2;
  }
  with.database = database;
  with.seconds = argc > 1 ? std::atof(argv[1]) : with.seconds;
  with.rounds = argc > 2 ? std::atoi(argv[2]) : with.rounds;
  with.keys = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : with.keys;

  struct cell {
    std::string name;
    std::function<double()> run;
    std::vector<double> rates;
  };
  std::vector<cell> cells;
  for (const int connections : {1, 8, 16}) {
    cells.push_back({fmt::format("by hand, a transaction each, {:>2} connections", connections),
                     [&with, connections] { return by_hand(with, connections); },
                     {}});
  }
  for (const int connections : {1, 2}) {
    cells.push_back({fmt::format("bare set-based statements,   {:>2} connections", connections),
                     [&with, connections] { return bare_sets(with, connections, 1024); },
                     {}});
  }
  for (const std::uint32_t committers : {1U, 2U}) {
    cells.push_back({fmt::format("Pawl, ledger + add,          {:>2} committers", committers),
                     [&with, committers] { return with_pawl(with, committers); },
                     {}});
  }
  const std::string only = argc > 4 ? argv[4] : "";
  std::erase_if(cells, [&](const cell& one) { return one.name.find(only) == std::string::npos; });
  for (int round = 0; round < with.rounds; ++round) {
    for (cell& one : cells) {
      one.rates.push_back(one.run());
      fmt::print(stderr, "  round {}: {}: {:.0f}/s\n", round + 1, one.name, one.rates.back());
    }
  }
  double best_by_hand = 0;
  for (const cell& one : cells) {
    if (one.name.starts_with("by hand")) {
      best_by_hand = std::max(best_by_hand, median(one.rates));
    }
  }
  fmt::print("\n{} keys, {} rounds of {} s, medians; {} cores shared with PostgreSQL\n\n",
             with.keys, with.rounds, with.seconds, std::thread::hardware_concurrency());
  fmt::print("{:<46} {:>12} {:>18}\n", "", "messages/s", "x best by hand");
  for (const cell& one : cells) {
    const double rate = median(one.rates);
    fmt::print("{:<46} {:>12.0f} {:>18}\n", one.name, rate,
               best_by_hand > 0 ? fmt::format("{:.1f}", rate / best_by_hand) : "-");
  }
}
