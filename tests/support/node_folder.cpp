#include "tests/support/node_folder.hpp"

#include "storage/store.hpp"
#include "tests/support/paths.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace pawl::test {
namespace {

constexpr std::string_view node_file = R"(consumer: inventory
node: {{name: left}}
store:
  url: "{}"
  migrate: auto
sources:
  orders:
    file: orders.ndjson
    ignore: [Heartbeat]
defaults:
  retry: {{attempts: 2, backoff: 1ms, backoff_max: 2ms}}
lease: 3s
entities:
  sku:
    messages:
      OrderPlaced:
        key: $.sku
        id: $.messageId
        dedupe: ledger
        effects:
          - add: inventory
            key: {{sku: $.sku}}
            values: {{reserved: $.quantity}}
      StockCounted:
        key: $.sku
        version: $.countedVersion
        dedupe: version
        order: latest
        effects:
          - upsert: inventory
            key: {{sku: $.sku}}
            values: {{on_hand: $.onHand}}
      ShipmentCreated:
        key: $.sku
        dedupe: unique
        effects:
          - insert: shipments
            unique: [order_id, sku]
            values: {{order_id: $.orderId, sku: $.sku}}
  shelf:
    messages:
      StockMoved:
        key: $.sku
        version: $.version
        dedupe: version
        order: sequence
        effects:
          - add: shelves
            key: {{sku: $.sku}}
            values: {{moved: $.by}}
ledger:
  window: 7d
)";

constexpr const char* tables = R"(
CREATE TABLE inventory (
  sku TEXT NOT NULL PRIMARY KEY,
  on_hand INTEGER NOT NULL DEFAULT 0,
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0));
CREATE TABLE shipments (order_id TEXT NOT NULL, sku TEXT NOT NULL, UNIQUE (order_id, sku));
CREATE TABLE shelves (sku TEXT NOT NULL PRIMARY KEY, moved INTEGER NOT NULL DEFAULT 0);
)";

template <class T>
T must(result<T> answer) {
  if (!answer.ok()) {
    throw std::runtime_error(answer.error().text);
  }
  return std::move(answer).value();
}

}  // namespace

node_folder::node_folder(std::string url) : url_(std::move(url)) {
  std::string name = (std::filesystem::temp_directory_path() / "pawl-node-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no temporary directory");
  }
  path_ = name;
  write("node.yaml", fmt::format(node_file, url_));
  write("orders.ndjson", "");
  execute(tables);
}

node_folder::~node_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void node_folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
}

void node_folder::append(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary | std::ios::app) << text;
}

void node_folder::edit_node(const std::string& from, const std::string& to) const {
  std::stringstream text;
  text << std::ifstream(path_ / "node.yaml").rdbuf();
  std::string whole = text.str();
  const auto at = whole.find(from);
  if (at == std::string::npos) {
    throw std::runtime_error("node.yaml does not hold " + from);
  }
  write("node.yaml", whole.replace(at, from.size(), to));
}

std::unique_ptr<process> node_folder::start(const std::vector<std::string>& arguments,
                                            process_plan with) const {
  with.program = test_binary();
  with.arguments = arguments;
  with.folder = path_;
  return std::make_unique<process>(with);
}

process_end node_folder::pawl(const std::vector<std::string>& arguments, process_plan with) const {
  if (!with.input.has_value()) {
    with.input = "";
  }
  return start(arguments, std::move(with))->wait();
}

nlohmann::json node_folder::json(std::vector<std::string> arguments, int code) const {
  arguments.emplace_back("--json");
  const process_end end = pawl(arguments);
  if (end.code != code) {
    throw std::runtime_error(fmt::format("exit code {}: {}{}", end.code, end.out, end.err));
  }
  return nlohmann::json::parse(end.out);
}

std::string node_folder::url() const {
  constexpr std::string_view scheme = "sqlite:";
  return url_.starts_with(scheme)
             ? std::string(scheme) + (path_ / url_.substr(scheme.size())).string()
             : url_;
}

void node_folder::execute(const std::string& sql) const {
  const status done = must(open_store(url()))->execute_script(sql);
  if (!done.ok()) {
    throw std::runtime_error(done.error().text);
  }
}

std::string node_folder::ask(const std::string& sql) const {
  const query_rows answer = must(must(open_store(url()))->query(sql));
  std::string text;
  for (const auto& row : answer.rows) {
    std::string line;
    for (const auto& field : row) {
      line += (line.empty() ? "" : "|") + field.value_or("NULL");
    }
    text += (text.empty() ? "" : ";") + line;
  }
  return text;
}

std::string node_folder::ask_until(const std::string& sql, const std::string& wanted) const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  std::string seen = ask(sql);
  while (seen != wanted && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    seen = ask(sql);
  }
  return seen;
}

std::string order(const std::string& id, const std::string& sku, int quantity) {
  return fmt::format(R"({{"type":"OrderPlaced","messageId":"{}","sku":"{}","quantity":{}}})"
                     "\n",
                     id, sku, quantity);
}

std::string moved(const std::string& sku, int version, int by) {
  return fmt::format(R"({{"type":"StockMoved","sku":"{}","version":{},"by":{}}})"
                     "\n",
                     sku, version, by);
}

}  // namespace pawl::test
