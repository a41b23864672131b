#include "runtime/scenario/in_process_broker.hpp"
#include "tests/check.hpp"

#include <set>
#include <thread>

namespace pawl {
namespace {

using namespace std::chrono_literals;

std::vector<scenario_message> numbered_messages(std::size_t count) {
  std::vector<scenario_message> all(count);
  for (std::size_t number = 0; number < count; ++number) {
    all[number].payload = std::to_string(number);
    all[number].partition_key = "key-" + std::to_string(number % 3);
  }
  return all;
}

std::vector<planned_delivery> as_they_are(std::size_t count) {
  return plan_deliveries(count, {}, 1);
}

std::vector<std::string> payloads(const broker_answer& answer) {
  std::vector<std::string> all;
  for (const message_ptr& one : answer.messages) {
    all.push_back(one->payload);
  }
  return all;
}

void ack_all(in_process_broker& broker, std::uint32_t run, const broker_answer& answer) {
  for (const message_ptr& one : answer.messages) {
    broker.ack(run, std::span(&one->origin, 1));
  }
}

}  // namespace

TEST_CASE("a queue ends when everything is acknowledged, not when it is handed out") {
  const auto workload = numbered_messages(3);
  in_process_broker broker({}, workload, as_they_are(3));
  const auto run = broker.open({});
  const auto answer = broker.receive(run, 10, SIZE_MAX, 0ms);
  CHECK(payloads(answer) == std::vector<std::string>{"0", "1", "2"});
  CHECK_FALSE(answer.ended);
  ack_all(broker, run, answer);
  CHECK(broker.receive(run, 10, SIZE_MAX, 0ms).ended);
  CHECK(broker.counts().settled == 3);
}

TEST_CASE("what a dead consumer left comes back in its place and marked as redelivered") {
  const auto workload = numbered_messages(3);
  in_process_broker broker({}, workload, as_they_are(3));
  const auto first = broker.open({});
  const auto answer = broker.receive(first, 2, SIZE_MAX, 0ms);
  broker.ack(first, std::span(&answer.messages[1]->origin, 1));
  broker.end(first);
  const auto second = broker.open({});
  const auto again = broker.receive(second, 10, SIZE_MAX, 0ms);
  REQUIRE(payloads(again) == std::vector<std::string>{"0", "2"});
  CHECK(again.messages[0]->redelivered);
  CHECK_FALSE(again.messages[1]->redelivered);
  CHECK(broker.counts().redeliveries == 1);
}

TEST_CASE("the acknowledgements of a consumer that is gone count for nothing") {
  const auto workload = numbered_messages(1);
  in_process_broker broker({}, workload, as_they_are(1));
  const auto first = broker.open({});
  const auto answer = broker.receive(first, 1, SIZE_MAX, 0ms);
  SECTION("after a crash") { broker.end(first); }
  SECTION("after another consumer took over") { broker.open({}); }
  ack_all(broker, first, answer);
  CHECK(broker.counts().late_acks == 1);
  CHECK(broker.counts().settled == 0);
  CHECK(broker.receive(first, 1, SIZE_MAX, 0ms).messages.empty());
}

TEST_CASE("a lost acknowledgement brings the message back once, after other deliveries") {
  const auto workload = numbered_messages(5);
  auto plan = as_they_are(5);
  plan[0].lost_ack_returns_after = 3;
  in_process_broker broker({}, workload, plan);
  const auto run = broker.open({});
  std::vector<std::string> seen;
  for (;;) {
    const auto answer = broker.receive(run, 1, SIZE_MAX, 0ms);
    if (answer.messages.empty()) {
      CHECK(answer.ended);
      break;
    }
    seen.push_back(answer.messages[0]->payload);
    ack_all(broker, run, answer);
  }
  CHECK(seen == std::vector<std::string>{"0", "1", "2", "3", "0", "4"});
  CHECK(broker.counts().lost_acks == 1);
}

TEST_CASE("an acknowledgement that is lost last of all still comes back") {
  const auto workload = numbered_messages(1);
  auto plan = as_they_are(1);
  plan[0].lost_ack_returns_after = 500;
  in_process_broker broker({}, workload, plan);
  const auto run = broker.open({});
  ack_all(broker, run, broker.receive(run, 1, SIZE_MAX, 0ms));
  const auto again = broker.receive(run, 1, SIZE_MAX, 0ms);
  REQUIRE(again.messages.size() == 1);
  CHECK(again.messages[0]->redelivered);
}

TEST_CASE("a delivery that is not acknowledged in time comes again, and its old tag is dead") {
  const auto workload = numbered_messages(1);
  broker_options options;
  options.visibility = 5ms;
  in_process_broker broker(options, workload, as_they_are(1));
  const auto run = broker.open({});
  const auto answer = broker.receive(run, 1, SIZE_MAX, 0ms);
  std::this_thread::sleep_for(20ms);
  const auto again = broker.receive(run, 1, SIZE_MAX, 0ms);
  REQUIRE(again.messages.size() == 1);
  ack_all(broker, run, answer);
  CHECK(broker.counts().settled == 0);
  ack_all(broker, run, again);
  CHECK(broker.counts().settled == 1);
}

TEST_CASE("a consumer holds no more than its prefetch unacknowledged") {
  const auto workload = numbered_messages(10);
  broker_options options;
  options.prefetch = 4;
  in_process_broker broker(options, workload, as_they_are(10));
  const auto run = broker.open({});
  const auto answer = broker.receive(run, 10, SIZE_MAX, 0ms);
  CHECK(answer.messages.size() == 4);
  CHECK(broker.receive(run, 10, SIZE_MAX, 0ms).messages.empty());
  broker.ack(run, std::span(&answer.messages[0]->origin, 1));
  CHECK(broker.receive(run, 10, SIZE_MAX, 0ms).messages.size() == 1);
}

TEST_CASE("a log keeps the order of a partition and names what follows, holes and all") {
  const auto workload = numbered_messages(30);
  broker_options options;
  options.kind = broker_kind::log;
  in_process_broker broker(options, workload, as_they_are(30));
  const auto run = broker.open({});
  const auto answer = broker.receive(run, 100, SIZE_MAX, 0ms);
  REQUIRE(answer.messages.size() == 30);
  CHECK(answer.ended);
  std::map<std::string, message_origin> last;
  std::map<int, std::string> partition_of_key;
  for (const message_ptr& one : answer.messages) {
    const message_origin& at = one->origin;
    if (const auto before = last.find(at.partition); before != last.end()) {
      CHECK(before->second.position < at.position);
      CHECK(before->second.next == at.position);
    }
    last[at.partition] = at;
    const int key = std::stoi(one->payload) % 3;
    CHECK(partition_of_key.try_emplace(key, at.partition).first->second == at.partition);
  }
}

TEST_CASE("a log is read again from the stored position") {
  const auto workload = numbered_messages(6);
  broker_options options;
  options.kind = broker_kind::log;
  options.partitions = 1;
  in_process_broker broker(options, workload, as_they_are(6));
  const auto first = broker.open({});
  ack_all(broker, first, broker.receive(first, 6, SIZE_MAX, 0ms));
  SECTION("the consumer keeps it itself: acknowledgements don't move it") {
    const std::vector<source_position> stored{{"broker", "0", 4, "scenario"}};
    CHECK(payloads(broker.receive(broker.open(stored), 9, SIZE_MAX, 0ms)) ==
          std::vector<std::string>{"4", "5"});
    CHECK(broker.receive(broker.open({}), 9, SIZE_MAX, 0ms).messages.size() == 6);
  }
  SECTION("the broker keeps it") {
    CHECK(broker.receive(broker.open_at_acked(), 9, SIZE_MAX, 0ms).messages.empty());
  }
}

}  // namespace pawl
