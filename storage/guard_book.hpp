#pragma once

#include "storage/batch.hpp"
#include "storage/commit_session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace pawl {

/// What the guards said of one item.
struct guard_answer {
  bool fresh = true;
  bool conflict = false;  ///< not fresh, and what is known under this key says something else
};

/// Decides which items of a transaction are fresh: by what was claimed, by the store's traces, and
/// by earlier items of the same transaction with the same key (commit.md section 2). Used by one
/// thread; its buffers are reused.
class guard_book {
 public:
  explicit guard_book(commit_session& session) : session_(session) {}

  /// Items that were read from the store are claimed first: one that is gone is not fresh, without
  /// conflict. Then the rest asks for traces; ledger rows of fresh ones are written. `items` are in
  /// the order of the batch; those of one entity stand together.
  result<std::span<const guard_answer>> decide(std::span<const commit_item* const> items);

 private:
  enum class question : std::uint8_t { insert, ledger, aside };

  struct asker {
    std::size_t item = 0;
    question asked = question::insert;
  };

  /// What is known of one key.
  struct key_state {
    bool ledger_known = false;
    bool aside_known = false;
    std::optional<fingerprint> in_ledger;
    std::optional<fingerprint> aside;  ///< dead letter or parked
    std::size_t claimer = no_item;     ///< the item whose parked row was claimed: before it, the
    fingerprint claimed;               ///< row still stood
    bool asking = false;
  };
  static constexpr std::size_t no_item = static_cast<std::size_t>(-1);

  status claim(std::span<const commit_item* const> items);
  void group_keys(std::span<const commit_item* const> items);
  [[nodiscard]] bool seeks(std::size_t item) const;
  bool settle(std::size_t item);
  void settle_by(std::size_t item, std::optional<fingerprint> trace);
  void leave_trace(std::size_t item);
  [[nodiscard]] static bool in_ledger(const commit_item& item);
  [[nodiscard]] static bool inserts(const commit_item& item);
  [[nodiscard]] question question_of(std::size_t item) const;
  status ask();
  void learn(std::size_t item, question asked, const std::optional<guard_trace>& trace);

  commit_session& session_;
  std::span<const commit_item* const> items_;
  std::vector<guard_answer> answers_;
  std::vector<bool> gone_;
  std::vector<key_state> keys_;
  std::vector<std::uint32_t> key_of_;  ///< by item
  std::unordered_map<ledger_key, std::uint32_t> twins_;
  std::vector<std::size_t> waiting_;
  std::vector<asker> askers_;
  std::vector<stored_ref> refs_;
  std::vector<ledger_row> rows_;
  std::vector<ledger_key> lookups_;
};

}  // namespace pawl
