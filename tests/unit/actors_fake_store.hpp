#pragma once

#include "protocol/contract.hpp"
#include "storage/batch.hpp"
#include "storage/commit_session.hpp"
#include "storage/janitor_session.hpp"

#include <map>
#include <string>
#include <vector>

namespace pawl::actors_test {

/// What a committer with its store makes of one part (commit.md section 2), in memory and without
/// effects: that a message was applied is its effect.
class fake_store {
 public:
  struct kept {
    addressed_ptr pair;
    fingerprint content;
    park_reason why = park_reason::behind_dead;
    std::string reason;
    bool blocks = false;
    dead_letter_mark mark = dead_letter_mark::none;
  };

  part_answer commit(const commit_part& part);
  [[nodiscard]] entity_answer load(const entity_query& query) const;
  /// In order of parking, or of version; `limit` at most.
  [[nodiscard]] std::vector<kept> load_parked(const entity_ref& entity, park_reason why,
                                              std::size_t limit) const;
  [[nodiscard]] std::vector<undrained_entity> undrained() const;

  std::map<entity_ref, entity_row> rows;
  std::map<ledger_key, fingerprint> ledger;
  std::map<std::int64_t, kept> letters;
  std::map<std::int64_t, kept> parked;
  std::map<entity_ref, std::vector<addressed_ptr>> applied;
  std::map<std::string, int> refusals;  ///< by id: how often the store will still refuse it
  std::int64_t next_number = 1;

 private:
  struct verdict {
    bool fresh = true;
    bool conflict = false;
  };
  [[nodiscard]] verdict guard(const commit_item& item);
  bool claim(const stored_ref& from);
  outcome write(const commit_item& item, const commit_part& part, verdict said);
  [[nodiscard]] std::optional<fingerprint> aside(const ledger_key& key) const;
};

}  // namespace pawl::actors_test
