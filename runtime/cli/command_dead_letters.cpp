#include "protocol/envelope.hpp"
#include "runtime/cli/commands.hpp"

#include <fmt/format.h>

namespace pawl {
namespace {

nlohmann::json to_json(const dead_letter_row& row, bool with_message) {
  nlohmann::json one{{"id", row.id},
                     {"entity", row.entity.type + "/" + row.entity.key},
                     {"reason", row.reason},
                     {"text", row.text},
                     {"attempts", row.attempts},
                     {"blocks", row.blocks},
                     {"count", row.count},
                     {"since_ms", row.since},
                     {"marked", row.mark == dead_letter_mark::none    ? ""
                                : row.mark == dead_letter_mark::retry ? "retry"
                                                                      : "discard"}};
  const auto opened = decode_envelope(row.envelope);
  if (opened.ok()) {
    one["type"] = opened->type;
    one["message_id"] = opened->id;
    const message_origin& from = opened->received->origin;
    one["origin"] = {
        {"source", from.source}, {"partition", from.partition}, {"position", from.position}};
    if (with_message) {
      one["payload"] = opened->received->payload;
      one["headers"] = nlohmann::json::array();
      for (const header& each : opened->received->headers) {
        one["headers"].push_back({{"name", each.name}, {"value", each.value}});
      }
    }
  }
  return one;
}

exit_code no_such(const console& out, std::int64_t id) {
  out.line(fmt::format("there is no dead letter {}", id));
  out.document(nullptr);
  return exit_code::not_found;
}

}  // namespace

exit_code command_dead_letters_list(const console& out, const std::string& file,
                                    std::size_t limit) {
  const admin_access access = open_admin(out, file);
  if (access.admin == nullptr) {
    return access.failed;
  }
  const auto rows = access.admin->dead_letters(limit);
  if (!rows.ok()) {
    return out.fail(rows.error());
  }
  nlohmann::json all = nlohmann::json::array();
  if (rows->empty()) {
    out.line("no dead letters");
  }
  for (const dead_letter_row& row : *rows) {
    all.push_back(to_json(row, false));
    out.line(fmt::format("{:>6}  {}/{}  {}{}  {}", row.id, row.entity.type, row.entity.key,
                         row.reason, row.blocks ? " (its entity waits)" : "", row.text));
  }
  if (rows->size() == limit) {
    out.line(fmt::format("  these are the first {}; --limit shows more", limit));
  }
  out.document(all);
  return exit_code::good;
}

exit_code command_dead_letters_show(const console& out, const std::string& file, std::int64_t id) {
  const admin_access access = open_admin(out, file);
  if (access.admin == nullptr) {
    return access.failed;
  }
  const auto row = access.admin->dead_letter(id);
  if (!row.ok()) {
    return out.fail(row.error());
  }
  if (!row->has_value()) {
    return no_such(out, id);
  }
  const nlohmann::json one = to_json(**row, true);
  out.document(one);
  for (const auto& [name, value] : one.items()) {
    out.line(fmt::format(
        "{}: {}", name,
        value.is_string() ? value.get<std::string>()
                          : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  }
  return exit_code::good;
}

exit_code command_dead_letters_mark(const console& out, const std::string& file, std::int64_t id,
                                    dead_letter_mark mark) {
  const admin_access access = open_admin(out, file);
  if (access.admin == nullptr) {
    return access.failed;
  }
  const auto row = access.admin->dead_letter(id);
  if (!row.ok()) {
    return out.fail(row.error());
  }
  if (!row->has_value()) {
    return no_such(out, id);
  }
  const bool retry = mark == dead_letter_mark::retry;
  if (retry && (**row).reason == "conflict") {
    return out.fail(error{fault::refused, "conflict",
                          "a conflict can't be handled again: its id or version belongs to another "
                          "message that took effect; publish it anew under one of its own, and "
                          "discard this one"});
  }
  const auto marked = access.admin->mark(id, mark);
  if (!marked.ok()) {
    return out.fail(marked.error());
  }
  if (!*marked) {
    return no_such(out, id);
  }
  const std::string_view what = retry ? "retry" : "discard";
  out.line(fmt::format("dead letter {} is marked for {}; the running node does it within a second",
                       id, what));
  out.document({{"id", id}, {"marked", std::string(what)}});
  return exit_code::good;
}

}  // namespace pawl
