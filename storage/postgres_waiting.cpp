#include "storage/postgres_waiting.hpp"

#include "storage/postgres_array.hpp"

#include <map>
#include <set>
#include <utility>

namespace pawl {

namespace {

using content_key = std::pair<ledger_key, std::uint64_t>;

std::optional<message_version> version_in(const pg::cell& cell) {
  return cell.is_null() ? std::nullopt : std::optional(message_version{cell.number()});
}

fingerprint content_in(const pg::cell& cell) { return {static_cast<std::uint64_t>(cell.number())}; }

/// Text without NUL, for explanations: they come from anywhere and must not fail their own dead
/// letter.
std::string printable(std::string text) {
  for (char& c : text) {
    c = c == '\0' ? ' ' : c;
  }
  return text;
}

parked_row read_parked(const pqxx::result& rows, std::size_t row) {
  parked_row parked;
  parked.key = ledger_key_from_uuid(pg::cell(rows, row, 0).view());
  parked.entity = {pg::cell(rows, row, 1).text(), pg::cell(rows, row, 2).text()};
  parked.shard.value = static_cast<std::uint32_t>(pg::cell(rows, row, 3).number());
  parked.sequence.value = pg::cell(rows, row, 4).number();
  parked.why = pg::cell(rows, row, 5).view() == name_of(park_reason::gap)
                   ? park_reason::gap
                   : park_reason::behind_dead;
  parked.version = version_in(pg::cell(rows, row, 6));
  parked.content = content_in(pg::cell(rows, row, 7));
  parked.envelope = bytes_from_hex(pg::cell(rows, row, 8).view());
  return parked;
}

dead_letter_row read_dead_letter(const pqxx::result& rows, std::size_t row) {
  dead_letter_row dead;
  dead.key = ledger_key_from_uuid(pg::cell(rows, row, 0).view());
  dead.entity = {pg::cell(rows, row, 1).text(), pg::cell(rows, row, 2).text()};
  dead.shard.value = static_cast<std::uint32_t>(pg::cell(rows, row, 3).number());
  dead.content = content_in(pg::cell(rows, row, 4));
  dead.reason = pg::cell(rows, row, 5).text();
  dead.text = pg::cell(rows, row, 6).text();
  dead.attempts = static_cast<int>(pg::cell(rows, row, 7).number());
  dead.blocks = pg::cell(rows, row, 8).truth();
  dead.version = version_in(pg::cell(rows, row, 9));
  dead.envelope = bytes_from_hex(pg::cell(rows, row, 10).view());
  dead.mark = dead_letter_mark_from(pg::cell(rows, row, 11).view());
  dead.count = pg::cell(rows, row, 12).number();
  dead.since = pg::cell(rows, row, 13).number();
  dead.id = pg::cell(rows, row, 14).number();
  return dead;
}

/// Rows of which no two are of one key and content, with how often each came.
struct distinct_rows {
  std::vector<std::size_t> first;  ///< where each came first
  std::vector<std::int64_t> counts;
  std::map<content_key, std::size_t> place;
};

distinct_rows merge(std::span<const dead_letter_row> rows) {
  distinct_rows merged;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto [known, fresh] =
        merged.place.try_emplace({rows[at].key, rows[at].content.value}, merged.first.size());
    if (fresh) {
      merged.first.push_back(at);
      merged.counts.push_back(rows[at].count);
    } else {
      merged.counts[known->second] += rows[at].count;
    }
  }
  return merged;
}

}  // namespace

std::string_view name_of(dead_letter_mark mark) {
  switch (mark) {
    case dead_letter_mark::retry:
      return "retry";
    case dead_letter_mark::discard:
      return "discard";
    case dead_letter_mark::none:
      break;
  }
  return "none";
}

dead_letter_mark dead_letter_mark_from(std::string_view name) {
  if (name == "retry") {
    return dead_letter_mark::retry;
  }
  return name == "discard" ? dead_letter_mark::discard : dead_letter_mark::none;
}

std::string milliseconds_sql(std::string_view timestamp) {
  return "floor(extract(epoch FROM " + std::string(timestamp) + ") * 1000)::bigint";
}

result<std::vector<bool>> postgres_waiting::claim(postgres_connection& connection,
                                                  std::span<const stored_ref> refs) const {
  std::set<std::pair<stored_ref::table, content_key>> gone;
  for (const auto from : {stored_ref::table::parked, stored_ref::table::dead_letter}) {
    array_literal keys;
    array_literal contents;
    bool any = false;
    for (const stored_ref& ref : refs) {
      if (ref.from == from) {
        keys.add(ref.key);
        contents.add(ref.content);
        any = true;
      }
    }
    if (!any) {
      continue;
    }
    const std::string table =
        from == stored_ref::table::parked ? "pawl.parked" : "pawl.dead_letter";
    auto deleted = connection.run(
        "DELETE FROM " + table + " AS w USING unnest($1::uuid[], $2::bigint[]) AS d(key, " +
            "fingerprint) WHERE w.consumer = " + consumer_ +
            " AND w.key = d.key AND w.fingerprint = d.fingerprint RETURNING w.key, w.fingerprint",
        {keys.take(), contents.take()});
    if (!deleted) {
      return deleted.error();
    }
    for (std::size_t row = 0; row < pg::row_count(*deleted); ++row) {
      gone.insert({from,
                   {ledger_key_from_uuid(pg::cell(*deleted, row, 0).view()),
                    content_in(pg::cell(*deleted, row, 1)).value}});
    }
  }
  std::vector<bool> claimed;
  claimed.reserve(refs.size());
  for (const stored_ref& ref : refs) {
    claimed.push_back(gone.contains({ref.from, {ref.key, ref.content.value}}));
  }
  return claimed;
}

result<std::vector<bool>> postgres_waiting::write_dead_letters(
    postgres_connection& connection, std::span<const dead_letter_row> rows) const {
  std::vector<bool> fresh(rows.size(), false);
  if (rows.empty()) {
    return fresh;
  }
  const distinct_rows merged = merge(rows);
  array_literal key, content, type, entity, shard, reason, text, attempts, blocks, version,
      envelope, seen;
  for (std::size_t at = 0; at < merged.first.size(); ++at) {
    const dead_letter_row& row = rows[merged.first[at]];
    key.add(row.key);
    content.add(row.content);
    type.add(row.entity.type);
    entity.add(row.entity.key);
    shard.add(row.shard);
    reason.add(row.reason);
    text.add(printable(row.text));
    attempts.add(std::int64_t{row.attempts});
    blocks.add_truth(row.blocks);
    version.add_optional(row.version);
    envelope.add_bytes(row.envelope);
    seen.add(merged.counts[at]);
  }
  const std::string keys = key.take();
  const std::string contents = content.take();
  const std::string counts = seen.take();
  auto inserted = connection.run(
      "INSERT INTO pawl.dead_letter (consumer, key, fingerprint, entity_type, entity_key, shard, "
      "reason, explanation, attempts, blocks, version, envelope, seen) SELECT " +
          consumer_ +
          ", d.* FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::int[], "
          "$6::text[], $7::text[], $8::int[], $9::boolean[], $10::bigint[], $11::bytea[], "
          "$12::bigint[]) AS d ON CONFLICT (consumer, key, fingerprint) DO NOTHING RETURNING key, "
          "fingerprint",
      {keys, contents, type.take(), entity.take(), shard.take(), reason.take(), text.take(),
       attempts.take(), blocks.take(), version.take(), envelope.take(), counts});
  if (!inserted) {
    return inserted.error();
  }
  array_literal known_keys, known_contents, known_counts, known_reasons, known_blocks;
  std::vector<bool> written(merged.first.size(), false);
  for (std::size_t row = 0; row < pg::row_count(*inserted); ++row) {
    const content_key found{ledger_key_from_uuid(pg::cell(*inserted, row, 0).view()),
                            content_in(pg::cell(*inserted, row, 1)).value};
    const std::size_t place = merged.place.at(found);
    written[place] = true;
    fresh[merged.first[place]] = true;
  }
  if (pg::row_count(*inserted) == merged.first.size()) {
    return fresh;
  }
  for (std::size_t at = 0; at < merged.first.size(); ++at) {
    if (!written[at]) {
      known_keys.add(rows[merged.first[at]].key);
      known_contents.add(rows[merged.first[at]].content);
      known_counts.add(merged.counts[at]);
      known_reasons.add(rows[merged.first[at]].reason);
      known_blocks.add_truth(rows[merged.first[at]].blocks);
    }
  }
  auto counted = connection.run(
      "UPDATE pawl.dead_letter AS l SET seen = l.seen + d.seen, blocks = l.blocks OR d.blocks, "
      "reason = CASE WHEN l.reason = 'conflict' THEN d.reason ELSE l.reason END FROM "
      "unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::boolean[]) "
      "AS d(key, fingerprint, seen, reason, blocks) WHERE l.consumer = " +
          consumer_ + " AND l.key = d.key AND l.fingerprint = d.fingerprint",
      {known_keys.take(), known_contents.take(), known_counts.take(), known_reasons.take(),
       known_blocks.take()});
  if (!counted) {
    return counted.error();
  }
  return fresh;
}

status postgres_waiting::write_parked(postgres_connection& connection,
                                      std::span<const parked_row> rows) const {
  if (rows.empty()) {
    return {};
  }
  array_literal key, type, entity, shard, why, version, content, envelope;
  for (const parked_row& row : rows) {
    key.add(row.key);
    type.add(row.entity.type);
    entity.add(row.entity.key);
    shard.add(row.shard);
    why.add(name_of(row.why));
    version.add_optional(row.version);
    content.add(row.content);
    envelope.add_bytes(row.envelope);
  }
  // Sequences are given in the order of the rows: identity values are drawn above the sort.
  auto inserted = connection.run(
      "INSERT INTO pawl.parked (consumer, key, entity_type, entity_key, shard, why, version, "
      "fingerprint, envelope) SELECT " +
          consumer_ +
          ", d.key, d.type, d.entity, d.shard, d.why, d.version, d.content, d.envelope FROM "
          "unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::text[], $6::bigint[], "
          "$7::bigint[], $8::bytea[]) WITH ORDINALITY AS d(key, type, entity, shard, why, version, "
          "content, envelope, ord) ORDER BY d.ord ON CONFLICT (consumer, key) DO NOTHING",
      {key.take(), type.take(), entity.take(), shard.take(), why.take(), version.take(),
       content.take(), envelope.take()});
  if (!inserted) {
    return inserted.error();
  }
  return {};
}

result<std::vector<parked_row>> postgres_waiting::parked_where(postgres_connection& connection,
                                                               std::string_view condition,
                                                               const pg::parameters& given) const {
  auto rows = connection.run(
      "SELECT key, entity_type, entity_key, shard, sequence, why, version, fingerprint, envelope "
      "FROM pawl.parked WHERE consumer = " +
          consumer_ + " AND " + std::string(condition),
      given);
  if (!rows) {
    return rows.error();
  }
  std::vector<parked_row> parked;
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    parked.push_back(read_parked(*rows, row));
  }
  return parked;
}

result<std::vector<dead_letter_row>> postgres_waiting::dead_where(
    postgres_connection& connection, std::string_view condition,
    const pg::parameters& given) const {
  auto rows = connection.run(
      "SELECT key, entity_type, entity_key, shard, fingerprint, reason, explanation, attempts, "
      "blocks, version, envelope, mark, seen, " +
          milliseconds_sql("since") + ", id FROM pawl.dead_letter WHERE consumer = " + consumer_ +
          " AND " + std::string(condition),
      given);
  if (!rows) {
    return rows.error();
  }
  std::vector<dead_letter_row> dead;
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    dead.push_back(read_dead_letter(*rows, row));
  }
  return dead;
}

result<std::vector<parked_row>> postgres_waiting::load_parked(postgres_connection& connection,
                                                              const entity_ref& entity,
                                                              park_reason why,
                                                              std::size_t limit) const {
  return parked_where(connection,
                      "entity_type = $1 AND entity_key = $2 AND why = '" +
                          std::string(name_of(why)) + "' ORDER BY " +
                          (why == park_reason::gap ? "version" : "sequence") + " LIMIT $3::bigint",
                      {entity.type, entity.key, std::to_string(limit)});
}

result<std::vector<parked_row>> postgres_waiting::load_all_parked(postgres_connection& connection,
                                                                  const entity_ref& entity,
                                                                  std::size_t limit) const {
  return parked_where(connection,
                      "entity_type = $1 AND entity_key = $2 ORDER BY why DESC, CASE WHEN why = "
                      "'gap' THEN version END, sequence LIMIT $3::bigint",
                      {entity.type, entity.key, std::to_string(limit)});
}

result<std::optional<parked_row>> postgres_waiting::find_parked(postgres_connection& connection,
                                                                const ledger_key& key) const {
  auto rows = parked_where(connection, "key = $1::uuid", {uuid_text(key)});
  if (!rows) {
    return rows.error();
  }
  return rows->empty() ? std::nullopt : std::optional(std::move(rows->front()));
}

result<std::optional<dead_letter_row>> postgres_waiting::find_dead_letter(
    postgres_connection& connection, std::int64_t id) const {
  auto rows = dead_where(connection, "id = $1::bigint", {std::to_string(id)});
  if (!rows) {
    return rows.error();
  }
  return rows->empty() ? std::nullopt : std::optional(std::move(rows->front()));
}

result<std::vector<dead_letter_row>> postgres_waiting::dead_letters_of(
    postgres_connection& connection, const ledger_key& key) const {
  return dead_where(connection, "key = $1::uuid ORDER BY id", {uuid_text(key)});
}

result<std::vector<dead_letter_row>> postgres_waiting::dead_letters(postgres_connection& connection,
                                                                    std::size_t limit) const {
  return dead_where(connection, "true ORDER BY id LIMIT $1::bigint", {std::to_string(limit)});
}

}  // namespace pawl
