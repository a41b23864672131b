#include "storage/sqlite_db.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pawl {

sqlite_failure last_failure(sqlite3* db, bool at_run_time) {
  const int code = db == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(db);
  const char* text = db == nullptr ? "out of memory" : sqlite3_errmsg(db);
  return {classify_sqlite(code, at_run_time), std::to_string(code), text};
}

std::string quoted(std::string_view identifier) {
  std::string text = "\"";
  for (const char c : identifier) {
    text.append(c == '"' ? 2 : 1, c);
  }
  return text += '"';
}

std::string quoted_table(std::string_view table) {
  constexpr std::string_view schema = "main.";
  if (table.starts_with(schema)) {
    table.remove_prefix(schema.size());
  }
  return "main." + quoted(table);
}

sqlite_statement::sqlite_statement(sqlite3* db, std::string_view sql) : db_(db) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (code != SQLITE_OK) {
    throw last_failure(db, false);
  }
  handle_.reset(handle);
}

void sqlite_statement::check(int code) const {
  if (code != SQLITE_OK) {
    throw last_failure(db_, true);
  }
}

void sqlite_statement::bind(int index, std::nullptr_t) {
  check(sqlite3_bind_null(handle_.get(), index));
}

void sqlite_statement::bind(int index, std::int64_t number) {
  check(sqlite3_bind_int64(handle_.get(), index, number));
}

// A null destructor is SQLITE_STATIC: the bytes are ours and outlive the step. A null pointer would
// bind NULL.
void sqlite_statement::bind(int index, std::string_view text) {
  const char* bytes = text.data() == nullptr ? "" : text.data();
  check(sqlite3_bind_text64(handle_.get(), index, bytes, text.size(), nullptr, SQLITE_UTF8));
}

void sqlite_statement::bind(int index, sqlite_blob blob) {
  const char* bytes = blob.bytes.data() == nullptr ? "" : blob.bytes.data();
  check(sqlite3_bind_blob64(handle_.get(), index, bytes, blob.bytes.size(), nullptr));
}

void sqlite_statement::bind(int index, const ledger_key& key) {
  check(sqlite3_bind_blob64(handle_.get(), index, key.bytes.data(), key.bytes.size(), nullptr));
}

std::int64_t sqlite_statement::finish() {
  while (step()) {
  }
  reset();
  return sqlite3_changes64(db_);
}

bool sqlite_statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code == SQLITE_DONE) {
    return false;
  }
  sqlite_failure failure = last_failure(db_, true);
  // A step compiles its statement anew after a change of the schema, and fails with the same plain
  // ERROR as an expression that can't be computed. Compiling it once more tells them apart.
  if ((code & 0xff) == SQLITE_ERROR) {
    sqlite3_stmt* again = nullptr;
    if (sqlite3_prepare_v2(db_, sqlite3_sql(handle_.get()), -1, &again, nullptr) != SQLITE_OK) {
      failure = last_failure(db_, false);
    }
    sqlite3_finalize(again);
  }
  reset();
  throw failure;
}

bool sqlite_statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::int64_t sqlite_statement::number(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

std::string sqlite_statement::text(int column) const {
  const bool is_blob = sqlite3_column_type(handle_.get(), column) == SQLITE_BLOB;
  const void* bytes = is_blob ? sqlite3_column_blob(handle_.get(), column)
                              : sqlite3_column_text(handle_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

ledger_key sqlite_statement::key(int column) const {
  ledger_key key;
  const void* bytes = sqlite3_column_blob(handle_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  if (bytes != nullptr) {
    std::memcpy(key.bytes.data(), bytes, std::min(size, key.bytes.size()));
  }
  return key;
}

std::string sqlite_statement::column_name(int column) const {
  const char* name = sqlite3_column_name(handle_.get(), column);
  return name == nullptr ? "" : name;
}

namespace {

int open_flags(sqlite_access access) {
  switch (access) {
    case sqlite_access::create:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case sqlite_access::write:
      return SQLITE_OPEN_READWRITE;
    case sqlite_access::read:
      break;
  }
  return SQLITE_OPEN_READONLY;
}

/// Waits for the writer lock a millisecond at a time. SQLite's own handler sleeps ten times longer,
/// and beside a committer that begins anew at once it hardly ever meets a gap.
int wait_a_little(void* lock_ms, int calls) {
  if (calls >= *static_cast<const int*>(lock_ms)) {
    return 0;
  }
  sqlite3_sleep(1);
  return 1;
}

}  // namespace

sqlite_db::sqlite_db(const std::string& file, sqlite_access access, std::int64_t lock_ms)
    : lock_ms_(static_cast<int>(lock_ms)) {
  sqlite3* handle = nullptr;
  const int flags = open_flags(access) | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) {
    error what = last_failure(handle, false).what_happened();
    what.text = fmt::format("{}: {}", file, what.text);
    throw sqlite_failure(std::move(what));
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_handler(handle, wait_a_little, &lock_ms_);
  execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  if (access != sqlite_access::read) {
    use_wal(file);
  }
}

void sqlite_db::use_wal(const std::string& file) {
  std::string mode;
  const auto keep = [&mode](const sqlite_statement& row) { mode = row.text(0); };
  one("PRAGMA journal_mode", keep);
  if (mode == "wal") {
    return;
  }
  one("PRAGMA journal_mode = WAL", keep);
  if (mode != "wal") {
    throw sqlite_failure(
        fault::deployment, "journal_mode",
        fmt::format("{}: SQLite can't keep a write-ahead log there (it stays with '{}'): put the "
                    "file on a local disk",
                    file, mode));
  }
}

sqlite_statement& sqlite_db::prepared(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    auto statement = std::make_unique<sqlite_statement>(handle_.get(), sql);
    found = statements_.emplace(std::string(sql), std::move(statement)).first;
  }
  return *found->second;
}

store_time_ms sqlite_db::now() {
  return *number(
      "SELECT CAST(strftime('%s','now') AS INTEGER) * 1000"
      " + CAST(substr(strftime('%f','now'), 4) AS INTEGER)");
}

void sqlite_db::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw last_failure(handle_.get(), false);
  }
}

void sqlite_db::roll_back() noexcept {
  if (in_transaction()) {
    sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

}  // namespace pawl
