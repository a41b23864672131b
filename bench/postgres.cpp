// One connection, batches of messages that each insert a ledger row and add to one of many rows:
// the session's steps beside bare set-based statements, in turns so that both meet the same disk.
//   bench_postgres [CONNECTION STRING] [BATCH] [SECONDS]
#include "protocol/hash.hpp"
#include "protocol/shape_registry.hpp"
#include "storage/postgres_store.hpp"

#include <fmt/format.h>
#include <pqxx/pqxx>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

using namespace pawl;
using seconds = std::chrono::duration<double>;

constexpr int keys = 10'000;
constexpr int turns = 4;

template <class T>
T take(result<T> given) {
  if (!given) {
    throw std::runtime_error(given.error().code + " " + given.error().text);
  }
  return std::move(given).value();
}
void take(const status& given) {
  if (!given) {
    throw std::runtime_error(given.error().code + " " + given.error().text);
  }
}

/// A database of its own, dropped at the end.
class scratch {
 public:
  explicit scratch(std::string server) : server_(std::move(server)) {
    run(server_, "DROP DATABASE IF EXISTS pawl_bench WITH (FORCE)");
    run(server_, "CREATE DATABASE pawl_bench");
  }
  ~scratch() {
    try {
      run(server_, "DROP DATABASE IF EXISTS pawl_bench WITH (FORCE)");
    } catch (const std::exception& failed) {
      fmt::print(stderr, "{}\n", failed.what());
    }
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  [[nodiscard]] std::string url() const { return server_ + " dbname=pawl_bench"; }

 private:
  static void run(const std::string& url, const std::string& sql) {
    pqxx::connection connection(url);
    pqxx::nontransaction direct(connection);
    direct.exec("SET client_min_messages = error");
    direct.exec(sql);
  }

  std::string server_;
};

struct message_batch {
  std::vector<ledger_row> ledger;
  std::unordered_map<int, int> sums;  ///< folded: how much to which key
};

message_batch make_batch(std::mt19937_64& random, int size) {
  message_batch batch;
  batch.ledger.resize(static_cast<std::size_t>(size));
  for (ledger_row& row : batch.ledger) {
    const std::array<std::uint64_t, 2> halves{random(), random()};
    std::memcpy(row.key.bytes.data(), halves.data(), sizeof halves);
    row.content.value = random();
    ++batch.sums[static_cast<int>(random() % keys)];
  }
  return batch;
}

std::string sku(int key) { return "sku-" + std::to_string(key); }

class bare_statements {
 public:
  explicit bare_statements(const std::string& url) : connection_(url) {
    connection_.prepare("ledger",
                        "INSERT INTO bare_ledger (id) SELECT unnest($1::uuid[]) ON CONFLICT DO "
                        "NOTHING RETURNING id");
    connection_.prepare("add",
                        "UPDATE bare_stock AS s SET reserved = s.reserved + d.n FROM "
                        "unnest($1::text[], $2::bigint[]) AS d(sku, n) WHERE s.sku = d.sku");
  }

  void commit(const message_batch& batch) {
    std::string ids = "{";
    for (const ledger_row& row : batch.ledger) {
      ids += ids.size() > 1 ? "," : "";
      ids += to_hex(row.key);
    }
    std::string skus = "{";
    std::string sums = "{";
    for (const auto& [key, sum] : batch.sums) {
      skus += skus.size() > 1 ? "," : "";
      skus += sku(key);
      sums += sums.size() > 1 ? "," : "";
      sums += std::to_string(sum);
    }
    pqxx::work work(connection_);
    work.exec_prepared("ledger", ids + "}");
    work.exec_prepared("add", skus + "}", sums + "}");
    work.commit();
  }

 private:
  pqxx::connection connection_;
};

class fenced_session {
 public:
  explicit fenced_session(store& database) {
    const std::vector<std::string> names{"stock"};
    tables_ = take(database.read_catalog(names));
    keeper_ = take(database.open_keeper());
    const auto node = take(keeper_->register_node({"bench", 64, "node-1", 60'000}));
    grants_ = take(keeper_->take_leases(node));
    session_ = take(database.open_commit({node, "bench", 0, {}}, &tables_));
    shape_ = shapes_.intern({effect_kind::add, "stock", {"sku"}, {"reserved"}});
  }

  void commit(const message_batch& batch) {
    effect_statement statement;
    statement.shape = shape_;
    statement.rows.reserve(batch.sums.size());
    for (const auto& [key, sum] : batch.sums) {
      statement.rows.push_back({0, {value::text(sku(key)), value::integer(sum)}});
    }
    step(0, [&] { take(session_->begin()); });
    step(1, [&] { take(session_->fence(grants_)); });
    step(2, [&] { take(session_->insert_ledger(batch.ledger)); });
    step(3, [&] { take(session_->apply(statement)); });
    step(4, [&] { take(session_->check_constraints()); });
    step(5, [&] { take(session_->commit()); });
    ++commits_;
  }

  void print_steps() const {
    constexpr std::array<std::string_view, 6> names{"begin", "fence",       "ledger",
                                                    "add",   "constraints", "commit"};
    for (std::size_t at = 0; at < names.size(); ++at) {
      fmt::print("  {:<12}{:8.3f} ms\n", names[at], spent_[at].count() * 1e3 / commits_);
    }
  }

 private:
  template <class Work>
  void step(std::size_t at, Work&& work) {
    const auto from = std::chrono::steady_clock::now();
    work();
    spent_[at] += std::chrono::steady_clock::now() - from;
  }

  catalog tables_;
  shape_registry shapes_;
  std::unique_ptr<keeper_session> keeper_;
  std::vector<shard_grant> grants_;
  std::unique_ptr<commit_session> session_;
  const effect_shape* shape_ = nullptr;
  std::array<seconds, 6> spent_{};
  int commits_ = 0;
};

/// Messages a second.
template <class Committer>
double measure(Committer& committer, std::mt19937_64& random, int size, seconds time) {
  std::int64_t messages = 0;
  seconds spent{};
  while (spent < time) {
    const message_batch batch = make_batch(random, size);
    const auto from = std::chrono::steady_clock::now();
    committer.commit(batch);
    spent += std::chrono::steady_clock::now() - from;
    messages += size;
  }
  return static_cast<double>(messages) / spent.count();
}

int run(const std::string& server, int size, seconds time) {
  const scratch database(server);
  auto store = take(open_postgres_store(database.url()));
  take(store->migrate());
  take(store->execute_script(fmt::format(
      "CREATE TABLE bare_ledger (id uuid PRIMARY KEY); CREATE TABLE bare_stock (sku text PRIMARY "
      "KEY, reserved bigint NOT NULL DEFAULT 0); CREATE TABLE stock (LIKE bare_stock INCLUDING "
      "ALL); INSERT INTO bare_stock SELECT 'sku-' || n FROM generate_series(0, {}) AS n; INSERT "
      "INTO stock SELECT * FROM bare_stock",
      keys - 1)));
  bare_statements bare(database.url());
  fenced_session session(*store);
  std::mt19937_64 random(7);
  double bare_rate = 0;
  double session_rate = 0;
  for (int turn = 0; turn < turns; ++turn) {
    bare_rate += measure(bare, random, size, time / (2 * turns)) / turns;
    session_rate += measure(session, random, size, time / (2 * turns)) / turns;
  }
  fmt::print("ledger + add, {} messages a commit, {} keys, one connection\n", size, keys);
  fmt::print("  bare statements {:10.0f} messages/s\n", bare_rate);
  fmt::print("  session         {:10.0f} messages/s ({:.0f} %)\n", session_rate,
             100 * session_rate / bare_rate);
  session.print_steps();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const char* from_environment = std::getenv("PAWL_TEST_POSTGRES");
  const std::string server = count > 1 ? arguments[1] : from_environment ? from_environment : "";
  if (server.empty()) {
    fmt::print(stderr, "bench_postgres: name a server: a connection string, or tools/pg.sh run\n");
    return 2;
  }
  try {
    return run(server, count > 2 ? std::atoi(arguments[2]) : 1024,
               seconds(count > 3 ? std::atof(arguments[3]) : 8));
  } catch (const std::exception& failed) {
    fmt::print(stderr, "bench_postgres: {}\n", failed.what());
    return 1;
  }
}
