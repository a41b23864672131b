// Pawl inside a program of one's own: a SQLite file, a source, and a handler in C++ that keeps
// state for each entity. The source hands everything out twice; every order counts once.
#include "runtime/handlers.hpp"
#include "runtime/runtime.hpp"

#include <filesystem>
#include <iostream>
#include <stdexcept>

using namespace pawl;

namespace {

/// Where the orders come from: anything that can be polled. This one is a list in memory, given
/// out twice, as a broker does after a lost acknowledgement.
class order_list final : public source {
 public:
  explicit order_list(std::vector<std::string> orders) : orders_(std::move(orders)) {}

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] bool is_log() const noexcept override { return false; }
  status start(std::span<const source_position>) override { return {}; }
  result<poll_answer> poll(const poll_limits& limits) override {
    poll_answer answer;
    while (next_ < 2 * orders_.size() && answer.messages.size() < limits.messages) {
      auto made = std::make_shared<message>();
      made->payload = orders_[next_ % orders_.size()];
      made->origin = {name_, "all", static_cast<std::int64_t>(next_++), 0, 0};
      answer.messages.push_back(std::move(made));
    }
    answer.ended = next_ == 2 * orders_.size();
    return answer;
  }
  void ack(std::span<const message_origin> finished) override { acknowledged_ += finished.size(); }
  [[nodiscard]] source_position stored_form(const std::string& partition,
                                            std::int64_t position) const override {
    return {name_, partition, position, {}};
  }
  [[nodiscard]] std::int64_t lag() const override { return -1; }
  void stop() override { std::cout << acknowledged_ << " deliveries acknowledged\n"; }

 private:
  std::string name_ = "orders";
  std::vector<std::string> orders_;
  std::size_t next_ = 0;
  std::size_t acknowledged_ = 0;
};

template <class T>
T must(result<T> given) {
  if (!given.ok()) {
    throw std::runtime_error(given.error().text);
  }
  return std::move(given).value();
}

/// The third order of a customer is a gift: which one is the third is the customer's state.
void place(const addressed_message& order, const std::optional<std::string>& state,
           effects<policies::ledger>& out) {
  const int orders = (state.has_value() ? std::stoi(*state) : 0) + 1;
  const value& amount = order.elements.front()[0];
  out.add("customers", {{"name", order.entity.key}},
          {{"orders", 1}, {"owed", orders % 3 == 0 ? value::integer(0) : amount}});
  out.state(std::to_string(orders));
}

void run(const std::filesystem::path& folder) {
  const std::shared_ptr<store> database =
      must(open_store("sqlite:" + (folder / "shop.db").string()));
  (void)must(database->migrate());
  if (const status made = database->execute_script(
          "CREATE TABLE customers (name TEXT PRIMARY KEY NOT NULL,"
          " orders INTEGER NOT NULL DEFAULT 0, owed INTEGER NOT NULL DEFAULT 0)");
      !made.ok()) {
    throw std::runtime_error(made.error().text);
  }

  runtime_config config;
  config.consumer = "shop";
  config.database = database;
  config.tables = std::make_shared<catalog>(
      must(database->read_catalog(std::vector<std::string>{"customers"})));
  config.handlers.push_back(must(make_handler<policies::ledger>({.type = "OrderPlaced",
                                                                 .entity = "customer",
                                                                 .key = {"$.customer"},
                                                                 .id = {"$.order"},
                                                                 .fields = {"$.amount"}},
                                                                place)));
  config.sources.push_back({std::make_unique<order_list>(std::vector<std::string>{
                                R"({"type":"OrderPlaced","order":1,"customer":"Ada","amount":30})",
                                R"({"type":"OrderPlaced","order":2,"customer":"Ada","amount":20})",
                                R"({"type":"OrderPlaced","order":3,"customer":"Bob","amount":50})",
                                R"({"type":"OrderPlaced","order":4,"customer":"Ada","amount":70})",
                            }),
                            {}});

  const auto node = must(runtime::start(std::move(config)));
  if (!node->wait_finished(std::chrono::seconds(30)) || !node->drain(std::chrono::seconds(5))) {
    throw std::runtime_error("not finished: " + node->ended().text);
  }
  const counts seen = node->count();
  std::cout << "applied " << seen.of(outcome::applied) << ", duplicates "
            << seen.of(outcome::duplicate) << ", dead letters " << seen.of(outcome::dead) << '\n';
  const query_rows rows =
      must(database->query("SELECT name, orders, owed FROM customers ORDER BY name"));
  for (const auto& row : rows.rows) {
    std::cout << row[0].value_or("") << ": " << row[1].value_or("") << " orders, owes "
              << row[2].value_or("") << '\n';
  }
}

}  // namespace

int main() {
  std::string pattern = (std::filesystem::temp_directory_path() / "pawl-embedded-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  int code = 0;
  try {
    run(folder);
  } catch (const std::exception& failure) {
    std::cerr << "embedded: " << failure.what() << '\n';
    code = 1;
  }
  std::filesystem::remove_all(folder);
  return code;
}
