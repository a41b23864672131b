#include "runtime/scenario/checkers.hpp"
#include "runtime/scenario/exact_number.hpp"
#include "tests/check.hpp"

namespace pawl {
namespace {

const message_contract ledger_contract = [] {
  message_contract made;
  made.pair = policies::ledger;
  return made;
}();
const message_contract latest_contract = [] {
  message_contract made;
  made.pair = policies::latest;
  return made;
}();
const message_contract sequence_contract = [] {
  message_contract made;
  made.pair = policies::sequence;
  return made;
}();

const entity_ref apple{"sku", "apple"};
const entity_ref pear{"sku", "pear"};

expected_pair pair_of(std::uint64_t message, const message_contract& contract,
                      std::optional<std::int64_t> version = {}) {
  expected_pair made;
  made.message = message;
  made.entity = apple;
  made.type = "T";
  made.id = std::to_string(message);
  made.contract = &contract;
  made.content = {message};
  if (version) {
    made.version = message_version{*version};
  }
  return made;
}

probe_row probe(std::int64_t sequence, std::uint64_t message, std::uint32_t run = 1) {
  return {sequence, run, apple, message};
}

const ground_truth three_orders({pair_of(0, ledger_contract), pair_of(1, ledger_contract),
                                 pair_of(2, ledger_contract)});

}  // namespace

TEST_CASE("effects once: a message that took effect twice is named") {
  evidence found;
  found.probes = {probe(1, 0), probe(2, 1)};
  CHECK(effects_once().check(three_orders, found).holds);
  found.probes.push_back(probe(3, 1));
  const auto answer = effects_once().check(three_orders, found);
  CHECK_FALSE(answer.holds);
  CHECK(answer.got == "1 too many");
  CHECK(answer.counterexamples ==
        std::vector<std::string>{"message 1 (T for sku apple) took effect 2 times"});
}

TEST_CASE("effects once: an effect on an entity that the message doesn't name is one too many") {
  evidence found;
  found.probes = {{1, 1, pear, 0}};
  CHECK_FALSE(effects_once().check(three_orders, found).holds);
}

TEST_CASE("order: within a run, what came first takes effect first") {
  evidence found;
  found.deliveries = {{1, 1}, {1, 0}, {1, 2}};
  found.probes = {probe(1, 1), probe(2, 0), probe(3, 2)};
  CHECK(order_per_entity().check(three_orders, found).holds);
  found.probes = {probe(1, 0), probe(2, 1), probe(3, 2)};
  CHECK_FALSE(order_per_entity().check(three_orders, found).holds);
}

TEST_CASE("order: a repeat is no matter of order under `arrival`") {
  evidence found;
  found.deliveries = {{1, 0}, {1, 1}, {1, 0}};
  found.probes = {probe(1, 0), probe(2, 1), probe(3, 0)};
  CHECK(order_per_entity().check(three_orders, found).holds);
}

TEST_CASE("order: a later run starts anew, since what it gets again may come in another order") {
  evidence found;
  found.deliveries = {{1, 0}, {1, 1}, {2, 0}};
  found.probes = {probe(1, 1, 1), probe(2, 0, 2)};
  CHECK(order_per_entity().check(three_orders, found).holds);
}

TEST_CASE("order: under `latest` versions only rise") {
  const ground_truth truth({pair_of(0, latest_contract, 1), pair_of(1, latest_contract, 2),
                            pair_of(2, latest_contract, 3)});
  evidence found;
  found.probes = {probe(1, 0), probe(2, 2)};
  CHECK(order_per_entity().check(truth, found).holds);
  found.probes.push_back(probe(3, 1));
  const auto answer = order_per_entity().check(truth, found);
  CHECK_FALSE(answer.holds);
  CHECK(answer.counterexamples.at(0) ==
        "message 1 (T for sku apple, version 2) took effect after version 3");
}

TEST_CASE("order: under `sequence` versions come one by one from 1") {
  const ground_truth truth({pair_of(0, sequence_contract, 1), pair_of(1, sequence_contract, 2),
                            pair_of(2, sequence_contract, 3)});
  evidence found;
  found.probes = {probe(1, 0), probe(2, 1), probe(3, 2)};
  CHECK(order_per_entity().check(truth, found).holds);
  found.probes = {probe(1, 0), probe(2, 2)};
  CHECK_FALSE(order_per_entity().check(truth, found).holds);
  found.probes = {probe(1, 1), probe(2, 2)};
  CHECK_FALSE(order_per_entity().check(truth, found).holds);
}

TEST_CASE("nothing lost: a message without a trace is named") {
  evidence found;
  found.probes = {probe(1, 0), probe(2, 2)};
  const auto answer = nothing_lost().check(three_orders, found);
  CHECK_FALSE(answer.holds);
  CHECK(answer.counterexamples ==
        std::vector<std::string>{"message 1 (T for sku apple) left no trace"});
}

TEST_CASE("nothing lost: a dead letter and a parked message are accounted for") {
  evidence found;
  found.probes = {probe(1, 0)};
  found.dead = {{1, apple, "handler"}};
  found.parked = {{2, apple, {}}};
  CHECK(nothing_lost().check(three_orders, found).holds);
}

TEST_CASE("nothing lost: two outcomes for one message are one too many") {
  evidence found;
  found.probes = {probe(1, 0), probe(2, 1), probe(3, 2)};
  found.dead = {{1, apple, "handler"}};
  const auto answer = nothing_lost().check(three_orders, found);
  CHECK(answer.counterexamples ==
        std::vector<std::string>{"message 1 (T for sku apple) has two outcomes: applied dead"});
}

TEST_CASE("nothing lost: a stale message needs a higher stored version") {
  const ground_truth truth({pair_of(0, latest_contract, 1), pair_of(1, latest_contract, 2)});
  evidence found;
  found.probes = {probe(1, 1)};
  CHECK_FALSE(nothing_lost().check(truth, found).holds);
  found.versions[apple] = message_version{2};
  CHECK(nothing_lost().check(truth, found).holds);
}

TEST_CASE("nothing lost: under `sequence` no version is stale by itself") {
  const ground_truth truth({pair_of(0, sequence_contract, 1), pair_of(1, sequence_contract, 2)});
  evidence found;
  found.probes = {probe(1, 1)};
  found.versions[apple] = message_version{2};
  CHECK_FALSE(nothing_lost().check(truth, found).holds);
}

TEST_CASE("nothing lost: a repeat of one id and content is a duplicate, other content is lost") {
  expected_pair twin = pair_of(1, ledger_contract);
  twin.id = "0";
  twin.content = {0};
  evidence found;
  found.probes = {probe(1, 0)};
  CHECK(nothing_lost().check(ground_truth({pair_of(0, ledger_contract), twin}), found).holds);
  twin.content = {9};
  CHECK_FALSE(nothing_lost().check(ground_truth({pair_of(0, ledger_contract), twin}), found).holds);
}

TEST_CASE("exact numbers: what is added and compared is not rounded") {
  const auto number = [](std::string_view text) { return exact_number::parse(text).value(); };
  CHECK(number("0.10").plus(number("0.2"))->text() == "0.3");
  CHECK(number("-1.5").plus(number("1.50"))->text() == "0");
  CHECK(number("2.0") == number("2"));
  CHECK(number("-0.05").text() == "-0.05");
  CHECK(number("9").less_than(number("9.1")));
  CHECK_FALSE(exact_number::parse("1e3"));
  CHECK_FALSE(exact_number::parse(""));
  CHECK_FALSE(exact_number::parse("1."));
  CHECK_FALSE(exact_number::parse("12x"));
}

}  // namespace pawl
