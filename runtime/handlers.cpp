#include "runtime/handlers.hpp"

namespace pawl {
namespace {

error in_declaration(const message_declaration& declared, const std::string& part,
                     const std::string& text) {
  return {fault::refused, part,
          "handler of \"" + declared.type + "\" for entity type \"" + declared.entity + "\", " +
              part + ": " + text};
}

/// Parses the paths of one part of a declaration; the first error sticks.
class path_reader {
 public:
  explicit path_reader(const message_declaration& declared) : declared_(declared) {}

  path read(const std::string& part, const std::string& text) {
    auto parsed = parse_path(text);
    if (parsed.ok()) {
      return std::move(*parsed);
    }
    if (!wrong_.has_value()) {
      wrong_ = in_declaration(declared_, part, "`" + text + "`: " + parsed.error().text);
    }
    return {};
  }

  std::vector<path> read(const std::string& part, const std::vector<std::string>& texts) {
    std::vector<path> paths;
    paths.reserve(texts.size());
    for (const std::string& text : texts) {
      paths.push_back(read(part, text));
    }
    return paths;
  }

  [[nodiscard]] const std::optional<error>& wrong() const { return wrong_; }

 private:
  const message_declaration& declared_;
  std::optional<error> wrong_;
};

}  // namespace

result<std::unique_ptr<message_contract>> make_contract(const message_declaration& declared,
                                                        policy pair, bool reads_state) {
  path_reader paths(declared);
  auto made = std::make_unique<message_contract>();
  made->type = declared.type;
  made->entity_type = declared.entity;
  made->key = paths.read("key", declared.key);
  made->id = paths.read("id", declared.id);
  if (!declared.version.empty()) {
    made->version = paths.read("version", declared.version);
  }
  for (const declared_field& field : declared.fields) {
    made->fields.push_back({paths.read("fields", field.where), field.optional});
  }
  for (const declared_when& clause : declared.when) {
    made->when.push_back({paths.read("when", clause.where), clause.equals});
  }
  made->fingerprint_ignore = paths.read("fingerprint", declared.fingerprint_ignore);
  made->pair = pair;
  made->start = declared.start;
  made->on_dead = declared.on_dead;
  made->reads_state = reads_state;
  if (paths.wrong().has_value()) {
    return *paths.wrong();
  }
  if (const status legal = check_contract(*made); !legal.ok()) {
    return in_declaration(declared, legal.error().code, legal.error().text);
  }
  return made;
}

}  // namespace pawl
