#pragma once

#include "protocol/result.hpp"
#include "storage/postgres_errors.hpp"
#include "storage/postgres_shim.hpp"
#include "storage/store.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pawl {

/// Where to connect, understood once. Its text never reaches an error or a log.
struct postgres_target {
  std::string connection_string;
  std::vector<std::string> secrets;  ///< passwords in it
};

/// Reads a `postgresql://` URL or a libpq string and adds time-outs that the user has not set.
/// `refused` if it can't be read; the text repeats nothing of it.
[[nodiscard]] result<postgres_target> read_postgres_target(const std::string& url,
                                                           session_timeouts timeouts);

/// One session of PostgreSQL with everything set that must not be inherited. Statements are sent
/// one by one and transactions opened by text, so that steps share round trips. A lost connection
/// stays lost: make a new object. Used by one thread.
class postgres_connection {
 public:
  [[nodiscard]] static result<std::unique_ptr<postgres_connection>> open(
      const postgres_target& target, session_timeouts timeouts);

  /// Sends text as it stands; several statements are answered by the last one's result.
  [[nodiscard]] result<pqxx::result> exec(const std::string& sql) { return send(sql, false); }
  /// Runs a statement that is prepared the first time its text comes. `poison` if a parameter holds
  /// a NUL byte.
  [[nodiscard]] result<pqxx::result> run(const std::string& text, const pg::parameters& given);
  /// COMMIT, alone. `in_doubt` if the connection is lost meanwhile.
  [[nodiscard]] status commit();

  /// As libpq says it: 150018 is 15.18.
  [[nodiscard]] int server_version() const { return connection_->server_version(); }
  [[nodiscard]] bool alive() const { return connection_->is_open(); }

 private:
  postgres_connection(std::unique_ptr<pqxx::connection> connection,
                      std::vector<std::string> secrets);

  result<pqxx::result> send(const std::string& sql, bool committing);
  const std::string& prepared_name(const std::string& text);
  error explain(const std::exception& thrown, bool committing) const;

  std::unique_ptr<pqxx::connection> connection_;
  std::unique_ptr<pqxx::nontransaction> direct_;
  std::vector<std::string> secrets_;
  std::unordered_map<std::string, std::string> prepared_;
};

/// A connection that is made when it is needed, and anew after it was lost. Used by one thread.
class postgres_link {
 public:
  postgres_link(postgres_target target, session_timeouts timeouts)
      : target_(std::move(target)), timeouts_(timeouts) {}

  [[nodiscard]] result<postgres_connection*> get();
  /// The connection as it is, perhaps lost; null if there is none.
  [[nodiscard]] postgres_connection* current() const { return connection_.get(); }
  void drop() noexcept { connection_.reset(); }
  [[nodiscard]] const session_timeouts& timeouts() const { return timeouts_; }

 private:
  postgres_target target_;
  session_timeouts timeouts_;
  std::unique_ptr<postgres_connection> connection_;
};

/// Runs `work(connection)`, which answers a result, in one transaction: committed if it is a value,
/// else rolled back. For work that may be done twice: a doubt about its commit is `retry`.
template <class Work>
auto in_transaction(postgres_link& link, Work&& work)
    -> decltype(work(std::declval<postgres_connection&>())) {
  auto got = link.get();
  if (!got) {
    return got.error();
  }
  postgres_connection& connection = **got;
  if (auto begun = connection.exec("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"); !begun) {
    return begun.error();
  }
  auto done = work(connection);
  if (!done) {
    if (!connection.exec("ROLLBACK")) {
      link.drop();
    }
    return done;
  }
  if (auto committed = connection.commit(); !committed) {
    link.drop();
    error why = committed.error();
    why.kind = why.kind == fault::in_doubt ? fault::retry : why.kind;
    return why;
  }
  return done;
}

}  // namespace pawl
