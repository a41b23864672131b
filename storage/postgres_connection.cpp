#include "storage/postgres_connection.hpp"

#include <libpq-fe.h>

#include <exception>
#include <map>
#include <utility>

namespace pawl {

namespace {

std::string quote_setting(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') {
      quoted += '\\';
    }
    quoted += c;
  }
  return quoted + "'";
}

std::string hide(std::string text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
      text.replace(at, secret.size(), "***");
      at += 3;
    }
  }
  return text;
}

/// What a session must not inherit from server, database, role or environment (commit.md
/// section 1). `search_path` is the user's.
std::string session_settings(session_timeouts timeouts) {
  const std::string statement_ms = std::to_string(timeouts.statement_ms);
  return "SET client_min_messages = error; SET synchronous_commit = on; SET lock_timeout = " +
         std::to_string(timeouts.lock_ms) + "; SET statement_timeout = " + statement_ms +
         "; SET idle_in_transaction_session_timeout = " + statement_ms +
         "; SET default_transaction_isolation = 'read committed'"
         "; SET default_transaction_read_only = off; SET default_transaction_deferrable = off"
         "; SET client_encoding = 'UTF8'; SET DateStyle = 'ISO, MDY'"
         "; SET IntervalStyle = 'postgres'; SET bytea_output = 'hex'"
         "; SET standard_conforming_strings = on; SET session_replication_role = origin"
         // Compiling a set-based statement costs more than running it.
         "; SET jit = off";
}

}  // namespace

result<postgres_target> read_postgres_target(const std::string& url, session_timeouts timeouts) {
  char* complaint = nullptr;
  PQconninfoOption* options = PQconninfoParse(url.c_str(), &complaint);
  PQfreemem(complaint);  // not shown: it repeats parts of the string, perhaps the password
  if (options == nullptr) {
    return error{fault::refused, "url",
                 "the PostgreSQL address can't be read: write "
                 "postgresql://USER:PASSWORD@HOST:PORT/DATABASE (special characters as %XX) or "
                 "host=... dbname=..."};
  }
  std::map<std::string, std::string> settings{
      {"connect_timeout", "5"},     {"keepalives", "1"},
      {"keepalives_idle", "5"},     {"keepalives_interval", "2"},
      {"keepalives_count", "3"},    {"tcp_user_timeout", std::to_string(timeouts.statement_ms)},
      {"application_name", "pawl"},
  };
  postgres_target target;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val == nullptr) {
      continue;
    }
    settings[option->keyword] = option->val;
    const bool secret = std::string_view(option->keyword).find("password") != std::string::npos;
    if (secret && *option->val != '\0') {
      target.secrets.emplace_back(option->val);
    }
  }
  PQconninfoFree(options);
  settings["client_encoding"] = "UTF8";
  for (const auto& [keyword, setting] : settings) {
    target.connection_string += keyword + "=" + quote_setting(setting) + " ";
  }
  return target;
}

postgres_connection::postgres_connection(std::unique_ptr<pqxx::connection> connection,
                                         std::vector<std::string> secrets)
    : connection_(std::move(connection)), secrets_(std::move(secrets)) {
  pg::forbid_silent_reconnect(*connection_);
  direct_ = std::make_unique<pqxx::nontransaction>(*connection_);
}

result<std::unique_ptr<postgres_connection>> postgres_connection::open(
    const postgres_target& target, session_timeouts timeouts) {
  try {
    auto made = std::make_unique<pqxx::connection>(target.connection_string);
    std::unique_ptr<postgres_connection> opened(
        new postgres_connection(std::move(made), target.secrets));
    if (auto set = opened->exec(session_settings(timeouts)); !set) {
      return set.error();
    }
    return opened;
  } catch (const std::exception& thrown) {
    // Whatever keeps us out (no server, no such database, a wrong password) may be mended outside.
    error refused = error_from(thrown, {.connected = false});
    refused.text = hide(std::move(refused.text), target.secrets);
    return refused;
  }
}

const std::string& postgres_connection::prepared_name(const std::string& text) {
  if (const auto known = prepared_.find(text); known != prepared_.end()) {
    return known->second;
  }
  const std::string name = "pawl_" + std::to_string(prepared_.size() + 1);
  connection_->prepare(name, text);
  return prepared_.emplace(text, name).first->second;
}

result<pqxx::result> postgres_connection::run(const std::string& text,
                                              const pg::parameters& given) {
  for (const std::string& parameter : given) {
    if (parameter.find('\0') != std::string::npos) {
      // libpqxx would cut it there in silence: two ids that differ behind it would be one.
      return error{fault::poison, "22021",
                   "a text holds a NUL character, which PostgreSQL can't store"};
    }
  }
  try {
    return pg::exec_prepared(*direct_, prepared_name(text), given);
  } catch (const std::exception& thrown) {
    return explain(thrown, false);
  }
}

result<pqxx::result> postgres_connection::send(const std::string& sql, bool committing) {
  try {
    return direct_->exec(sql);
  } catch (const std::exception& thrown) {
    return explain(thrown, committing);
  }
}

status postgres_connection::commit() {
  if (auto sent = send("COMMIT", true); !sent) {
    return sent.error();
  }
  return {};
}

error postgres_connection::explain(const std::exception& thrown, bool committing) const {
  error what = error_from(thrown, {.connected = alive(), .committing = committing});
  what.text = hide(std::move(what.text), secrets_);
  return what;
}

result<postgres_connection*> postgres_link::get() {
  if (connection_ == nullptr || !connection_->alive()) {
    connection_.reset();
    auto opened = postgres_connection::open(target_, timeouts_);
    if (!opened) {
      return opened.error();
    }
    connection_ = std::move(*opened);
  }
  return connection_.get();
}

}  // namespace pawl
