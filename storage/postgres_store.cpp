#include "storage/postgres_store.hpp"

#include "storage/postgres_admin.hpp"
#include "storage/postgres_catalog.hpp"
#include "storage/postgres_commit.hpp"
#include "storage/postgres_janitor.hpp"
#include "storage/postgres_keeper.hpp"
#include "storage/postgres_migrations.hpp"

#include <utility>

namespace pawl {

namespace {

constexpr int oldest_server = 130000;

/// Only makes connections, each call its own: that is what makes it thread-safe.
class postgres_store final : public store {
 public:
  explicit postgres_store(std::string url) : url_(std::move(url)) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return "postgresql"; }
  [[nodiscard]] bool folds() const noexcept override { return true; }
  [[nodiscard]] bool parallel_commits() const noexcept override { return true; }
  [[nodiscard]] int wanted_version() const noexcept override { return postgres_schema_wanted(); }

  result<int> schema_version() override {
    return connected(
        [](postgres_connection& connection) { return postgres_schema_version(connection); });
  }

  result<int> migrate() override {
    auto link = make_link();
    return link ? migrate_postgres(*link) : result<int>(link.error());
  }

  result<catalog> read_catalog(std::span<const std::string> tables) override {
    return connected(
        [&](postgres_connection& connection) { return read_postgres_catalog(connection, tables); });
  }

  result<std::vector<std::string>> table_names() override {
    return connected(
        [](postgres_connection& connection) { return postgres_table_names(connection); });
  }

  status execute_script(const std::string& sql) override {
    auto link = make_link();
    if (!link) {
      return link.error();
    }
    return in_transaction(*link, [&](postgres_connection& connection) -> status {
      // Filling tables takes its time, and nobody waits for their rows yet.
      for (const std::string& text : {std::string("SET LOCAL statement_timeout = 0"), sql}) {
        if (auto run = connection.exec(text); !run) {
          return run.error();
        }
      }
      return {};
    });
  }

  result<query_rows> query(const std::string& sql) override;

  result<std::unique_ptr<commit_session>> open_commit(const commit_identity& identity,
                                                      const catalog* tables) override {
    auto link = make_link(identity.timeouts);
    if (!link) {
      return link.error();
    }
    return std::unique_ptr<commit_session>(
        std::make_unique<postgres_commit_session>(std::move(*link), identity, tables));
  }

  result<std::unique_ptr<keeper_session>> open_keeper() override {
    auto link = make_link();
    if (!link) {
      return link.error();
    }
    return std::unique_ptr<keeper_session>(
        std::make_unique<postgres_keeper_session>(std::move(*link)));
  }

  result<std::unique_ptr<janitor_session>> open_janitor(const std::string& consumer) override {
    auto link = make_link();
    if (!link) {
      return link.error();
    }
    auto number = number_of(*link, consumer);
    if (!number) {
      return number.error();
    }
    return std::unique_ptr<janitor_session>(
        std::make_unique<postgres_janitor_session>(std::move(*link), *number));
  }

  result<std::unique_ptr<admin_session>> open_admin(const std::string& consumer) override {
    auto link = make_link();
    if (!link) {
      return link.error();
    }
    auto number = number_of(*link, consumer);
    if (!number) {
      return number.error();
    }
    return std::unique_ptr<admin_session>(
        std::make_unique<postgres_admin_session>(std::move(*link), *number, consumer));
  }

 private:
  result<postgres_link> make_link(session_timeouts timeouts = {}) const {
    auto target = read_postgres_target(url_, timeouts);
    if (!target) {
      return target.error();
    }
    return postgres_link(std::move(*target), timeouts);
  }

  static result<consumer_number> number_of(postgres_link& link, const std::string& consumer) {
    auto got = link.get();
    if (!got) {
      return got.error();
    }
    return find_postgres_consumer(**got, consumer);
  }

  template <class Work>
  auto connected(Work&& work) -> decltype(work(std::declval<postgres_connection&>())) {
    auto link = make_link();
    if (!link) {
      return link.error();
    }
    auto got = link->get();
    if (!got) {
      return got.error();
    }
    return work(**got);
  }

  std::string url_;
};

result<query_rows> read_rows(postgres_connection& connection, const std::string& sql) {
  if (auto limited = connection.exec("SET TRANSACTION READ ONLY"); !limited) {
    return limited.error();
  }
  auto rows = connection.exec(sql);
  if (!rows) {
    return rows.error();
  }
  query_rows read;
  const auto columns = static_cast<std::size_t>(rows->columns());
  for (std::size_t column = 0; column < columns; ++column) {
    read.columns.emplace_back(rows->column_name(static_cast<pqxx::row::size_type>(column)));
  }
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    auto& fields = read.rows.emplace_back();
    for (std::size_t column = 0; column < columns; ++column) {
      const pg::cell cell(*rows, row, column);
      fields.push_back(cell.is_null() ? std::nullopt : std::optional(cell.text()));
    }
  }
  return read;
}

result<query_rows> postgres_store::query(const std::string& sql) {
  auto link = make_link();
  if (!link) {
    return link.error();
  }
  return in_transaction(
      *link, [&](postgres_connection& connection) { return read_rows(connection, sql); });
}

}  // namespace

result<std::unique_ptr<store>> open_postgres_store(const std::string& url) {
  auto target = read_postgres_target(url, {});
  if (!target) {
    return target.error();
  }
  auto connection = postgres_connection::open(*target, {});
  if (!connection) {
    return connection.error();
  }
  if (const int version = (*connection)->server_version(); version < oldest_server) {
    return error{
        fault::refused, "server",
        "the server is PostgreSQL " + std::to_string(version / 10000) + "; Pawl needs 13 or newer"};
  }
  return std::unique_ptr<store>(std::make_unique<postgres_store>(url));
}

}  // namespace pawl
