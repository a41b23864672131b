#include "storage/sqlite_store.hpp"

#include "storage/sqlite_admin.hpp"
#include "storage/sqlite_catalog.hpp"
#include "storage/sqlite_commit.hpp"
#include "storage/sqlite_db.hpp"
#include "storage/sqlite_janitor.hpp"
#include "storage/sqlite_keeper.hpp"
#include "storage/sqlite_migrations.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace pawl {

namespace {

class sqlite_store final : public store {
 public:
  explicit sqlite_store(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return "sqlite"; }
  [[nodiscard]] bool folds() const noexcept override { return false; }
  [[nodiscard]] bool parallel_commits() const noexcept override { return false; }

  result<int> schema_version() override {
    std::error_code ignored;
    if (!std::filesystem::exists(file_, ignored)) {
      return 0;
    }
    return with_db(sqlite_access::read, sqlite_schema_version);
  }
  [[nodiscard]] int wanted_version() const noexcept override { return sqlite_wanted_version(); }
  result<int> migrate() override { return with_db(sqlite_access::create, migrate_sqlite); }

  result<catalog> read_catalog(std::span<const std::string> tables) override {
    return with_db(sqlite_access::read, [tables](sqlite_db& db) {
      return db.snapshot([&] { return read_sqlite_catalog(db, tables); });
    });
  }
  result<std::vector<std::string>> table_names() override {
    return with_db(sqlite_access::read, sqlite_table_names);
  }
  status execute_script(const std::string& sql) override {
    return in_users_words(with_db(sqlite_access::create, [&sql](sqlite_db& db) {
      db.transaction([&] { db.execute(sql); });
    }));
  }
  result<query_rows> query(const std::string& sql) override {
    return in_users_words(with_db(sqlite_access::read, [&sql](sqlite_db& db) {
      query_rows answer;
      sqlite_statement statement(db.handle(), sql);
      for (int column = 0; column < statement.columns(); ++column) {
        answer.columns.push_back(statement.column_name(column));
      }
      statement.each([&](const sqlite_statement& row) {
        auto& values = answer.rows.emplace_back();
        for (int column = 0; column < row.columns(); ++column) {
          values.push_back(row.is_null(column) ? std::nullopt : std::optional(row.text(column)));
        }
      });
      return answer;
    }));
  }

  result<std::unique_ptr<commit_session>> open_commit(const commit_identity& identity,
                                                      const catalog* tables) override {
    return open<commit_session, sqlite_commit_session>(file_, identity, tables);
  }
  result<std::unique_ptr<keeper_session>> open_keeper() override {
    return open<keeper_session, sqlite_keeper_session>(file_, lock_ms);
  }
  result<std::unique_ptr<janitor_session>> open_janitor(const std::string& consumer) override {
    return open<janitor_session, sqlite_janitor_session>(file_, lock_ms, consumer);
  }
  result<std::unique_ptr<admin_session>> open_admin(const std::string& consumer) override {
    return open<admin_session, sqlite_admin_session>(file_, lock_ms, consumer);
  }

 private:
  static constexpr std::int64_t lock_ms = session_timeouts{}.lock_ms;

  template <class Work>
  auto with_db(sqlite_access access, Work&& work)
      -> result<decltype(work(std::declval<sqlite_db&>()))> {
    return answered([&] {
      sqlite_db db(file_, access, lock_ms);
      return work(db);
    });
  }
  template <class Port, class Session, class... Arguments>
  static result<std::unique_ptr<Port>> open(const Arguments&... arguments) {
    return answered(
        [&]() -> std::unique_ptr<Port> { return std::make_unique<Session>(arguments...); });
  }
  /// SQL that a person wrote is the request: what is wrong with it is theirs to mend.
  template <class Answer>
  static Answer in_users_words(Answer answer) {
    if (!answer.ok() && answer.error().kind != fault::retry) {
      return error{fault::refused, answer.error().code, answer.error().text};
    }
    return answer;
  }

  std::string file_;
};

}  // namespace

result<std::unique_ptr<store>> open_sqlite_store(const std::string& file) {
  if (file.empty() || file == ":memory:" || file.starts_with("file:")) {
    return error{fault::refused, "file",
                 fmt::format("'{}' is no file that several connections can open: write "
                             "`sqlite:PATH`, or `memory:` for a store that is gone at the end",
                             file)};
  }
  return std::unique_ptr<store>(std::make_unique<sqlite_store>(file));
}

}  // namespace pawl
