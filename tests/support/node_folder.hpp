#pragma once

#include "tests/support/process.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

/// A folder with a node file, its messages and its database, as a user has it, and the program run
/// in it. The node takes stock: `OrderPlaced` adds under the ledger, `StockCounted` writes under a
/// version, `StockMoved` under a sequence, `ShipmentCreated` inserts under a unique key.
class node_folder {
 public:
  /// `url` of an empty database; `sqlite:` ones are made in the folder. The tables are made too.
  explicit node_folder(std::string url = "sqlite:stock.db");
  node_folder(const node_folder&) = delete;
  node_folder& operator=(const node_folder&) = delete;
  ~node_folder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;
  void append(const std::string& name, const std::string& text) const;
  /// Replaces a part of node.yaml, which must be there.
  void edit_node(const std::string& from, const std::string& to) const;

  /// Runs `pawl` to its end. `with`: what a plan for it says besides.
  process_end pawl(const std::vector<std::string>& arguments, process_plan with = {}) const;
  /// The document that `pawl ... --json` prints. A failed parse ends the test.
  nlohmann::json json(std::vector<std::string> arguments, int code = 0) const;
  [[nodiscard]] std::unique_ptr<process> start(const std::vector<std::string>& arguments,
                                               process_plan with = {}) const;

  void execute(const std::string& sql) const;
  /// The rows of a query, `a|b;c|d`.
  [[nodiscard]] std::string ask(const std::string& sql) const;
  /// Asks until the answer is this one; the last answer if that takes more than half a minute.
  [[nodiscard]] std::string ask_until(const std::string& sql, const std::string& wanted) const;

 private:
  [[nodiscard]] std::string url() const;

  std::filesystem::path path_;
  std::string url_;
};

[[nodiscard]] inline bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Lines of an NDJSON file.
[[nodiscard]] std::string order(const std::string& id, const std::string& sku, int quantity);
[[nodiscard]] std::string moved(const std::string& sku, int version, int by);

}  // namespace pawl::test
