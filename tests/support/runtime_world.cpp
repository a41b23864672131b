#include "tests/support/runtime_world.hpp"

#include "tests/support/sqlite_file.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <thread>

namespace pawl_test {

namespace {

using std::chrono::milliseconds;

std::string journal_script(const char* sequence) {
  return fmt::format(
      "CREATE TABLE stock (sku text NOT NULL PRIMARY KEY, on_hand bigint NOT NULL DEFAULT 0 CHECK"
      " (on_hand >= 0), reserved bigint NOT NULL DEFAULT 0, note text);"
      "CREATE TABLE journal (sequence {}, sku text NOT NULL, message text NOT NULL);",
      sequence);
}

const std::vector<std::string> journal_tables{"stock", "journal"};

/// What the fixture owns, as the runtime wants it.
template <class T>
std::shared_ptr<T> borrowed(T& owned) {
  return {std::shared_ptr<void>(), &owned};
}

}  // namespace

std::string to_json(const order& said) {
  if (said.version.has_value()) {
    return fmt::format(R"({{"type":"Counted","id":"{}","sku":"{}","quantity":{},"version":{}}})",
                       said.id, said.sku, said.quantity, *said.version);
  }
  return fmt::format(R"({{"type":"Placed","id":"{}","sku":"{}","quantity":{}}})", said.id, said.sku,
                     said.quantity);
}

pawl::message_declaration placed() {
  return {.type = "Placed",
          .entity = "sku",
          .key = {"$.sku"},
          .id = {"$.id"},
          .fields = {"$.quantity"}};
}

pawl::message_declaration counted() {
  auto declared = placed();
  declared.type = "Counted";
  declared.version = "$.version";
  return declared;
}

runtime_world::runtime_world(std::unique_ptr<store_fixture> fixture, feed_kind kind)
    : feed(std::make_shared<message_feed>(kind)), fixture_(std::move(fixture)) {}

pawl::handler_registration runtime_world::made(pawl::result<pawl::handler_registration> given) {
  return must(std::move(given));
}

pawl::result<std::unique_ptr<pawl::runtime>> runtime_world::open(
    std::unique_ptr<pawl::source> from) {
  pawl::runtime_config config;
  config.consumer = "c";
  config.node_name = "a";
  config.shards = store_fixture::shards;
  config.database = borrowed(fixture_->store());
  config.tables = borrowed(fixture_->tables());
  config.backoff = milliseconds(5);
  config.backoff_max = milliseconds(50);
  for (const auto& make : makers_) {
    config.handlers.push_back(make());
  }
  config.sources.push_back({std::move(from), {}});
  if (adjust) {
    adjust(config);
  }
  return pawl::runtime::start(std::move(config));
}

pawl::runtime& runtime_world::start() {
  node_.reset();
  node_ = must(open(feed->open()));
  return *node_;
}

pawl::counts runtime_world::finish() {
  if (!node_->wait_finished(std::chrono::seconds(60))) {
    std::string text = "not finished: " + node_->ended().text;
    for (const pawl::alarm& raised : node_->alarms()) {
      text += "; alarm " + raised.name + ": " + raised.text;
    }
    throw std::runtime_error(text);
  }
  if (!node_->drain(std::chrono::seconds(10))) {
    throw std::runtime_error("finished, but not drained");
  }
  return node_->count();
}

std::string runtime_world::state(const std::string& sku) {
  const auto found = must(fixture_->open_admin()->entity({"sku", sku}));
  return found.has_value() ? found->row.state.value_or("") : "";
}

pawl::consumer_status runtime_world::status() { return must(fixture_->open_admin()->status_of()); }

std::vector<pawl::dead_letter_row> runtime_world::dead_letters() {
  return must(fixture_->open_admin()->dead_letters(1000));
}

std::vector<std::string> runtime_world::journal(const std::string& sku) {
  const auto found = must(fixture_->store().query(
      fmt::format("SELECT message FROM journal WHERE sku = '{}' ORDER BY sequence", sku)));
  std::vector<std::string> messages;
  for (const auto& row : found.rows) {
    messages.push_back(row.front().value_or(""));
  }
  return messages;
}

std::unique_ptr<store_fixture> open_journal_on_sqlite() {
  return on_sqlite::open(journal_script("INTEGER PRIMARY KEY AUTOINCREMENT"), journal_tables);
}

std::unique_ptr<store_fixture> open_journal_on_postgres() {
  return on_postgres::open(journal_script("bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
                           journal_tables);
}

gate::~gate() {
  if (is_first_) {
    open();
  }
}

void gate::wait() const {
  std::unique_lock lock(inside_->mutex);
  ++inside_->waiting;
  inside_->changed.wait(lock, [this] { return inside_->open; });
  --inside_->waiting;
}

void gate::open() const {
  const std::lock_guard lock(inside_->mutex);
  inside_->open = true;
  inside_->changed.notify_all();
}

int gate::waiting() const {
  const std::lock_guard lock(inside_->mutex);
  return inside_->waiting;
}

bool eventually(const std::function<bool()>& holds, milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

std::vector<std::string> numbers_to(int n) {
  std::vector<std::string> all;
  for (int i = 1; i <= n; ++i) {
    all.push_back(std::to_string(i));
  }
  return all;
}

}  // namespace pawl_test
