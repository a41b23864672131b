#include "storage/sqlite_admin.hpp"

#include "storage/sqlite_migrations.hpp"
#include "storage/sqlite_rows.hpp"

#include <iterator>
#include <utility>

namespace pawl {

sqlite_admin_session::sqlite_admin_session(const std::string& file, std::int64_t lock_ms,
                                           std::string consumer)
    : db_(file, sqlite_access::write, lock_ms), name_(std::move(consumer)), ledger_({}) {
  require_sqlite_schema(db_);
  consumer_ = find_consumer(db_, name_);
  ledger_ = sqlite_ledger(consumer_);
}

result<consumer_status> sqlite_admin_session::status_of() {
  return answered([&] {
    return db_.snapshot([&] {
      consumer_status found;
      found.consumer = name_;
      found.shards = static_cast<std::uint32_t>(
          db_.number("SELECT shards FROM pawl_consumer WHERE number = ?1", consumer_).value_or(0));
      db_.each(
          "SELECT l.shard, l.epoch, n.name, n.expires_ms - ?2 FROM pawl_lease AS l JOIN pawl_node"
          " AS n ON n.consumer = l.consumer AND n.number = l.node WHERE l.consumer = ?1"
          " ORDER BY l.shard",
          [&](const sqlite_statement& row) {
            found.leases.push_back({{static_cast<std::uint32_t>(row.number(0))},
                                    {row.number(1)},
                                    row.text(2),
                                    row.number(3)});
          },
          consumer_, db_.now());
      found.positions = read_positions(db_, consumer_);
      db_.one(
          "SELECT count(*) FILTER (WHERE why = 'behind_dead'), count(*) FILTER (WHERE why = 'gap')"
          " FROM pawl_parked WHERE consumer = ?1",
          [&](const sqlite_statement& row) {
            found.parked_behind_dead = row.number(0);
            found.parked_gap = row.number(1);
          },
          consumer_);
      found.blocked_entities =
          db_.number("SELECT count(*) FROM pawl_entity WHERE consumer = ?1 AND blocked = 1",
                     consumer_)
              .value_or(0);
      db_.each(
          "SELECT reason, count(*) FROM pawl_dead_letter WHERE consumer = ?1 GROUP BY reason",
          [&](const sqlite_statement& row) { found.dead_letters[row.text(0)] = row.number(1); },
          consumer_);
      return found;
    });
  });
}

result<ledger_status> sqlite_admin_session::ledger() {
  return answered([&] { return db_.snapshot([&] { return read_ledger(db_, consumer_); }); });
}

result<std::vector<dead_letter_row>> sqlite_admin_session::dead_letters(std::size_t limit) {
  return answered([&] { return read_dead_letters(db_, consumer_, limit); });
}

result<std::optional<dead_letter_row>> sqlite_admin_session::dead_letter(std::int64_t id) {
  return answered([&] { return read_dead_letter(db_, consumer_, id); });
}

result<bool> sqlite_admin_session::mark(std::int64_t id, dead_letter_mark mark) {
  return answered([&] {
    return db_.transaction([&] {
      return db_.run("UPDATE pawl_dead_letter SET mark = ?3 WHERE consumer = ?1 AND id = ?2",
                     consumer_, id, static_cast<int>(mark)) == 1;
    });
  });
}

result<std::optional<loaded_entity>> sqlite_admin_session::entity(const entity_ref& entity) {
  return answered([&] {
    return db_.snapshot([&]() -> std::optional<loaded_entity> {
      auto found = read_entity(db_, consumer_, entity);
      if (found.row.revision.value == 0 && !found.lowest_gap && !found.parked_behind) {
        return std::nullopt;
      }
      return found;
    });
  });
}

result<std::vector<parked_row>> sqlite_admin_session::parked(const entity_ref& entity,
                                                             std::size_t limit) {
  return answered([&] {
    return db_.snapshot([&] {
      auto found = read_parked(db_, consumer_, entity, park_reason::behind_dead, limit);
      auto gaps = read_parked(db_, consumer_, entity, park_reason::gap, limit - found.size());
      found.insert(found.end(), std::make_move_iterator(gaps.begin()),
                   std::make_move_iterator(gaps.end()));
      return found;
    });
  });
}

result<message_traces> sqlite_admin_session::trace(const ledger_key& key) {
  return answered([&] {
    return db_.snapshot([&] {
      message_traces traces;
      ledger_.refresh(db_);
      if (const auto row = ledger_.find_row(db_, key)) {
        traces.ledger = guard_trace{guard_trace::place::ledger, row->content};
        traces.ledger_generation = row->generation;
      }
      traces.dead_letters = read_dead_letters(db_, consumer_, key);
      traces.parked = read_parked(db_, consumer_, key);
      return traces;
    });
  });
}

result<std::vector<entity_ref>> sqlite_admin_session::entities(const std::string& type,
                                                               std::size_t limit) {
  return answered([&] {
    std::vector<entity_ref> found;
    db_.each(
        "SELECT entity_key FROM pawl_entity WHERE consumer = ?1 AND entity_type = ?2"
        " UNION SELECT entity_key FROM pawl_dead_letter WHERE consumer = ?1 AND entity_type = ?2"
        " UNION SELECT entity_key FROM pawl_parked WHERE consumer = ?1 AND entity_type = ?2"
        " ORDER BY entity_key LIMIT ?3",
        [&](const sqlite_statement& row) {
          found.push_back({type, row.text(0)});
        },
        consumer_, type, limit);
    return found;
  });
}

}  // namespace pawl
