#include "protocol/order.hpp"
#include "tests/check.hpp"

using namespace pawl;

namespace {

constexpr fingerprint same{7};
constexpr fingerprint other{8};

order_verdict latest(std::optional<message_version> current, std::int64_t incoming,
                     fingerprint content = same) {
  return decide_order(order_policy::latest, sequence_start::one, {current, same}, {incoming},
                      content);
}

order_verdict sequence(std::optional<message_version> current, std::int64_t incoming,
                       fingerprint content = same, sequence_start start = sequence_start::one) {
  return decide_order(order_policy::sequence, start, {current, same}, {incoming}, content);
}

}  // namespace

TEST_CASE("under latest any higher version applies, however far it jumps") {
  CHECK(latest(std::nullopt, 0) == order_verdict::apply);
  CHECK(latest(message_version{3}, 4) == order_verdict::apply);
  CHECK(latest(message_version{3}, INT64_MAX) == order_verdict::apply);
}

TEST_CASE("a lower version is stale under both orders") {
  CHECK(latest(message_version{3}, 2) == order_verdict::stale);
  CHECK(sequence(message_version{3}, 2) == order_verdict::stale);
  CHECK(sequence(message_version{3}, 0) == order_verdict::stale);
}

TEST_CASE("an equal version is a duplicate with the same content and a conflict with another") {
  CHECK(latest(message_version{3}, 3) == order_verdict::duplicate);
  CHECK(latest(message_version{3}, 3, other) == order_verdict::conflict);
  CHECK(sequence(message_version{3}, 3) == order_verdict::duplicate);
  CHECK(sequence(message_version{3}, 3, other) == order_verdict::conflict);
}

TEST_CASE("an equal version fingerprinted by another recipe is a duplicate") {
  const fingerprint another_recipe{(std::uint64_t{1} << 48U) | 8U};
  CHECK(sequence(message_version{3}, 3, another_recipe) == order_verdict::duplicate);
}

TEST_CASE("under sequence only the next version applies and a higher one is a gap") {
  CHECK(sequence(message_version{3}, 4) == order_verdict::apply);
  CHECK(sequence(message_version{3}, 5) == order_verdict::gap);
  CHECK(sequence(message_version{INT64_MAX - 1}, INT64_MAX) == order_verdict::apply);
  CHECK(sequence(message_version{INT64_MAX}, INT64_MAX) == order_verdict::duplicate);
}

TEST_CASE("a sequence begins with version 1, or with whichever comes first if declared so") {
  CHECK(sequence(std::nullopt, 1) == order_verdict::apply);
  CHECK(sequence(std::nullopt, 2) == order_verdict::gap);
  CHECK(sequence(std::nullopt, 0) == order_verdict::stale);
  CHECK(sequence(std::nullopt, 42, same, sequence_start::first) == order_verdict::apply);
  CHECK(sequence(std::nullopt, 0, same, sequence_start::first) == order_verdict::apply);
}
