#pragma once

#include "protocol/effect.hpp"
#include "protocol/result.hpp"
#include "storage/rows.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pawl {

struct shard_grant {
  shard_id shard;
  lease_epoch epoch;
};

struct ledger_row {
  ledger_key key;
  fingerprint content;
};

/// A write of one entity's row by compare-and-set on its revision. `expected` 0: insert.
struct entity_write {
  entity_ref entity;
  shard_id shard;
  entity_revision expected;
  entity_row row;  ///< the new row; its revision is higher than `expected`
};

/// One statement of a plan: rows of one shape. `values` are laid out as in `effect`.
struct effect_row {
  std::uint32_t item = 0;  ///< whose effect it is; of folded effects the last one's
  std::vector<value> values;
};

struct effect_statement {
  const effect_shape* shape = nullptr;
  bool guard = false;  ///< an `insert` that decides: conflicts are answered, not errors
  /// Of a guard: columns whose difference from an existing row means `conflict` (those that no
  /// other shape writes). Subset of the shape's columns.
  std::vector<std::string> compared;
  std::vector<effect_row> rows;
};

enum class row_verdict : std::uint8_t { written, duplicate, conflict };

/// Rows to be locked before effects, in a table that two committers can meet in.
struct row_locks {
  std::string table;
  std::vector<std::string> key;
  struct row {
    std::vector<value> key;
    const effect_shape* creator = nullptr;  ///< the shape that creates it if it is missing; may be
                                            ///< null
    std::vector<value> creator_values;
  };
  std::vector<row> rows;
};

struct entity_query {
  entity_ref entity;
  std::vector<ledger_key> ledger;  ///< keys to look up besides, for handlers that read state
};

struct entity_answer {
  loaded_entity entity;
  std::vector<std::optional<guard_trace>> ledger;
};

/// One committer's connection: the commit in named steps (commit.md section 1), and the reads of
/// the entities it commits. Made and used by one thread. Steps come in the order of this class;
/// after any error the caller rolls back (to the savepoint, or whole). A lost connection is
/// `retry`, and `begin` connects anew. All times below the lease time.
class commit_session {
 public:
  virtual ~commit_session() = default;

  /// Opens the transaction.
  virtual status begin() = 0;
  /// Takes the fence, reads the epochs behind it, raises this committer's token. Answers those of
  /// `shards` whose epoch is another by now; then the caller rolls back.
  virtual result<std::vector<shard_id>> fence(std::span<const shard_grant> shards) = 0;
  /// Deletes stored rows that are being redriven; false where it was gone already.
  virtual result<std::vector<bool>> claim(std::span<const stored_ref> refs) = 0;
  /// Inserts ledger rows (keys differ). Nothing where it was fresh (and is inserted now), else what
  /// was there: in the current or a frozen generation, a dead letter (not a `conflict` one) or a
  /// parked row.
  virtual result<std::vector<std::optional<guard_trace>>> insert_ledger(
      std::span<const ledger_row> rows) = 0;
  /// Looks up dead letters (not `conflict` ones) and parked rows by key, and the ledger too if
  /// asked.
  virtual result<std::vector<std::optional<guard_trace>>> find(std::span<const ledger_key> keys,
                                                               bool in_ledger) = 0;
  /// Writes entity rows; false where the revision was another (nothing is written there).
  virtual result<std::vector<bool>> move_entities(std::span<const entity_write> writes) = 0;
  /// Locks rows, in the order of their keys as the database orders them. No-op where one writer at
  /// a time is the rule.
  virtual status lock_rows(const row_locks& locks) = 0;
  /// Runs one statement. Guards answer per row; others are `written` or the whole statement fails
  /// (`poison` too if a row was not written: commit.md section 3).
  virtual result<std::vector<row_verdict>> apply(const effect_statement& statement) = 0;
  /// True where the row is new; a known one (same key and fingerprint) is counted, and one of
  /// reason `conflict` takes the new reason: it is a guard from now on, and may block.
  virtual result<std::vector<bool>> write_dead_letters(std::span<const dead_letter_row> rows) = 0;
  virtual status write_parked(std::span<const parked_row> rows) = 0;
  /// Makes deferred constraints speak now; afterwards they are as the catalog says. Cheap where
  /// there are none.
  virtual status check_constraints() = 0;
  /// COMMIT, alone. `in_doubt`: ask `was_committed`.
  virtual status commit() = 0;
  /// Never fails: a broken connection is dropped.
  virtual void rollback() noexcept = 0;

  virtual status savepoint() = 0;    ///< opens one inside the last
  virtual status release() = 0;      ///< keeps what the innermost one did
  virtual status rollback_to() = 0;  ///< undoes and removes the innermost one; `retry` if the
                                     ///< transaction is gone

  /// After `in_doubt`: on a new connection, whether the last commit happened. Waits for the old
  /// backend.
  virtual result<bool> was_committed() = 0;

  /// Reads entities, each as its own last commit left it. Outside of a transaction.
  virtual result<std::vector<entity_answer>> load(std::span<const entity_query> queries) = 0;
  /// Parked rows of one entity: those `behind_dead` by sequence, or those of a `gap` by version;
  /// `limit` at most.
  virtual result<std::vector<parked_row>> load_parked(const entity_ref& entity, park_reason why,
                                                      std::size_t limit) = 0;
  /// The dead letter with that id; nothing if it is gone.
  virtual result<std::optional<dead_letter_row>> load_dead_letter(std::int64_t id) = 0;
};

}  // namespace pawl
