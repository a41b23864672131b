#pragma once

#include "storage/rows.hpp"
#include "storage/sqlite_error.hpp"

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pawl {

/// Bytes that are bound as a BLOB.
struct sqlite_blob {
  std::string_view bytes;
};

/// One prepared statement, kept for the life of its connection. Bound text and bytes are not
/// copied: they live until the call returns. Throws `sqlite_failure`.
class sqlite_statement {
 public:
  sqlite_statement(sqlite3* db, std::string_view sql);

  /// Runs to the end with `values` as parameters 1, 2, ...; answers the rows it changed.
  template <class... Values>
  std::int64_t run(const Values&... values) {
    const scope resets{*this};
    bind_all(values...);
    return finish();
  }
  /// Calls `row(*this)` for the first row; false if there is none.
  template <class Row, class... Values>
  bool one(Row&& row, const Values&... values) {
    const scope resets{*this};
    bind_all(values...);
    if (!step()) {
      return false;
    }
    row(*this);
    return true;
  }
  /// Calls `row(*this)` for every row.
  template <class Row, class... Values>
  void each(Row&& row, const Values&... values) {
    const scope resets{*this};
    bind_all(values...);
    while (step()) {
      row(*this);
    }
  }

  void bind(int index, std::nullptr_t);
  void bind(int index, std::int64_t number);
  void bind(int index, std::string_view text);
  void bind(int index, sqlite_blob blob);
  void bind(int index, const std::string& text) { bind(index, std::string_view(text)); }
  void bind(int index, const char* text) { bind(index, std::string_view(text)); }
  template <std::integral Number>
  void bind(int index, Number number) {
    bind(index, static_cast<std::int64_t>(number));
  }
  template <class Tag, class Rep>
  void bind(int index, const strong<Tag, Rep>& number) {
    bind(index, static_cast<std::int64_t>(number.value));
  }
  void bind(int index, const ledger_key& key);
  void bind(int index, fingerprint content) {
    bind(index, static_cast<std::int64_t>(content.value));
  }
  template <class Value>
  void bind(int index, const std::optional<Value>& value) {
    value ? bind(index, *value) : bind(index, nullptr);
  }

  /// Steps with what was bound; answers the rows changed, and resets.
  std::int64_t finish();
  void reset() noexcept { sqlite3_reset(handle_.get()); }
  bool step();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;
  /// Text or bytes; empty for NULL.
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] ledger_key key(int column) const;
  [[nodiscard]] fingerprint content(int column) const {
    return {static_cast<std::uint64_t>(number(column))};
  }
  /// The highest number of a parameter.
  [[nodiscard]] int parameters() const { return sqlite3_bind_parameter_count(handle_.get()); }
  [[nodiscard]] int columns() const { return sqlite3_column_count(handle_.get()); }
  [[nodiscard]] std::string column_name(int column) const;
  [[nodiscard]] bool read_only() const { return sqlite3_stmt_readonly(handle_.get()) != 0; }

 private:
  struct scope {
    sqlite_statement& statement;
    ~scope() { statement.reset(); }
  };
  struct finalizer {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  template <class... Values>
  void bind_all(const Values&... values) {
    [[maybe_unused]] int index = 0;
    (bind(++index, values), ...);
  }
  void check(int code) const;

  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, finalizer> handle_;
};

enum class sqlite_access : std::uint8_t {
  create,  ///< makes the file if it is missing
  write,
  read,  ///< can't write, whatever statement it is given
};

/// One connection: WAL, synchronous=FULL, foreign keys on, and its prepared statements. Used by one
/// thread. Throws `sqlite_failure`.
class sqlite_db {
 public:
  sqlite_db(const std::string& file, sqlite_access access, std::int64_t lock_ms);
  sqlite_db(const sqlite_db&) = delete;  // the busy handler has its address
  sqlite_db& operator=(const sqlite_db&) = delete;

  /// The statement of that text, prepared once. The reference lasts as long as the connection; a
  /// statement is not used inside its own rows.
  sqlite_statement& prepared(std::string_view sql);
  template <class... Values>
  std::int64_t run(std::string_view sql, const Values&... values) {
    return prepared(sql).run(values...);
  }
  template <class Row, class... Values>
  bool one(std::string_view sql, Row&& row, const Values&... values) {
    return prepared(sql).one(row, values...);
  }
  template <class Row, class... Values>
  void each(std::string_view sql, Row&& row, const Values&... values) {
    prepared(sql).each(row, values...);
  }
  /// The number in the first row, or nothing if there is no row.
  template <class... Values>
  std::optional<std::int64_t> number(std::string_view sql, const Values&... values) {
    std::optional<std::int64_t> found;
    one(
        sql, [&](const sqlite_statement& row) { found = row.number(0); }, values...);
    return found;
  }

  /// The store's clock.
  [[nodiscard]] store_time_ms now();
  /// Runs statements from a script, unprepared.
  void execute(const std::string& sql);
  [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  /// Work under BEGIN IMMEDIATE, committed if it returns and undone if it throws.
  template <class Work>
  auto transaction(Work&& work) {
    run("BEGIN IMMEDIATE");
    const undo undoes{*this};
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      run("COMMIT");
    } else {
      auto answer = work();
      run("COMMIT");
      return answer;
    }
  }
  /// Reads from one snapshot.
  template <class Work>
  auto snapshot(Work&& work) {
    run("BEGIN");
    const undo undoes{*this};
    return work();
  }
  void roll_back() noexcept;

  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  struct undo {
    sqlite_db& db;
    ~undo() { db.roll_back(); }
  };
  struct closer {
    void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
  };
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  void use_wal(const std::string& file);

  int lock_ms_;  ///< read by the busy handler
  std::unique_ptr<sqlite3, closer> handle_;
  std::unordered_map<std::string, std::unique_ptr<sqlite_statement>, text_hash, std::equal_to<>>
      statements_;
};

/// The failure of a connection's last call.
[[nodiscard]] sqlite_failure last_failure(sqlite3* db, bool at_run_time);
/// An identifier, quoted.
[[nodiscard]] std::string quoted(std::string_view identifier);
/// A table as the user writes it, `table` or `main.table`, quoted.
[[nodiscard]] std::string quoted_table(std::string_view table);

}  // namespace pawl
