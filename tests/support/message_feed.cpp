#include "tests/support/message_feed.hpp"

#include <algorithm>
#include <utility>

namespace pawl_test {

/// One runtime's view of a feed; an older one gets nothing and its acknowledgements count for
/// nothing.
class feed_source final : public pawl::source {
 public:
  explicit feed_source(std::shared_ptr<message_feed> feed) : feed_(std::move(feed)) {}

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] bool is_log() const noexcept override { return feed_->kind_ == feed_kind::log; }
  pawl::status start(std::span<const pawl::source_position> stored) override {
    feed_->begin(stored);
    number_ = feed_->source_number_;
    return {};
  }
  pawl::result<pawl::poll_answer> poll(const pawl::poll_limits& limits) override {
    return is_present() ? feed_->poll(limits) : pawl::poll_answer{};
  }
  void ack(std::span<const pawl::message_origin> finished) override {
    if (is_present()) {
      feed_->ack(finished);
    }
  }
  [[nodiscard]] pawl::source_position stored_form(const std::string& partition,
                                                  std::int64_t position) const override {
    return {name_, partition, position, "feed"};
  }
  [[nodiscard]] std::int64_t lag() const override { return -1; }
  void stop() override {}

 private:
  [[nodiscard]] bool is_present() const {
    const std::lock_guard lock(feed_->mutex_);
    return number_ == feed_->source_number_;
  }

  std::shared_ptr<message_feed> feed_;
  std::string name_ = "feed";
  std::int64_t number_ = 0;
};

void message_feed::say(std::string payload, std::vector<pawl::header> headers) {
  const std::lock_guard lock(mutex_);
  auto made = std::make_shared<pawl::message>();
  const auto position = static_cast<std::int64_t>(entries_.size());
  made->payload = std::move(payload);
  made->headers = std::move(headers);
  made->origin = {"feed", "0", position, kind_ == feed_kind::log ? position + 1 : 0, 0};
  entries_.push_back({std::move(made)});
  changed_.notify_all();
}

void message_feed::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

std::unique_ptr<pawl::source> message_feed::open() {
  return std::make_unique<feed_source>(shared_from_this());
}

std::set<std::int64_t> message_feed::acked() const {
  const std::lock_guard lock(mutex_);
  std::set<std::int64_t> found;
  for (const entry& one : entries_) {
    if (one.acked) {
      found.insert(one.what->origin.position);
    }
  }
  return found;
}

std::size_t message_feed::delivered() const {
  const std::lock_guard lock(mutex_);
  return delivered_;
}

std::size_t message_feed::most_held() const {
  const std::lock_guard lock(mutex_);
  return most_held_;
}

std::size_t message_feed::most_bytes_held() const {
  const std::lock_guard lock(mutex_);
  return most_bytes_held_;
}

void message_feed::begin(std::span<const pawl::source_position> stored) {
  const std::lock_guard lock(mutex_);
  ++source_number_;
  next_ = 0;
  held_ = 0;
  bytes_held_ = 0;
  if (kind_ == feed_kind::log) {
    next_ = stored.empty() ? 0 : static_cast<std::size_t>(stored.front().position);
    for (std::size_t i = next_; i < entries_.size(); ++i) {
      entries_[i].acked = false;
    }
  }
}

pawl::poll_answer message_feed::poll(const pawl::poll_limits& limits) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limits.wait, [this] { return next_ < entries_.size() || ended_; });
  pawl::poll_answer answer;
  std::size_t bytes = 0;
  for (; next_ < entries_.size() && answer.messages.size() < limits.messages; ++next_) {
    entry& one = entries_[next_];
    if (one.acked) {
      continue;
    }
    bytes += one.what->payload.size();
    if (bytes > limits.bytes && !answer.messages.empty()) {
      break;
    }
    one.given_in = source_number_;
    answer.messages.push_back(one.what);
    ++delivered_;
    ++held_;
    bytes_held_ += one.what->payload.size();
  }
  most_held_ = std::max(most_held_, held_);
  most_bytes_held_ = std::max(most_bytes_held_, bytes_held_);
  answer.ended = ended_ && next_ == entries_.size();
  return answer;
}

void message_feed::ack(std::span<const pawl::message_origin> finished) {
  if (at_ack && !finished.empty()) {
    at_ack();
  }
  const std::lock_guard lock(mutex_);
  for (const pawl::message_origin& origin : finished) {
    entry& one = entries_[static_cast<std::size_t>(origin.position)];
    if (one.given_in == source_number_ && !one.acked) {
      one.acked = true;
      --held_;
      bytes_held_ -= one.what->payload.size();
    }
  }
}

}  // namespace pawl_test
