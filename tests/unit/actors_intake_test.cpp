#include "actors/intake.hpp"
#include "protocol/hash.hpp"
#include "tests/check.hpp"

using namespace pawl;

namespace {

/// Orders, one entity per line.
message_contract order_lines() {
  message_contract made;
  made.type = "Order";
  made.entity_type = "sku";
  made.key = {parse_path("$.lines[*]").value()};
  made.id = {parse_path("$.id").value()};
  made.pair = policies::ledger;
  return made;
}

class at_intake {
 public:
  explicit at_intake(intake_settings settings = {0, 4, 100, 1000, 50, {"Noise"}},
                     bool is_log = true)
      : contract_(order_lines()), under_test(settings, {"c", {&contract_}, "$.type"}, is_log) {}

  intake::addressed receive(const std::string& payload, std::int64_t position,
                            std::int64_t assignment = 0, std::int64_t next = -1) {
    auto one = std::make_shared<message>();
    one->payload = payload;
    one->origin = {"orders", "0", position, next < 0 ? position + 1 : next, assignment};
    return under_test.address({one});
  }

 private:
  message_contract contract_;

 public:
  intake under_test;
};

const std::string two_lines = R"({"type":"Order","id":"1","lines":["a","b"]})";
const std::string no_lines = R"({"type":"Order","id":"1","lines":[]})";

std::vector<task_ptr> tasks_of(const intake::addressed& routed) {
  std::vector<task_ptr> all;
  for (const auto& shard : routed.per_shard) {
    all.insert(all.end(), shard.begin(), shard.end());
  }
  return all;
}

}  // namespace

TEST_CASE("a message that names two entities gives each a task and waits for both") {
  at_intake at;
  const auto tasks = tasks_of(at.receive(two_lines, 0));
  REQUIRE(tasks.size() == 2);
  CHECK(tasks[0]->waiting[0] == tasks[1]->waiting[0]);
  CHECK_FALSE(tasks[0]->waiting[0]->finish_one());
  CHECK(tasks[0]->waiting[0]->finish_one());
}

TEST_CASE("a task goes to the shard that its entity hashes to") {
  at_intake at;
  const auto routed = at.receive(two_lines, 0);
  REQUIRE(routed.per_shard.size() == 4);
  for (std::uint32_t shard = 0; shard < 4; ++shard) {
    for (const task_ptr& one : routed.per_shard[shard]) {
      CHECK(shard_of(one->pair->entity, 4).value == shard);
      CHECK(one->shard.value == shard);
    }
  }
}

TEST_CASE("a message that addresses nobody is finished at once and counted") {
  at_intake at;
  const auto routed = at.receive(no_lines, 0);
  CHECK(routed.unaddressed == 1);
  CHECK(routed.pairs == 0);
  REQUIRE(routed.finished.size() == 1);
  CHECK(at.under_test.finish(routed.finished).size() == 1);
  CHECK(at.under_test.held() == 0);
}

TEST_CASE("a type that the source ignores is finished at once, any other unknown one is not") {
  at_intake at;
  CHECK(at.receive(R"({"type":"Noise"})", 0).ignored == 1);
  const auto unknown = at.receive(R"({"type":"Noise2"})", 1);
  CHECK(unknown.ignored == 0);
  REQUIRE(tasks_of(unknown).size() == 1);
  CHECK(tasks_of(unknown)[0]->pair->undecodable.has_value());
}

TEST_CASE("an intake polls until its credits are used, and again when deliveries finish") {
  at_intake at({0, 4, 2, 1'000'000, 50, {}});
  CHECK(at.under_test.limits({}).messages == 2);
  const auto first = at.receive(two_lines, 0);
  CHECK(at.under_test.limits({}).messages == 1);
  (void)at.receive(two_lines, 1);
  CHECK_FALSE(at.under_test.may_poll());
  (void)at.under_test.finish({tasks_of(first)[0]->waiting[0]});
  CHECK(at.under_test.may_poll());
  CHECK(at.under_test.limits({}).bytes == 1'000'000 - two_lines.size());
}

TEST_CASE("one poll asks for no more than it may, however many credits are left") {
  at_intake at;
  CHECK(at.under_test.limits({}).messages == 50);
}

TEST_CASE("a frontier is told when it has moved, and then not again") {
  at_intake at;
  const auto first = at.receive(two_lines, 10, 0, 20);
  const auto second = at.receive(two_lines, 20, 0, 30);
  CHECK(at.under_test.moved_frontiers().at("0") == 10);
  (void)at.under_test.finish({tasks_of(second)[0]->waiting[0]});
  CHECK(at.under_test.moved_frontiers().empty());
  (void)at.under_test.finish({tasks_of(first)[0]->waiting[0]});
  CHECK(at.under_test.moved_frontiers().at("0") == 30);
  CHECK(at.under_test.moved_frontiers().empty());
}

TEST_CASE("a queue has no frontier, and every delivery is acknowledged by its coordinates") {
  at_intake at({0, 4, 100, 1000, 50, {}}, false);
  const auto routed = at.receive(two_lines, 7);
  CHECK(at.under_test.moved_frontiers().empty());
  CHECK(at.under_test.highest().empty());
  const auto origins = at.under_test.finish({tasks_of(routed)[0]->waiting[0]});
  REQUIRE(origins.size() == 1);
  CHECK(origins[0].position == 7);
}

TEST_CASE("an ack of an assignment that has ended gives credits back and moves nothing") {
  at_intake at;
  const auto old = at.receive(two_lines, 10, 1);
  const auto fresh = at.receive(two_lines, 10, 2);
  CHECK(at.under_test.finish({tasks_of(old)[0]->waiting[0]}).empty());
  CHECK(at.under_test.held() == 1);
  CHECK(at.under_test.moved_frontiers().at("0") == 10);
  CHECK(at.under_test.finish({tasks_of(fresh)[0]->waiting[0]}).size() == 1);
  CHECK(at.under_test.moved_frontiers().at("0") == 11);
}

TEST_CASE("the highest position delivered is kept over a new assignment that starts lower") {
  at_intake at;
  (void)at.receive(two_lines, 10, 1);
  (void)at.receive(two_lines, 3, 2);
  CHECK(at.under_test.highest().at("0") == 11);
}
