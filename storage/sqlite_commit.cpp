#include "storage/sqlite_commit.hpp"

#include "storage/sqlite_migrations.hpp"
#include "storage/sqlite_rows.hpp"

#include <algorithm>

namespace pawl {

sqlite_commit_session::sqlite_commit_session(std::string file, const commit_identity& identity,
                                             const catalog* tables)
    : file_(std::move(file)),
      consumer_(identity.node.consumer),
      node_(identity.node.node),
      committer_(identity.committer),
      lock_ms_(identity.timeouts.lock_ms),
      effects_(tables),
      ledger_(identity.node.consumer) {
  require_sqlite_schema(connected());
}

sqlite_db& sqlite_commit_session::connected() {
  if (broken_) {
    drop();
  }
  if (!db_) {
    db_ = std::make_unique<sqlite_db>(file_, sqlite_access::write, lock_ms_);
    // Ledger keys are hashes, so a large commit touches about a page a row: those pages want to be
    // in memory (64 MB), and to be written several times to the log (32 MB) before once to the
    // file.
    db_->execute("PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 8000");
  }
  return *db_;
}

void sqlite_commit_session::drop() noexcept {
  effects_.forget();
  db_.reset();
  broken_ = false;
}

void sqlite_commit_session::require_transaction() const {
  if (!db_ || !db_->in_transaction()) {
    throw sqlite_failure(fault::retry, "no_transaction",
                         "SQLite has rolled the transaction back by itself");
  }
}

status sqlite_commit_session::begin() {
  return answered([&] { connected().run("BEGIN IMMEDIATE"); });
}

result<std::vector<shard_id>> sqlite_commit_session::fence(std::span<const shard_grant> shards) {
  return step([&](sqlite_db& db) {
    std::vector<shard_id> lost;
    for (const shard_grant& grant : shards) {
      const auto epoch =
          db.number("SELECT epoch FROM pawl_lease WHERE consumer = ?1 AND shard = ?2", consumer_,
                    grant.shard);
      if (epoch != grant.epoch.value) {
        lost.push_back(grant.shard);
      }
    }
    ledger_.refresh(db);
    token_ = *db.number(
        "INSERT INTO pawl_commit_token(consumer, node, committer, number) VALUES(?1, ?2, ?3, 1)"
        " ON CONFLICT DO UPDATE SET number = number + 1 RETURNING number",
        consumer_, node_, committer_);
    return lost;
  });
}

result<std::vector<bool>> sqlite_commit_session::claim(std::span<const stored_ref> refs) {
  return step([&](sqlite_db& db) {
    std::vector<bool> claimed;
    for (const stored_ref& ref : refs) {
      const auto gone = ref.from == stored_ref::table::parked
                            ? db.run("DELETE FROM pawl_parked WHERE consumer = ?1 AND key = ?2",
                                     consumer_, ref.key)
                            : db.run(
                                  "DELETE FROM pawl_dead_letter"
                                  " WHERE consumer = ?1 AND key = ?2 AND content = ?3",
                                  consumer_, ref.key, ref.content);
      claimed.push_back(gone == 1);
    }
    return claimed;
  });
}

result<std::vector<std::optional<guard_trace>>> sqlite_commit_session::insert_ledger(
    std::span<const ledger_row> rows) {
  return step([&](sqlite_db& db) {
    std::vector<std::optional<guard_trace>> traces(rows.size());
    std::int64_t added = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (ledger_.insert(db, rows[i].key, rows[i].content)) {
        ++added;
      } else {
        traces[i] = ledger_.find(db, rows[i].key, true);
      }
    }
    if (added > 0) {
      ledger_.count_rows(db, added);
    }
    return traces;
  });
}

result<std::vector<std::optional<guard_trace>>> sqlite_commit_session::find(
    std::span<const ledger_key> keys, bool in_ledger) {
  return step([&](sqlite_db& db) {
    std::vector<std::optional<guard_trace>> traces;
    for (const ledger_key& key : keys) {
      traces.push_back(ledger_.find(db, key, in_ledger));
    }
    return traces;
  });
}

result<std::vector<bool>> sqlite_commit_session::move_entities(
    std::span<const entity_write> writes) {
  return step([&](sqlite_db& db) {
    std::vector<bool> moved;
    for (const entity_write& write : writes) {
      const entity_row& row = write.row;
      std::optional<sqlite_blob> state;
      if (row.state) {
        state = sqlite_blob{*row.state};
      }
      const std::string_view sql =
          write.expected.value == 0
              ? "INSERT INTO pawl_entity(consumer, entity_type, entity_key, shard, revision,"
                " version, version_content, blocked, state)"
                " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE ?10 = 0 ON CONFLICT DO NOTHING"
              : "UPDATE pawl_entity SET shard = ?4, revision = ?5, version = ?6,"
                " version_content = ?7, blocked = ?8, state = ?9"
                " WHERE consumer = ?1 AND entity_type = ?2 AND entity_key = ?3 AND revision = ?10";
      moved.push_back(db.run(sql, consumer_, write.entity.type, write.entity.key, write.shard,
                             row.revision, row.version, row.version_content, row.blocked, state,
                             write.expected) == 1);
    }
    return moved;
  });
}

status sqlite_commit_session::lock_rows(const row_locks& /*locks*/) {
  return step([](sqlite_db& /*db*/) {});  // one writer at a time: every row is ours
}

result<std::vector<row_verdict>> sqlite_commit_session::apply(const effect_statement& statement) {
  return step([&](sqlite_db& db) { return effects_.apply(db, statement); });
}

result<std::vector<bool>> sqlite_commit_session::write_dead_letters(
    std::span<const dead_letter_row> rows) {
  return step([&](sqlite_db& db) {
    std::vector<bool> fresh;
    const store_time_ms now = rows.empty() ? 0 : db.now();
    for (const dead_letter_row& row : rows) {
      const auto written = db.run(
          "INSERT INTO pawl_dead_letter(consumer, key, content, entity_type, entity_key, shard,"
          " reason, text, attempts, blocks, version, envelope, mark, count, since_ms)"
          " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, ?13, ?14)"
          " ON CONFLICT(consumer, key, content) DO NOTHING",
          consumer_, row.key, row.content, row.entity.type, row.entity.key, row.shard, row.reason,
          row.text, row.attempts, row.blocks, row.version, sqlite_blob{row.envelope}, row.count,
          now);
      if (written == 0) {
        db.run(
            "UPDATE pawl_dead_letter SET count = count + ?4, blocks = max(blocks, ?5),"
            " reason = CASE WHEN reason = 'conflict' THEN ?6 ELSE reason END"
            " WHERE consumer = ?1 AND key = ?2 AND content = ?3",
            consumer_, row.key, row.content, row.count, row.blocks, row.reason);
      }
      fresh.push_back(written == 1);
    }
    return fresh;
  });
}

status sqlite_commit_session::write_parked(std::span<const parked_row> rows) {
  return step([&](sqlite_db& db) {
    for (const parked_row& row : rows) {
      db.run(
          "INSERT INTO pawl_parked(consumer, key, entity_type, entity_key, shard, why, version,"
          " content, envelope) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
          " ON CONFLICT(consumer, key) DO NOTHING",
          consumer_, row.key, row.entity.type, row.entity.key, row.shard, name_of(row.why),
          row.version, row.content, sqlite_blob{row.envelope});
    }
  });
}

status sqlite_commit_session::check_constraints() {
  return step([](sqlite_db& db) {
    int open = 0;
    int unused = 0;
    // Not zero exactly where COMMIT would refuse, and it costs nothing: PRAGMA foreign_key_check
    // would read whole tables.
    sqlite3_db_status(db.handle(), SQLITE_DBSTATUS_DEFERRED_FKS, &open, &unused, 0);
    if (open != 0) {
      throw sqlite_failure(fault::poison, std::to_string(SQLITE_CONSTRAINT_FOREIGNKEY),
                           "a deferred FOREIGN KEY constraint finds no parent row");
    }
  });
}

status sqlite_commit_session::commit() {
  status done = step([](sqlite_db& db) { db.run("COMMIT"); });
  if (done || !db_ || db_->in_transaction() || done.error().code == "no_transaction") {
    return done;
  }
  // The frames may be in the log without SQLite knowing (an fsync that failed): whoever opens the
  // file next decides, and the token says how.
  broken_ = true;
  return error{fault::in_doubt, done.error().code, done.error().text};
}

void sqlite_commit_session::rollback() noexcept {
  if (!db_) {
    return;
  }
  const int last = sqlite3_errcode(db_->handle()) & 0xff;
  broken_ = broken_ || last == SQLITE_IOERR || last == SQLITE_CORRUPT || last == SQLITE_NOTADB;
  db_->roll_back();
  if (broken_) {
    drop();
  }
}

// One name for all: SQLite's statements mean the innermost savepoint of a name.
status sqlite_commit_session::savepoint() {
  return step([](sqlite_db& db) { db.run("SAVEPOINT pawl"); });
}

status sqlite_commit_session::release() {
  return step([](sqlite_db& db) { db.run("RELEASE pawl"); });
}

status sqlite_commit_session::rollback_to() {
  return step([](sqlite_db& db) {
    db.run("ROLLBACK TO pawl");
    db.run("RELEASE pawl");
  });
}

result<bool> sqlite_commit_session::was_committed() {
  return answered([&] {
    broken_ = true;
    const auto number = connected().number(
        "SELECT number FROM pawl_commit_token WHERE consumer = ?1 AND node = ?2 AND committer = ?3",
        consumer_, node_, committer_);
    return token_ > 0 && number.value_or(0) >= token_;
  });
}

result<std::vector<entity_answer>> sqlite_commit_session::load(
    std::span<const entity_query> queries) {
  return answered([&] {
    sqlite_db& db = connected();
    return db.snapshot([&] {
      std::vector<entity_answer> answers;
      ledger_.refresh(db);
      for (const entity_query& query : queries) {
        entity_answer answer{read_entity(db, consumer_, query.entity), {}};
        for (const ledger_key& key : query.ledger) {
          answer.ledger.push_back(ledger_.find(db, key, true));
        }
        answers.push_back(std::move(answer));
      }
      return answers;
    });
  });
}

result<std::vector<parked_row>> sqlite_commit_session::load_parked(const entity_ref& entity,
                                                                   park_reason why,
                                                                   std::size_t limit) {
  return answered([&] { return read_parked(connected(), consumer_, entity, why, limit); });
}

result<std::optional<dead_letter_row>> sqlite_commit_session::load_dead_letter(std::int64_t id) {
  return answered([&] { return read_dead_letter(connected(), consumer_, id); });
}

}  // namespace pawl
