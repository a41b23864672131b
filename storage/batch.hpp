#pragma once

#include "protocol/effect.hpp"
#include "protocol/message.hpp"
#include "protocol/outcome.hpp"
#include "storage/rows.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// What is to be done with one pair in the commit.
enum class disposition : std::uint8_t {
  apply,        ///< guard, then effects
  settle,       ///< decided from the entity's version: stale, duplicate or conflict
  dead_letter,  ///< set aside after its attempts, or at once if undecodable
  park,         ///< behind a dead letter or a gap
  discard,      ///< a dead letter that a person gave up: leaves a ledger row, no effects
};

/// One pair of a part, with everything that its commit needs. Owned by the part.
struct commit_item {
  addressed_ptr pair;
  disposition what = disposition::apply;
  outcome settled = outcome::stale;  ///< of `settle`
  std::vector<effect> effects;       ///< of `apply`, in the handler's order
  /// The entity's row once this item has taken effect, if the item changes it; its revision is one
  /// above that of the item before (or of the part's `before`).
  std::optional<entity_row> after;
  /// The handler has read state and saw the message as fresh: if a guard disagrees, leaving this
  /// item out would keep its trace in the later state, so the whole part is reloaded.
  bool decided_fresh = false;
  std::optional<stored_ref> from;  ///< read from the store, not from a source
  park_reason park_why = park_reason::behind_dead;
  bool blocks = false;      ///< of `dead_letter`: the entity's later messages wait behind it
  std::string dead_reason;  ///< of `dead_letter`: one word
  std::string dead_text;    ///< the error, for a person
  int attempts = 0;
};

/// Consecutive messages of one entity. An entity has one part in one unfinished commit, never two.
struct commit_part {
  entity_ref entity;
  shard_id shard;
  lease_epoch epoch;
  entity_row before;  ///< the row that the items were decided against
  std::vector<commit_item> items;
};

enum class part_status : std::uint8_t {
  done,    ///< every item has its outcome
  failed,  ///< the item after those with an outcome failed with `why`, the rest was not tried
  reload,  ///< a guard or the entity's row disagreed: nothing more was done; load and decide again
  lost,    ///< the shard's epoch is not ours any more: nothing more was done, and nothing ever will
           ///< be
  held,    ///< a row was locked by somebody else, or the batch's `failure` came after the first
           ///< items were committed: nothing more was done; try again later
};

/// What a guard said of one item of a part that is to be reloaded: it was done before.
struct known_item {
  std::size_t item = 0;
  outcome what = outcome::duplicate;
};

/// What became of a part. `outcomes` belong to its first items and are durable, whatever the
/// status.
struct part_answer {
  part_status status = part_status::done;
  std::vector<outcome> outcomes;
  error why;  ///< of `failed` and `held`
  /// Of `reload`: items that must be settled as this when the part is decided again. Without it the
  /// second try would run into the same guard.
  std::vector<known_item> known;
};

}  // namespace pawl
