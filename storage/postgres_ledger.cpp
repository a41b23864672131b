#include "storage/postgres_ledger.hpp"

#include "storage/postgres_array.hpp"
#include "storage/postgres_migrations.hpp"

#include <charconv>
#include <unordered_map>

namespace pawl {

namespace {

/// `NOT EXISTS` for everything but the current table that says a key is done.
std::string unseen(consumer_number consumer, const generation_set& set) {
  std::string text;
  for (const int slot : set.frozen) {
    text += "NOT EXISTS (SELECT 1 FROM " + ledger_table_name(consumer, slot) +
            " AS f WHERE f.key = d.key) AND ";
  }
  const std::string number = std::to_string(consumer.value);
  return text + "NOT EXISTS (SELECT 1 FROM pawl.dead_letter AS l WHERE l.consumer = " + number +
         " AND l.key = d.key AND l.reason <> 'conflict') AND NOT EXISTS (SELECT 1 FROM "
         "pawl.parked AS p WHERE p.consumer = " +
         number + " AND p.key = d.key)";
}

/// Ordinal, place and fingerprint of every trace. A key in two places answers twice.
std::string traces(consumer_number consumer, const std::vector<int>& slots) {
  const std::string number = std::to_string(consumer.value);
  std::string text =
      "WITH d AS (SELECT * FROM unnest($1::uuid[]) WITH ORDINALITY AS d(key, ord)) "
      "SELECT d.ord, 2, p.fingerprint FROM d JOIN pawl.parked AS p ON p.consumer = " +
      number +
      " AND p.key = d.key UNION ALL SELECT d.ord, 1, l.fingerprint FROM d JOIN "
      "pawl.dead_letter AS l ON l.consumer = " +
      number + " AND l.key = d.key AND l.reason <> 'conflict'";
  for (const int slot : slots) {
    text += " UNION ALL SELECT d.ord, 0, g.fingerprint FROM d JOIN " +
            ledger_table_name(consumer, slot) + " AS g ON g.key = d.key";
  }
  return text;
}

constexpr guard_trace::place places[] = {
    guard_trace::place::ledger, guard_trace::place::dead_letter, guard_trace::place::parked};

}  // namespace

std::string generation_set_sql(std::string_view consumer) {
  return "(SELECT string_agg(slot::text, ',') FILTER (WHERE state = 'current') || ';' || "
         "coalesce(string_agg(slot::text, ',' ORDER BY slot) FILTER (WHERE state = 'frozen'), '') "
         "FROM pawl.generation WHERE consumer = " +
         std::string(consumer) + ")";
}

std::optional<generation_set> read_generation_set(std::string_view text) {
  const auto semicolon = text.find(';');
  if (semicolon == std::string_view::npos || semicolon == 0) {
    return std::nullopt;
  }
  generation_set set;
  const char* at = text.data();
  const char* const end = at + text.size();
  at = std::from_chars(at, end, set.current).ptr;
  while (at != end && at + 1 != end) {
    int slot = 0;
    at = std::from_chars(at + 1, end, slot).ptr;
    set.frozen.push_back(slot);
  }
  return set;
}

void postgres_ledger::use(const generation_set& set) {
  if (!insert_text_.empty() && set == set_) {
    return;
  }
  set_ = set;
  insert_text_ = "INSERT INTO " + ledger_table_name(consumer_, set.current) +
                 " (key, fingerprint) SELECT d.key, d.fingerprint FROM unnest($1::uuid[], "
                 "$2::bigint[]) AS d(key, fingerprint) WHERE " +
                 unseen(consumer_, set) + " ON CONFLICT DO NOTHING RETURNING key";
  std::vector<int> slots{set.current};
  slots.insert(slots.end(), set.frozen.begin(), set.frozen.end());
  find_text_ = traces(consumer_, slots);
}

result<std::vector<std::optional<guard_trace>>> postgres_ledger::insert(
    postgres_connection& connection, std::span<const ledger_row> rows) const {
  std::vector<std::optional<guard_trace>> found(rows.size());
  if (rows.empty()) {
    return found;
  }
  array_literal keys(rows.size() * 3);
  array_literal contents(rows.size() * 2);
  for (const ledger_row& row : rows) {
    keys.add(row.key);
    contents.add(row.content);
  }
  auto inserted = connection.run(insert_text_, {keys.take(), contents.take()});
  if (!inserted) {
    return inserted.error();
  }
  if (pg::row_count(*inserted) == rows.size()) {
    return found;
  }
  std::unordered_map<ledger_key, bool> fresh;
  for (std::size_t row = 0; row < pg::row_count(*inserted); ++row) {
    fresh.emplace(ledger_key_from_uuid(pg::cell(*inserted, row, 0).view()), true);
  }
  std::vector<std::size_t> known;
  std::vector<ledger_key> asked;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (!fresh.contains(rows[at].key)) {
      known.push_back(at);
      asked.push_back(rows[at].key);
    }
  }
  auto there = find(connection, asked, true);
  if (!there) {
    return there.error();
  }
  for (std::size_t at = 0; at < known.size(); ++at) {
    if (!(*there)[at]) {
      return error{fault::retry, "PW003",
                   "a ledger key was refused and is not there: another process serves this entity"};
    }
    found[known[at]] = (*there)[at];
  }
  return found;
}

result<std::vector<std::optional<guard_trace>>> postgres_ledger::find(
    postgres_connection& connection, std::span<const ledger_key> keys, bool in_ledger) const {
  std::vector<std::optional<guard_trace>> found(keys.size());
  if (keys.empty()) {
    return found;
  }
  array_literal asked(keys.size() * 3);
  for (const ledger_key& key : keys) {
    asked.add(key);
  }
  auto rows = connection.run(in_ledger ? find_text_ : traces(consumer_, {}), {asked.take()});
  if (!rows) {
    return rows.error();
  }
  for (std::size_t row = 0; row < pg::row_count(*rows); ++row) {
    const auto at = static_cast<std::size_t>(pg::cell(*rows, row, 0).number()) - 1;
    const auto place = static_cast<std::size_t>(pg::cell(*rows, row, 1).number());
    const fingerprint content{static_cast<std::uint64_t>(pg::cell(*rows, row, 2).number())};
    // What is applied stays applied, whatever else the key left behind.
    if (!found[at] || place == 0) {
      found[at] = guard_trace{places[place], content};
    }
  }
  return found;
}

}  // namespace pawl
