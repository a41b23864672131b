#pragma once

#include "runtime/handlers.hpp"
#include "runtime/runtime.hpp"
#include "tests/support/message_feed.hpp"
#include "tests/support/store_fixture.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pawl_test {

/// `sku` messages of a test, as JSON. Without a version the type is `Placed`, with one `Counted`.
struct order {
  std::string sku = "a";
  std::string id = "1";
  std::int64_t quantity = 1;
  std::optional<std::int64_t> version = std::nullopt;
};
[[nodiscard]] std::string to_json(const order& said);

/// A runtime over a store, with a feed, through as many starts as a test likes. The node's name is
/// that of the fixture, so a start takes the leases over at once. Owned by the test's thread.
class runtime_world {
 public:
  explicit runtime_world(std::unique_ptr<store_fixture> fixture, feed_kind kind = feed_kind::queue);

  /// Every runtime that is started from now on has this handler.
  template <pawl::policy P, class Function>
  void on(const pawl::message_declaration& declared, Function handles) {
    makers_.push_back(
        [declared, handles] { return made(pawl::make_handler<P>(declared, handles)); });
  }
  /// Changes the configuration of every start.
  std::function<void(pawl::runtime_config&)> adjust;

  /// A runtime of this world; also for a second one beside the first.
  [[nodiscard]] pawl::result<std::unique_ptr<pawl::runtime>> open(
      std::unique_ptr<pawl::source> from);
  pawl::runtime& start();
  /// Waits until everything is finished, and drains; what was counted. The test ends if that takes
  /// more than 60 s.
  pawl::counts finish();
  pawl::counts run() {
    start();
    return finish();
  }
  /// As a crash would end it.
  void crash() { node_.reset(); }

  void say(const order& said) { feed->say(to_json(said)); }
  [[nodiscard]] pawl::runtime& node() { return *node_; }
  [[nodiscard]] store_fixture& fixture() { return *fixture_; }
  [[nodiscard]] std::vector<std::vector<std::string>> rows(const std::string& table) {
    return fixture_->rows(table);
  }
  /// The entity's state, empty if it has none.
  [[nodiscard]] std::string state(const std::string& sku);
  [[nodiscard]] pawl::consumer_status status();
  [[nodiscard]] std::vector<pawl::dead_letter_row> dead_letters();
  /// Messages of an entity in the order in which they took effect (`open_journal` only).
  [[nodiscard]] std::vector<std::string> journal(const std::string& sku);

  const std::shared_ptr<message_feed> feed;

 private:
  static pawl::handler_registration made(pawl::result<pawl::handler_registration> given);

  std::unique_ptr<store_fixture> fixture_;
  std::vector<std::function<pawl::handler_registration()>> makers_;
  std::unique_ptr<pawl::runtime> node_;
};

/// Declarations for the messages of `order`.
[[nodiscard]] pawl::message_declaration placed();
[[nodiscard]] pawl::message_declaration counted();

/// Adds the quantity to the stock.
template <pawl::policy P>
void reserve(const pawl::addressed_message& message, pawl::effects<P>& out) {
  for (const auto& fields : message.elements) {
    out.add("stock", {{"sku", message.entity.key}}, {{"reserved", fields.front()}});
  }
}
/// Writes the message's id, or its version, behind the others in the entity's state.
template <pawl::policy P>
void trail(const pawl::addressed_message& message, const std::optional<std::string>& state,
           pawl::effects<P>& out) {
  const std::string name =
      message.version.has_value() ? std::to_string(message.version->value) : message.id;
  out.state(state.has_value() ? *state + " " + name : name);
}
/// Writes the message into the journal, which shows the order of effects.
template <pawl::policy P>
void note(const pawl::addressed_message& message, pawl::effects<P>& out) {
  out.insert("journal",
             {{"sku", message.entity.key},
              {"message",
               message.version.has_value() ? std::to_string(message.version->value) : message.id}});
}

/// A store with `stock` of the shop and a `journal` that numbers what is written to it.
[[nodiscard]] std::unique_ptr<store_fixture> open_journal_on_sqlite();
[[nodiscard]] std::unique_ptr<store_fixture> open_journal_on_postgres();
template <class Store>
[[nodiscard]] std::unique_ptr<store_fixture> open_journal() {
  if constexpr (std::is_same_v<Store, on_postgres>) {
    return open_journal_on_postgres();
  } else {
    return open_journal_on_sqlite();
  }
}

/// A door that handlers wait at. Handlers hold copies of it; it opens when the first one ends.
class gate {
 public:
  gate() : inside_(std::make_shared<shared>()), is_first_(true) {}
  gate(const gate& first) : inside_(first.inside_) {}
  gate& operator=(const gate&) = delete;
  ~gate();
  void wait() const;
  void open() const;
  [[nodiscard]] int waiting() const;

 private:
  struct shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
    int waiting = 0;
  };
  std::shared_ptr<shared> inside_;
  bool is_first_ = false;
};

/// True as soon as it holds; false if it does not within the time.
bool eventually(const std::function<bool()>& holds,
                std::chrono::milliseconds at_most = std::chrono::seconds(20));

/// "1" to "n".
[[nodiscard]] std::vector<std::string> numbers_to(int n);

}  // namespace pawl_test
