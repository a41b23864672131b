#include "runtime/scenario/evidence.hpp"

#include "protocol/envelope.hpp"
#include "runtime/scenario/probe_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace pawl {
namespace {

constexpr std::size_t traces_max = 1'000'000;  // a scenario sets aside a few, or something is wrong

template <class Number>
Number to_number(const std::optional<std::string>& cell) {
  Number number = 0;
  const std::string text = cell.value_or("");
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Whose message it is; nothing for what no scenario sent.
std::optional<set_aside> read_set_aside(const std::string& bytes, const entity_ref& entity,
                                        const std::string& reason, const ground_truth& truth) {
  const auto stored = decode_envelope(bytes);
  if (!stored) {
    return std::nullopt;
  }
  const auto number = scenario_number(*stored->received);
  if (!number) {
    return std::nullopt;
  }
  // What can't be decoded is set aside for its source and partition, which the truth doesn't know.
  const expected_pair* pair = truth.find(*number, entity);
  return set_aside{*number, pair != nullptr ? pair->entity : entity, reason};
}

status read_parked(admin_session& session, const ground_truth& truth, evidence& found) {
  std::set<entity_ref> entities;
  for (const expected_pair& pair : truth.pairs()) {
    entities.insert(pair.entity);
  }
  for (const entity_ref& entity : entities) {
    const auto rows = session.parked(entity, traces_max);
    if (!rows) {
      return rows.error();
    }
    for (const parked_row& row : *rows) {
      if (auto one = read_set_aside(row.envelope, row.entity, {}, truth)) {
        found.parked.push_back(std::move(*one));
      }
    }
  }
  return {};
}

status read_versions(admin_session& session, const ground_truth& truth, evidence& found) {
  std::set<entity_ref> versioned;
  for (const expected_pair& pair : truth.pairs()) {
    if (pair.version) {
      versioned.insert(pair.entity);
    }
  }
  for (const entity_ref& entity : versioned) {
    const auto row = session.entity(entity);
    if (!row) {
      return row.error();
    }
    if (*row && (*row)->row.version) {
      found.versions[entity] = *(*row)->row.version;
    }
  }
  return {};
}

}  // namespace

result<std::vector<probe_row>> read_probes(store& database) {
  const auto rows = database.query(fmt::format(
      "SELECT sequence, run, entity_type, entity_key, message FROM {} ORDER BY sequence",
      probe_table));
  if (!rows) {
    return rows.error();
  }
  std::vector<probe_row> probes;
  probes.reserve(rows->rows.size());
  for (const auto& row : rows->rows) {
    probes.push_back({to_number<std::int64_t>(row[0]),
                      to_number<std::uint32_t>(row[1]),
                      {row[2].value_or(""), row[3].value_or("")},
                      to_number<std::uint64_t>(row[4])});
  }
  return probes;
}

status read_traces(store& database, const std::string& consumer, const ground_truth& truth,
                   evidence& found) {
  auto session = database.open_admin(consumer);
  if (!session) {
    return session.error();
  }
  const auto dead = (*session)->dead_letters(traces_max);
  if (!dead) {
    return dead.error();
  }
  for (const dead_letter_row& row : *dead) {
    if (auto one = read_set_aside(row.envelope, row.entity, row.reason, truth)) {
      found.dead.push_back(std::move(*one));
    }
  }
  const auto waiting = (*session)->status_of();
  if (!waiting) {
    return waiting.error();
  }
  if (waiting->parked_behind_dead + waiting->parked_gap > 0) {
    if (auto read = read_parked(**session, truth, found); !read) {
      return read;
    }
  }
  return read_versions(**session, truth, found);
}

}  // namespace pawl
