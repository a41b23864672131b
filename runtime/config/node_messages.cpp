#include "runtime/config/node_messages.hpp"

#include "runtime/config/expression.hpp"

#include <string>
#include <utility>

namespace pawl {
namespace {

constexpr std::string_view message_section = "entities.*.messages.*";

/// The enumerator of that name; the caller has checked it against the option's choices.
template <class Enum, std::size_t Count>
Enum named(const std::string& name, const std::array<Enum, Count>& all, Enum otherwise) {
  for (const Enum each : all) {
    if (name_of(each) == name) {
      return each;
    }
  }
  return otherwise;
}

on_dead_policy to_on_dead(const std::string& name, on_dead_policy otherwise) {
  return name.empty() ? otherwise : name == "skip" ? on_dead_policy::skip : on_dead_policy::park;
}

/// Reads one message type. Lives as long as that takes.
class message_reader {
 public:
  message_reader(const config_section& section, const yaml_entry& entry) : section_(section) {
    message_.where = entry.where;
    message_.contract.type = entry.key;
  }

  declared_message read(const std::string& entity_type, on_dead_policy on_dead) {
    const std::size_t problems_before = section_.problems().size();
    message_contract& contract = message_.contract;
    contract.entity_type = entity_type;
    if (section_.has("type")) {
      contract.type = section_.text("type");
    }
    contract.on_dead = to_on_dead(section_.text("on_dead"), on_dead);
    read_when();
    contract.key = paths("key");
    contract.id = paths("id");
    if (const yaml_node* version = section_.node("version")) {
      contract.version = read_path(*version, section_.problems());
    }
    read_policies();
    read_fingerprint();
    message_.effects = read_effects(section_, contract.pair);
    check_effects();
    if (section_.problems().size() == problems_before) {
      check_whole();
    }
    return std::move(message_);
  }

 private:
  [[nodiscard]] std::vector<path> paths(std::string_view name) const {
    const yaml_node* node = section_.node(name);
    return node == nullptr ? std::vector<path>{} : read_paths(*node, section_.problems());
  }

  void read_when() {
    for (const yaml_entry& entry : section_.entries("when")) {
      yaml_node place;
      place.kind = yaml_kind::scalar;
      place.where = entry.where;
      place.text = place.written = entry.key;
      auto where = read_path(place, section_.problems());
      auto equals = read_text(entry.value, entry.key, section_.problems());
      if (where && equals) {
        message_.contract.when.push_back({std::move(*where), std::move(*equals)});
      }
    }
  }

  void read_policies() {
    message_contract& contract = message_.contract;
    const std::string dedupe = section_.text("dedupe");
    const std::string order = section_.text("order");
    contract.pair.dedupe = named(dedupe,
                                 std::array{dedupe_policy::natural, dedupe_policy::unique,
                                            dedupe_policy::version, dedupe_policy::ledger},
                                 dedupe_policy::ledger);
    contract.pair.order = named(
        order, std::array{order_policy::arrival, order_policy::latest, order_policy::sequence},
        order_policy::arrival);
    contract.start =
        section_.text("start") == "first" ? sequence_start::first : sequence_start::one;
    message_.accept_overwrite = !section_.text("accept").empty();
    if (!section_.has("dedupe")) {
      report_no_dedupe();
    } else if (!dedupe.empty()) {
      check_policies();
    }
  }

  void report_no_dedupe() {
    section_.problem(
        message_.where, "`dedupe` is missing, and it has no default",
        "choose how a repeated message is recognized: `natural` (it isn't, the last write wins; "
        "for "
        "upsert, set and remove), `unique` (by a row of your own: the first effect is an insert "
        "with "
        "a unique key), `version` (by the entity's version in the message; needs `version` and "
        "`order`), or `ledger` (by the message's id, remembered for `ledger.window`)");
  }

  void check_policies() {
    const message_contract& contract = message_.contract;
    if (const auto refused = refuse(contract.pair)) {
      section_.problem(section_.where(section_.has("order") ? "order" : "dedupe"),
                       std::string(refused->reason), std::string(refused->fix));
    }
    const bool versioned = contract.pair.dedupe == dedupe_policy::version;
    if (versioned && !section_.has("version")) {
      section_.problem(section_.where("dedupe"), "`dedupe: version` needs to know the version",
                       "add `version:` with its path, as `version: $.version`");
    }
    if (section_.has("start") && contract.pair.order != order_policy::sequence) {
      section_.problem(section_.where("start"), "`start` is said of `order: sequence` only",
                       "leave it out");
    }
    if (message_.accept_overwrite && contract.pair.dedupe != dedupe_policy::natural) {
      section_.problem(section_.where("accept"), "`accept` is said of `dedupe: natural` only",
                       "leave it out");
    }
  }

  void read_fingerprint() {
    const config_section fingerprint = section_.section("fingerprint");
    if (const yaml_node* ignore = fingerprint.node("ignore")) {
      message_.contract.fingerprint_ignore = read_paths(*ignore, section_.problems());
    }
  }

  /// What is left for the contract's own check is told at the part that it names.
  void check_whole() {
    const status checked = check_contract(message_.contract);
    if (checked) {
      return;
    }
    const error& wrong = checked.error();
    const config_option* part = find_option(section_.table(), message_section, wrong.code);
    const bool placed = part != nullptr && section_.has(wrong.code);
    section_.problem(placed ? section_.where(wrong.code) : message_.where, wrong.text, "");
  }

  void check_effects() {
    const yaml_node* effects = section_.node("effects");
    if (effects != nullptr && effects->kind == yaml_kind::list && effects->items.empty()) {
      section_.problem(effects->where, "a message without effects",
                       "add one, or name the type under `ignore` of its source");
    }
    const bool guarded = !message_.effects.empty() &&
                         message_.effects.front().kind == effect_kind::insert &&
                         !message_.effects.front().unique.empty();
    if (section_.text("dedupe") == "unique" && !message_.effects.empty() && !guarded) {
      section_.problem(message_.effects.front().where,
                       "under `dedupe: unique` the first effect is the guard",
                       "begin with an `insert` that names its unique key: `unique: [columns]`");
    }
  }

  const config_section& section_;
  declared_message message_;
};

void refuse_second_declaration(const config_section& section,
                               const std::vector<declared_message>& messages,
                               const declared_message& message) {
  for (const declared_message& other : messages) {
    const message_contract& left = other.contract;
    const message_contract& right = message.contract;
    if (left.type == right.type && left.entity_type == right.entity_type &&
        (left.when.empty() || right.when.empty())) {
      section.problem(
          message.where,
          "`" + right.type + "` is declared already in line " + std::to_string(other.where.line),
          "give both a `when` that tells them apart, or make it one");
      return;
    }
  }
}

}  // namespace

std::vector<declared_message> read_messages(const config_section& root) {
  std::vector<declared_message> messages;
  const on_dead_policy everywhere =
      to_on_dead(root.section("defaults").text("on_dead"), on_dead_policy::park);
  for (const yaml_entry& entity : root.entries("entities")) {
    if (entity.value.broken) {
      continue;
    }
    if (entity.key.empty() || entity.key.front() == '_') {
      root.problem(entity.where, "the entity type `" + entity.key + "` is reserved",
                   "choose a name without `_` in front");
    }
    const config_section section(&entity.value, root.table(), "entities.*", entity.where,
                                 root.problems());
    const on_dead_policy on_dead = to_on_dead(section.text("on_dead"), everywhere);
    for (const yaml_entry& entry : section.entries("messages")) {
      if (entry.value.broken) {
        continue;
      }
      const config_section body(&entry.value, root.table(), std::string(message_section),
                                entry.where, root.problems());
      if (entry.value.kind != yaml_kind::map) {
        continue;
      }
      declared_message message = message_reader(body, entry).read(entity.key, on_dead);
      refuse_second_declaration(root, messages, message);
      messages.push_back(std::move(message));
    }
  }
  return messages;
}

}  // namespace pawl
