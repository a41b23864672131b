#include "runtime/config/yaml_parse.hpp"

#include "protocol/limits.hpp"
#include "runtime/config/yaml_text.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <exception>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pawl {
namespace {

constexpr std::string_view alias_what = "an alias (`*name`)";
constexpr std::string_view alias_fix =
    "write the value out; a text that starts with `*` needs quotes";

/// Ends the parse: the problem has been reported.
struct parse_stopped {};

/// Whether a quoted text at the start of `rest` has its closing quote. True for a block text.
bool is_closed(std::string_view rest) {
  const char quote = rest.front();
  if (quote != '"' && quote != '\'') {
    return true;
  }
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (quote == '"' && rest[i] == '\\') {
      ++i;
    } else if (rest[i] == quote && quote == '\'' && rest.substr(i + 1).starts_with(quote)) {
      ++i;
    } else if (rest[i] == quote) {
      return true;
    }
  }
  return false;
}

/// Builds our tree from yaml-cpp's events, and refuses what has more than one reading. Lives for
/// one parse.
class tree_builder final : public YAML::EventHandler {
 public:
  tree_builder(const std::string& file, std::string_view text,
               const environment_lookup& environment, config_problems& problems)
      : file_(file), text_(text), environment_(&environment), problems_(&problems) {
    root_.where = {file, 1, 1};
  }

  [[nodiscard]] yaml_node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      problems_->add(place(mark), "a second document", "one file holds one document: remove `---`");
      throw parse_stopped{};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    yaml_node node = start(yaml_kind::null, mark, anchor);
    if (wants_key()) {
      problems_->add(node.where, "a key is missing before `:`", "write `name: value`");
      node.broken = true;
    }
    attach(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    yaml_node node = start(yaml_kind::null, mark, 0);
    problems_->add(node.where, std::string(alias_what), std::string(alias_fix));
    node.broken = true;
    attach(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    yaml_node node = start(yaml_kind::scalar, mark, anchor);
    node.quoted = tag == "!";
    node.written = value;
    check_tag(node, tag, mark);
    check_quotes(node, mark);
    if (wants_key()) {
      node.text = value;
    } else if (auto expanded = expand_environment(node.where, value, *environment_, *problems_)) {
      node.text = std::move(*expanded);
    } else {
      node.broken = true;
    }
    attach(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(yaml_kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(yaml_kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct level {
    yaml_node node;
    bool has_key = false;  // of a map: the next node is the value of `key`
    yaml_entry key;
    std::unordered_map<std::string, int> lines;  // of the keys so far
  };

  [[nodiscard]] file_position place(const YAML::Mark& mark) const {
    return {file_, mark.line + 1, mark.column + 1};
  }

  [[nodiscard]] bool wants_key() const {
    return !open_.empty() && open_.back().node.kind == yaml_kind::map && !open_.back().has_key;
  }

  yaml_node start(yaml_kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    yaml_node node;
    node.kind = kind;
    node.where = place(mark);
    if (anchor != 0) {
      problems_->add(node.where, "an anchor (`&name`)",
                     "write the value out; a text that starts with `&` needs quotes");
    }
    return node;
  }

  void check_tag(const yaml_node& node, const std::string& tag, const YAML::Mark& mark) {
    const auto at = static_cast<std::size_t>(mark.pos);
    const bool explicit_tag = at < text_.size() && text_[at] == '!';
    if (explicit_tag || (!tag.empty() && tag != "?" && tag != "!")) {
      problems_->add(node.where, "a tag (`!name`)",
                     "leave it out; a text that starts with `!` needs quotes");
    }
  }

  /// yaml-cpp lets the end of the file close a quoted text.
  void check_quotes(const yaml_node& node, const YAML::Mark& mark) {
    const auto start = static_cast<std::size_t>(mark.pos);
    if (node.quoted && start < text_.size() && !is_closed(text_.substr(start))) {
      problems_->add(node.where, "a quoted text that never ends", "close it where it should end");
      throw parse_stopped{};
    }
  }

  void open(yaml_kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    yaml_node node = start(kind, mark, anchor);
    check_tag(node, tag, mark);
    if (wants_key()) {
      problems_->add(node.where, "a key that is a list or a map", "a key is a plain name");
      throw parse_stopped{};
    }
    if (open_.size() >= limits::config_depth_max) {
      problems_->add(node.where,
                     "nested more than " + std::to_string(limits::config_depth_max) + " levels",
                     "no option lies that deep: look at the brackets and the indentation");
      throw parse_stopped{};
    }
    open_.push_back({std::move(node), false, {}, {}});
  }

  void close() {
    yaml_node done = std::move(open_.back().node);
    open_.pop_back();
    attach(std::move(done));
  }

  void attach(yaml_node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    level& parent = open_.back();
    if (parent.node.kind == yaml_kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      parent.key = {std::move(node.text), node.where, {}};
      parent.key.value.broken = node.broken;
      parent.has_key = true;
    } else {
      attach_entry(parent, std::move(node));
    }
  }

  void attach_entry(level& parent, yaml_node node) {
    parent.has_key = false;
    const bool unnamed = parent.key.value.broken;
    const auto [known, fresh] = parent.lines.emplace(parent.key.key, parent.key.where.line);
    if (unnamed) {
      return;
    }
    if (!fresh) {
      problems_->add(parent.key.where,
                     "the key `" + parent.key.key + "` stands already in line " +
                         std::to_string(known->second),
                     "remove one of the two");
      return;
    }
    parent.key.value = std::move(node);
    parent.node.entries.push_back(std::move(parent.key));
  }

  const std::string& file_;
  std::string_view text_;
  const environment_lookup* environment_;
  config_problems* problems_;
  std::vector<level> open_;
  yaml_node root_;
  int documents_ = 0;
};

void report_syntax(const std::string& file, std::string_view text, const YAML::Exception& thrown,
                   config_problems& problems) {
  const bool placed = !thrown.mark.is_null();
  const int line = placed ? thrown.mark.line + 1 : 0;
  const file_position where{file, line, placed ? thrown.mark.column + 1 : 0};
  // yaml-cpp often notices a line or two later.
  if (auto pitfall = find_flow_pitfall(file, text, placed ? line + 1 : 1 << 30)) {
    problems.add(pitfall->where, pitfall->what, pitfall->fix);
    return;
  }
  const auto at = static_cast<std::size_t>(placed ? thrown.mark.pos : 0);
  if (placed && at < text.size() && text[at] == '*') {
    problems.add(where, std::string(alias_what), std::string(alias_fix));
    return;
  }
  problems.add(where, "not valid YAML: " + thrown.msg,
               "look at the indentation, the quotes and the brackets here and in the line above");
}

}  // namespace

std::optional<yaml_node> parse_yaml(const std::string& file, std::string_view text,
                                    const environment_lookup& environment,
                                    config_problems& problems) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) {
    text.remove_prefix(byte_order_mark.size());
  }
  if (!check_yaml_text(file, text, problems)) {
    return std::nullopt;
  }
  tree_builder builder(file, text, environment, problems);
  try {
    std::istringstream input{std::string(text)};
    YAML::Parser parser(input);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const parse_stopped&) {
    return std::nullopt;
  } catch (const YAML::Exception& thrown) {
    report_syntax(file, text, thrown, problems);
    return std::nullopt;
  } catch (const std::exception& thrown) {
    problems.add({file, 0, 0}, std::string("not valid YAML: ") + thrown.what(), "");
    return std::nullopt;
  }
  return builder.take();
}

std::optional<yaml_node> parse_yaml_file(const std::string& file,
                                         const environment_lookup& environment,
                                         config_problems& problems) {
  std::ifstream input(file, std::ios::binary);
  std::string text(limits::config_bytes_max + 1, '\0');
  // Reading a directory opens, and fails here.
  if (!input || (input.read(text.data(), static_cast<std::streamsize>(text.size())), input.bad())) {
    problems.add({file, 0, 0}, "the file can't be read", "check the path and its rights");
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(input.gcount()));
  return parse_yaml(file, text, environment, problems);
}

}  // namespace pawl
