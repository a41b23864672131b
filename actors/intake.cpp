#include "actors/intake.hpp"

#include "protocol/hash.hpp"

#include <algorithm>
#include <utility>

namespace pawl {

intake::intake(intake_settings settings, decoder_config decoding, bool is_log)
    : settings_(std::move(settings)),
      ignored_(settings_.ignore_types.begin(), settings_.ignore_types.end()),
      decoder_(std::move(decoding)),
      is_log_(is_log),
      credits_(settings_.credit_messages, settings_.credit_bytes) {}

poll_limits intake::limits(std::chrono::milliseconds wait) const {
  return {std::min(credits_.messages_left(), settings_.poll_messages_max), credits_.bytes_left(),
          wait};
}

intake::partition& intake::open_partition(const message_origin& origin) {
  partition& at = partitions_[origin.partition];
  if (origin.assignment > at.assignment) {
    // What the last assignment left open is delivered again, here or elsewhere.
    at.assignment = origin.assignment;
    at.at = frontier{};
    at.told = INT64_MIN;
  }
  return at;
}

intake::addressed intake::address(const std::vector<message_ptr>& received) {
  addressed out;
  out.per_shard.resize(settings_.shards);
  for (const message_ptr& one : received) {
    auto delivered = std::make_shared<delivery>();
    delivered->origin = one->origin;
    delivered->bytes = one->payload.size();
    delivered->source = settings_.index;
    credits_.take(delivered->bytes);
    partition& from = open_partition(one->origin);
    if (is_log_) {
      from.at.deliver(one->origin.position, one->origin.next);
      from.highest = std::max(from.highest, one->origin.next);
    }
    const std::vector<addressed_ptr> pairs = decoder_.decode(one);
    if (pairs.empty()) {
      ++out.unaddressed;
      out.finished.push_back(std::move(delivered));
      continue;
    }
    if (pairs.front()->undecodable.has_value() && ignored_.contains(pairs.front()->type)) {
      ++out.ignored;
      out.finished.push_back(std::move(delivered));
      continue;
    }
    delivered->open.store(static_cast<std::uint32_t>(pairs.size()), std::memory_order_relaxed);
    out.pairs += pairs.size();
    for (const addressed_ptr& pair : pairs) {
      auto made = std::make_shared<task>();
      made->shard = shard_of(pair->entity, settings_.shards);
      made->pair = pair;
      made->waiting.push_back(delivered);
      out.per_shard[made->shard.value].push_back(std::move(made));
    }
  }
  return out;
}

std::vector<message_origin> intake::finish(const std::vector<delivery_ptr>& deliveries) {
  std::vector<message_origin> origins;
  origins.reserve(deliveries.size());
  for (const delivery_ptr& one : deliveries) {
    credits_.give_back(one->bytes);
    const auto found = partitions_.find(one->origin.partition);
    if (found == partitions_.end() || found->second.assignment != one->origin.assignment) {
      continue;
    }
    if (is_log_) {
      (void)found->second.at.finish(one->origin.position);
    }
    origins.push_back(one->origin);
  }
  return origins;
}

std::map<std::string, std::int64_t> intake::moved_frontiers() {
  std::map<std::string, std::int64_t> moved;
  for (auto& [name, one] : partitions_) {
    const auto position = one.at.position();
    if (position.has_value() && *position > one.told) {
      one.told = *position;
      moved.emplace(name, *position);
    }
  }
  return moved;
}

std::map<std::string, std::int64_t> intake::highest() const {
  std::map<std::string, std::int64_t> all;
  for (const auto& [name, one] : partitions_) {
    if (is_log_) {
      all.emplace(name, one.highest);
    }
  }
  return all;
}

}  // namespace pawl
