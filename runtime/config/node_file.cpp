#include "runtime/config/node_file.hpp"

#include "runtime/config/expression.hpp"
#include "runtime/config/node_messages.hpp"
#include "runtime/config/node_options.hpp"
#include "runtime/config/section.hpp"
#include "runtime/config/yaml_parse.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace pawl {
namespace {

constexpr std::size_t name_bytes_max = 64;
constexpr std::string_view sqlite_scheme = "sqlite:";

/// Names that end up in rows, metrics and messages to people.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= name_bytes_max && name.front() != '_' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ||
                  c == '.';
         });
}

void check_name(const config_section& section, const file_position& where, std::string_view what,
                const std::string& name) {
  if (!is_plain_name(name)) {
    section.problem(where, "the " + std::string(what) + " `" + name + "` is not a plain name",
                    "write 1 to 64 of the letters, digits, `-`, `_` and `.`, no `_` in front");
  }
}

std::filesystem::path beside(const std::filesystem::path& file, const std::string& written) {
  return (file.parent_path() / written).lexically_normal();
}

/// Reads the sections into a configuration. Lives for one file.
class node_reader {
 public:
  node_reader(const std::string& file, const yaml_node& root, config_problems& problems)
      : root_(&root, node_options(), "", root.where, problems) {
    config_.file = file;
  }

  node_config read() {
    read_names();
    read_store();
    for (const yaml_entry& entry : root_.entries("sources")) {
      read_source(entry);
    }
    refuse_empty("sources", "a source: `orders:` and, below it, `file: orders.ndjson`");
    read_numbers();
    config_.messages = read_messages(root_);
    refuse_empty("entities", "an entity type: `sku:` and, below it, `messages:`");
    check_window();
    return std::move(config_);
  }

 private:
  void refuse_empty(std::string_view name, std::string fix) {
    const yaml_node* node = root_.node(name);
    if (node != nullptr &&
        (node->kind == yaml_kind::map ? node->entries.empty() : node->kind == yaml_kind::null)) {
      root_.problem(node->where, "`" + std::string(name) + "` is empty", "add " + std::move(fix));
    }
  }

  void read_names() {
    config_.consumer = root_.text("consumer");
    if (root_.has("consumer")) {
      check_name(root_, root_.where("consumer"), "consumer", config_.consumer);
    }
    const config_section node = root_.section("node");
    config_.node_name = node.text("name");
    if (!config_.node_name.empty()) {
      check_name(root_, node.where("name"), "node", config_.node_name);
    }
  }

  void read_store() {
    const yaml_node* node = root_.node("store");
    if (node == nullptr) {
      return;
    }
    config_.store_where = node->where;
    std::string migrate;
    if (node->kind == yaml_kind::map) {
      const config_section store = root_.section("store");
      config_.store_url = store.text("url");
      if (store.has("url")) {
        config_.store_where = store.where("url");
      }
      migrate = store.text("migrate");
    } else {
      config_.store_url = read_text(*node, "store", root_.problems()).value_or("");
    }
    const bool embedded =
        config_.store_url.starts_with(sqlite_scheme) || config_.store_url.starts_with("memory:");
    config_.migrate_auto = migrate.empty() ? embedded : migrate == "auto";
    if (config_.store_url == sqlite_scheme) {
      root_.problem(node->where, "`sqlite:` names no file", "write sqlite:FILE");
    } else if (config_.store_url.starts_with(sqlite_scheme)) {
      const std::string name = config_.store_url.substr(sqlite_scheme.size());
      config_.store_url = std::string(sqlite_scheme) + beside(config_.file, name).string();
    }
  }

  void read_source(const yaml_entry& entry) {
    if (entry.value.broken) {
      return;
    }
    const config_section section(&entry.value, root_.table(), "sources.*", entry.where,
                                 root_.problems());
    source_config source;
    source.name = entry.key;
    source.where = entry.where;
    check_name(root_, entry.where, "source", source.name);
    if (section.has("type")) {
      if (const auto type = read_path(*section.node("type"), section.problems())) {
        source.type_path = type->source;
      }
    }
    source.ignore_types = section.texts("ignore");
    const bool from_stdin = section.boolean("stdin");
    if (section.has("file") == from_stdin && entry.value.kind == yaml_kind::map &&
        !section.has("kafka") && !section.has("rabbitmq")) {
      section.problem(entry.where,
                      "the source `" + source.name + "` says " +
                          (from_stdin ? "both `file` and `stdin`" : "not where to read"),
                      "write `file: NAME` or `stdin: true`");
    }
    if (from_stdin) {
      source.kind = source_kind::standard_input;
      refuse_second_stdin(source);
    } else {
      source.partition = section.text("file");
      source.file = beside(config_.file, source.partition);
    }
    config_.sources.push_back(std::move(source));
  }

  void refuse_second_stdin(const source_config& source) {
    for (const source_config& other : config_.sources) {
      if (other.kind == source_kind::standard_input) {
        root_.problem(source.where, "standard input is read by `" + other.name + "` already",
                      "read one of the two from a file");
      }
    }
  }

  void read_numbers() {
    const config_section retry = root_.section("defaults").section("retry");
    config_.retry.attempts = static_cast<int>(retry.number("attempts"));
    config_.retry.backoff_ms = retry.number("backoff");
    config_.retry.backoff_ms_max = std::max(retry.number("backoff_max"), config_.retry.backoff_ms);
    const config_section ledger = root_.section("ledger");
    config_.ledger_window_ms = ledger.has("window") ? ledger.number("window") : 0;
    config_.shards = static_cast<std::uint32_t>(root_.number("shards"));
    config_.committers = static_cast<std::uint32_t>(root_.number("committers"));
    const config_section credits = root_.section("credits");
    config_.credit_messages = static_cast<std::size_t>(credits.number("messages"));
    config_.credit_bytes = static_cast<std::size_t>(credits.number("bytes"));
    config_.batch_messages = static_cast<std::size_t>(root_.section("batch").number("messages"));
    config_.handlers_spare = static_cast<std::uint32_t>(root_.section("handlers").number("spare"));
    config_.lease_ms = root_.number("lease");
    config_.drain_ms = root_.section("drain").number("timeout");
    config_.passivate_ms = root_.section("passivate").number("after");
  }

  void check_window() {
    const yaml_node* ledger = root_.node("ledger");
    if (ledger != nullptr && ledger->find("window") != nullptr) {
      return;
    }
    for (const declared_message& message : config_.messages) {
      if (message.contract.pair.dedupe == dedupe_policy::ledger) {
        root_.problem(message.where,
                      "`dedupe: ledger` needs to know how long a message is remembered",
                      "add `ledger: {window: 7d}` at the top: at least as long as a source may "
                      "deliver a message again");
        return;
      }
    }
  }

  config_section root_;
  node_config config_;
};

node_file read_tree(const std::string& file, const std::optional<yaml_node>& root,
                    config_problems& problems) {
  node_file read;
  if (root) {
    node_config config = node_reader(file, *root, problems).read();
    if (problems.empty()) {
      read.config = std::move(config);
    }
  }
  read.problems = problems.take_sorted();
  return read;
}

}  // namespace

node_file read_node_file(const std::string& file, const environment_lookup& environment) {
  config_problems problems;
  return read_tree(file, parse_yaml_file(file, environment, problems), problems);
}

node_file parse_node_file(const std::string& file, std::string_view text,
                          const environment_lookup& environment) {
  config_problems problems;
  return read_tree(file, parse_yaml(file, text, environment, problems), problems);
}

}  // namespace pawl
