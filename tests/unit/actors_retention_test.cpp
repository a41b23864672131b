#include "actors/retention.hpp"
#include "tests/check.hpp"

using namespace pawl;
using what = retention_step::what;

namespace {

constexpr std::int64_t window = 1000;

ledger_generation generation(std::int64_t number, generation_state state, std::int64_t opened,
                             std::int64_t closed = 0) {
  ledger_generation one;
  one.slot = static_cast<int>(number);
  one.number = number;
  one.state = state;
  one.opened_ms = opened;
  one.closed_ms = closed;
  one.positions_known = true;
  return one;
}

/// Four tables: the shares of the window are two.
ledger_status ring(std::int64_t clock) {
  return {
      clock,
      {generation(1, generation_state::frozen, 0, 500),
       generation(2, generation_state::frozen, 500, 1000),
       generation(3, generation_state::current, 1000), generation(0, generation_state::empty, 0)}};
}

std::optional<what> step(const ledger_status& ledger,
                         const std::vector<source_position>& positions = {}) {
  const auto next = next_retention_step(ledger, window, positions);
  return next.has_value() ? std::optional(next->kind) : std::nullopt;
}

}  // namespace

TEST_CASE("a generation is closed when it has lived its share of the window") {
  CHECK_FALSE(step(ring(1499)).has_value());
  CHECK(step({500,
              {generation(1, generation_state::current, 0),
               generation(0, generation_state::empty, 0), generation(0, generation_state::empty, 0),
               generation(0, generation_state::empty, 0)}}) == what::rotate);
}

TEST_CASE("nothing is closed while no table is empty") {
  ledger_status full = ring(1499);
  full.ring[3] = generation(4, generation_state::frozen, 900, 950);
  full.ring[2].opened_ms = 0;
  CHECK_FALSE(step(full).has_value());
}

TEST_CASE("a frozen generation is retired when the window has passed since it was closed") {
  CHECK(step(ring(1500)) == what::retire);
  CHECK(next_retention_step(ring(1500), window, {})->generation == 1);
}

TEST_CASE("a retired generation is emptied before anything else") {
  ledger_status ledger = ring(5000);
  ledger.ring[1].state = generation_state::retired;
  const auto next = next_retention_step(ledger, window, {});
  REQUIRE(next.has_value());
  CHECK(next->kind == what::truncate);
  CHECK(next->generation == 2);
}

TEST_CASE("a generation stays until every log has passed what it can hold") {
  ledger_status ledger = ring(1500);
  ledger.ring[2].opened_ms = 1500;
  ledger.ring[0].highest = {{"orders", "0", 100, "a"}, {"orders", "1", 7, "a"}};
  CHECK_FALSE(step(ledger).has_value());
  CHECK_FALSE(step(ledger, {{"orders", "0", 100, "a"}}).has_value());
  CHECK_FALSE(step(ledger, {{"orders", "0", 99, "a"}, {"orders", "1", 7, "a"}}).has_value());
  CHECK(step(ledger, {{"orders", "0", 100, "a"}, {"orders", "1", 7, "a"}}) == what::retire);
}

TEST_CASE("a replaced file does not hold back the generations of the old one") {
  ledger_status ledger = ring(1500);
  ledger.ring[0].highest = {{"orders", "0", 100, "old"}};
  CHECK(step(ledger, {{"orders", "0", 3, "new"}}) == what::retire);
}

TEST_CASE("a generation whose highest positions are not recorded yet stays") {
  ledger_status ledger = ring(1500);
  ledger.ring[2].opened_ms = 1500;
  ledger.ring[0].positions_known = false;
  CHECK_FALSE(step(ledger).has_value());
}

TEST_CASE("what holds a generation past its window is told by name") {
  ledger_status ledger = ring(1500);
  ledger.ring[0].highest = {{"orders", "3", 100, "a"}};
  const std::string why = retention_held_by(ledger, window, {{"orders", "3", 99, "a"}});
  CHECK(why.find("orders/3") != std::string::npos);
  CHECK(why.find("100") != std::string::npos);
  CHECK(retention_held_by(ledger, window, {{"orders", "3", 100, "a"}}).empty());
  ledger.clock_ms = 1499;
  CHECK(retention_held_by(ledger, window, {}).empty());
}

TEST_CASE("a ring of two tables gives the whole window to one") {
  ledger_status small{
      999,
      {generation(1, generation_state::current, 0), generation(0, generation_state::empty, 0)}};
  CHECK_FALSE(step(small).has_value());
  small.clock_ms = 1000;
  CHECK(step(small) == what::rotate);
}
