#include "runtime/scenario/in_process_broker.hpp"

#include "runtime/scenario/seeded_random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

/// Messages of one key go to one partition.
std::uint32_t partition_of(const std::string& key, std::uint32_t partitions) {
  std::uint64_t hash = 0;
  for (const char c : key) {
    hash = mix(hash, static_cast<unsigned char>(c), 0);
  }
  return static_cast<std::uint32_t>(hash % partitions);
}

}  // namespace

in_process_broker::in_process_broker(broker_options options,
                                     std::span<const scenario_message> workload,
                                     std::vector<planned_delivery> plan)
    : options_(std::move(options)), workload_(workload) {
  publish(std::move(plan));
}

void in_process_broker::publish(std::vector<planned_delivery> plan) {
  const bool is_log = options_.kind == broker_kind::log;
  std::map<std::string, std::uint64_t> last;
  publications_.reserve(plan.size());
  for (const planned_delivery& planned : plan) {
    const std::uint64_t number = publications_.size();
    publication fresh;
    fresh.planned = planned;
    fresh.next = plan.size();
    if (is_log) {
      const std::string& key = workload_[planned.message].partition_key;
      fresh.partition = fmt::format("{}", partition_of(key, options_.partitions));
      if (const auto before = last.find(fresh.partition); before != last.end()) {
        publications_[before->second].next = number;
      }
      last[fresh.partition] = number;
    }
    publications_.push_back(std::move(fresh));
    ready_.insert(ready_.end(), number);
  }
  counts_.published = publications_.size();
}

std::uint32_t in_process_broker::open(std::span<const source_position> positions) {
  std::map<std::string, std::int64_t> from;
  for (const source_position& stored : positions) {
    from[stored.partition] = stored.position;
  }
  const lock held(mutex_);
  return begin_run(from);
}

std::uint32_t in_process_broker::open_at_acked() {
  const lock held(mutex_);
  return begin_run(acked_);
}

std::uint32_t in_process_broker::begin_run(const std::map<std::string, std::int64_t>& from) {
  return_all();
  if (options_.kind == broker_kind::log) {
    ready_.clear();
    for (std::uint64_t number = 0; number < publications_.size(); ++number) {
      const auto start = from.find(publications_[number].partition);
      if (start == from.end() || static_cast<std::int64_t>(number) >= start->second) {
        ready_.insert(ready_.end(), number);
      }
    }
  }
  open_ = true;
  changed_.notify_all();
  return ++run_;
}

void in_process_broker::end(std::uint32_t run) {
  const lock held(mutex_);
  if (run == run_) {
    open_ = false;
    return_all();
    changed_.notify_all();
  }
}

void in_process_broker::return_all() {
  for (const auto& [tag, one] : flights_) {
    ready_.insert(one.publication);
  }
  flights_.clear();
}

broker_answer in_process_broker::receive(std::uint32_t run, std::size_t messages, std::size_t bytes,
                                         std::chrono::milliseconds wait) {
  lock held(mutex_);
  const auto until = std::chrono::steady_clock::now() + wait;
  const auto can_go = [&] {
    make_visible();
    return run != run_ || !open_ || ended() || (!ready_.empty() && in_flight() < options_.prefetch);
  };
  changed_.wait_until(held, until, can_go);
  broker_answer answer;
  if (run != run_ || !open_) {
    return answer;
  }
  std::size_t taken = 0;
  while (answer.messages.size() < std::max<std::size_t>(messages, 1) && !ready_.empty() &&
         in_flight() < options_.prefetch && (taken < bytes || answer.messages.empty())) {
    answer.messages.push_back(deliver(*ready_.begin()));
    taken += answer.messages.back()->payload.size();
    make_visible();
  }
  answer.ended = ended();
  return answer;
}

message_ptr in_process_broker::deliver(std::uint64_t number) {
  publication& one = publications_[number];
  const scenario_message& said = workload_[one.planned.message];
  const bool is_log = options_.kind == broker_kind::log;
  auto made = std::make_shared<message>();
  made->payload = said.payload;
  made->headers = said.headers;
  made->redelivered = !is_log && one.delivered;  // a log doesn't know what it has handed out
  made->origin.source = options_.source;
  made->origin.partition = one.partition;
  made->origin.position = is_log ? static_cast<std::int64_t>(number) : ++last_tag_;
  made->origin.next = is_log ? static_cast<std::int64_t>(one.next) : 0;
  made->origin.assignment = run_;
  ready_.erase(number);
  flights_[made->origin.position] = {number, std::chrono::steady_clock::now()};
  ++counts_.deliveries;
  counts_.redeliveries += one.delivered ? 1 : 0;
  one.delivered = true;
  records_.push_back({run_, one.planned.message});
  return made;
}

void in_process_broker::make_visible() {
  // With nothing else to deliver, a visibility timeout passes idly.
  const bool idle = ready_.empty() && flights_.empty();
  while (!hidden_.empty() && (idle || hidden_.begin()->first <= counts_.deliveries)) {
    ready_.insert(hidden_.begin()->second);
    hidden_.erase(hidden_.begin());
  }
  if (options_.kind == broker_kind::queue) {
    const auto expired = std::chrono::steady_clock::now() - options_.visibility;
    while (!flights_.empty() && flights_.begin()->second.since < expired) {
      ready_.insert(flights_.begin()->second.publication);
      flights_.erase(flights_.begin());  // tags rise with time
    }
  }
}

void in_process_broker::ack(std::uint32_t run, std::span<const message_origin> finished) {
  const lock held(mutex_);
  for (const message_origin& origin : finished) {
    const auto found = flights_.find(origin.position);
    if (run != run_ || !open_ || found == flights_.end()) {
      ++counts_.late_acks;
      continue;
    }
    const std::uint64_t number = found->second.publication;
    publication& one = publications_[number];
    flights_.erase(found);
    if (one.planned.lost_ack_returns_after > 0 && !one.ack_lost &&
        options_.kind == broker_kind::queue) {
      one.ack_lost = true;
      ++counts_.lost_acks;
      hidden_.emplace(counts_.deliveries + one.planned.lost_ack_returns_after, number);
      continue;
    }
    settle(number);
  }
  changed_.notify_all();
}

void in_process_broker::settle(std::uint64_t number) {
  publication& one = publications_[number];
  if (options_.kind == broker_kind::log) {
    std::int64_t& position = acked_[one.partition];
    position = std::max(position, static_cast<std::int64_t>(one.next));
  }
  counts_.settled += one.settled ? 0 : 1;
  one.settled = true;
}

void in_process_broker::give_back(std::uint32_t run, const message_origin& origin) {
  const lock held(mutex_);
  const auto found = flights_.find(origin.position);
  if (run == run_ && open_ && found != flights_.end()) {
    ready_.insert(found->second.publication);
    flights_.erase(found);
    changed_.notify_all();
  }
}

bool in_process_broker::ended() const {
  const bool all_handed_out = ready_.empty() && hidden_.empty();
  return options_.kind == broker_kind::log ? all_handed_out : all_handed_out && flights_.empty();
}

std::size_t in_process_broker::in_flight() const { return flights_.size(); }

broker_counts in_process_broker::counts() const {
  const lock held(mutex_);
  return counts_;
}

std::uint64_t in_process_broker::left() const {
  const lock held(mutex_);
  return counts_.published - counts_.settled;
}

std::vector<delivery_record> in_process_broker::records() const {
  const lock held(mutex_);
  return records_;
}

}  // namespace pawl
