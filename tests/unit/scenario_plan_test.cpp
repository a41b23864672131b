#include "runtime/scenario/crash_switch.hpp"
#include "runtime/scenario/delivery_plan.hpp"
#include "runtime/scenario/probe_table.hpp"
#include "tests/check.hpp"

#include <cstdlib>
#include <map>

namespace pawl {

TEST_CASE("without faults messages are published once and in order") {
  const auto plan = plan_deliveries(100, {}, 1);
  REQUIRE(plan.size() == 100);
  for (std::size_t at = 0; at < plan.size(); ++at) {
    CHECK(plan[at].message == at);
    CHECK(plan[at].lost_ack_returns_after == 0);
  }
}

TEST_CASE("a plan has the shares that were asked for, and every message") {
  fault_config faults;
  faults.duplicate = 0.10;
  faults.reorder_share = 0.05;
  faults.reorder_distance = 50;
  faults.lost_ack = 0.02;
  const auto plan = plan_deliveries(20'000, faults, 7);
  std::map<std::uint64_t, int> times;
  int duplicates = 0;
  int lost = 0;
  for (const planned_delivery& one : plan) {
    ++times[one.message];
    duplicates += one.duplicate ? 1 : 0;
    lost += one.lost_ack_returns_after > 0 ? 1 : 0;
    CHECK((!one.duplicate || times[one.message] == 2));
  }
  CHECK(times.size() == 20'000);
  CHECK(duplicates == Approx(2'000).epsilon(0.1));
  CHECK(lost == Approx(440).epsilon(0.2));
}

TEST_CASE("a late message overtakes nothing and is overtaken by at most the distance") {
  fault_config faults;
  faults.reorder_share = 0.3;
  faults.reorder_distance = 20;
  const auto plan = plan_deliveries(5'000, faults, 3);
  int moved = 0;
  for (std::size_t at = 0; at < plan.size(); ++at) {
    const auto distance = static_cast<long>(at) - static_cast<long>(plan[at].message);
    CHECK(std::labs(distance) <= 20);
    moved += distance > 0 ? 1 : 0;
  }
  CHECK(moved > 500);
}

TEST_CASE("a fault leaves the others' plans as they were") {
  fault_config faults;
  faults.lost_ack = 0.1;
  const auto plan = plan_deliveries(1'000, faults, 5);
  faults.reorder_share = 0.0;
  faults.reorder_distance = 10;
  const auto same = plan_deliveries(1'000, faults, 5);
  for (std::size_t at = 0; at < plan.size(); ++at) {
    CHECK(plan[at].lost_ack_returns_after == same[at].lost_ack_returns_after);
  }
}

TEST_CASE("a crash strikes at its point once so many are finished, and again after as many") {
  std::uint64_t settled = 0;
  int struck = 0;
  crash_switch crashes(
      crash_config{fault_point::before_commit, 10}, [&] { return settled; }, [&] { ++struck; });
  CHECK_FALSE(crashes.reached(fault_point::before_commit));
  settled = 12;
  CHECK_FALSE(crashes.reached(fault_point::after_fence));
  CHECK(crashes.reached(fault_point::before_commit));
  CHECK(crashes.reached(fault_point::after_fence));  // a dead process goes nowhere
  crashes.next_run();
  CHECK_FALSE(crashes.reached(fault_point::before_commit));
  settled = 20;
  CHECK(crashes.reached(fault_point::before_commit));
  CHECK(struck == 2);
  CHECK(crashes.crashes() == 2);
}

TEST_CASE("planned throws keep their share and never use up a message's attempts") {
  throw_plan some(7, 0.05, 5, 20'000);
  int thrown = 0;
  for (std::uint64_t message = 0; message < 20'000; ++message) {
    thrown += some.throws(message) ? 1 : 0;
  }
  CHECK(thrown == Approx(1'000).epsilon(0.15));

  throw_plan always(7, 1.0, 5, 1);
  int in_all = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    in_all += always.throws(0) ? 1 : 0;
  }
  CHECK(in_all == 4);
  CHECK(always.thrown() == 4);
}

}  // namespace pawl
