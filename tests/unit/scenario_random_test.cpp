#include "runtime/scenario/seeded_random.hpp"
#include "tests/check.hpp"

#include <vector>

namespace pawl {

TEST_CASE("a seed gives the same numbers on every machine") {
  seeded_random random(7, "workload");
  CHECK(random.next() == 4000429530375288061U);
  CHECK(random.below(100) == 89);
  CHECK(random.between(-5, 5) == 5);
}

TEST_CASE("streams of one seed are independent of each other") {
  seeded_random one(7, "reorder");
  seeded_random other(7, "duplicate");
  CHECK(one.next() != other.next());
}

TEST_CASE("random numbers keep their bounds") {
  property("below", [](std::uint64_t seed, std::uint64_t bound) {
    RC_PRE(bound > 0U);
    RC_ASSERT(seeded_random(seed, "x").below(bound) < bound);
  });
  property("between", [](std::uint64_t seed, std::int64_t low, std::int64_t high) {
    RC_PRE(low <= high);
    const std::int64_t drawn = seeded_random(seed, "x").between(low, high);
    RC_ASSERT((drawn >= low && drawn <= high));
  });
}

TEST_CASE("a chance strikes as often as it says") {
  seeded_random random(1, "chance");
  int struck = 0;
  for (int i = 0; i < 100'000; ++i) {
    struck += random.chance(0.1) ? 1 : 0;
  }
  CHECK(struck > 9'500);
  CHECK(struck < 10'500);
  CHECK_FALSE(random.chance(0));
  CHECK(random.chance(1));
}

TEST_CASE("under Zipf the second entity is met half as often as the first") {
  seeded_random random(3, "zipf");
  const zipf_ranks ranks(200);
  std::vector<int> met(200);
  for (int i = 0; i < 200'000; ++i) {
    ++met[ranks.pick(random)];
  }
  // The harmonic number of 200 is 5.878.
  CHECK(met[0] == Approx(200'000 / 5.878).epsilon(0.03));
  CHECK(met[1] == Approx(met[0] / 2.0).epsilon(0.05));
  CHECK(met[9] == Approx(met[0] / 10.0).epsilon(0.1));
  CHECK(met[199] > 0);
}

}  // namespace pawl
