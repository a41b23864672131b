// How much processor time one message takes from bytes to an addressed pair.
#include "protocol/decode.hpp"

#include "protocol/hash.hpp"

#include <cstdio>
#include <ctime>

using namespace pawl;

namespace {

constexpr int rounds = 500'000;

constexpr std::string_view payload =
    R"({"messageId":"0190f3a2-7c1e-7b44-9d55-0123456789ab","type":"OrderPlaced",)"
    R"("ts":1718000000123,"customer":{"id":"c-1029","name":"Ada Example","tier":3},)"
    R"("sku":"A-1029","quantity":3,"amount":12345.10,"currency":"EUR","note":"leave at door",)"
    R"("paid":true})";

message_contract make_contract(bool with_fields) {
  message_contract made;
  made.type = "OrderPlaced";
  made.entity_type = "sku";
  made.key = {*parse_path("$.sku")};
  made.id = {*parse_path("$.messageId")};
  made.pair = policies::ledger;
  if (with_fields) {
    for (const char* one : {"$.sku", "$.quantity", "$.amount", "$.customer.id"}) {
      made.fields.push_back({*parse_path(one), false});
    }
  }
  return made;
}

template <class Work>
double nanoseconds_each(const Work& work) {
  const std::clock_t start = std::clock();  // of the processor: other work does not count
  for (int i = 0; i < rounds; ++i) {
    work();
  }
  const auto ticks = static_cast<double>(std::clock() - start);
  return ticks / CLOCKS_PER_SEC * 1e9 / rounds;
}

double measure(const message_contract& contract) {
  message_decoder decoder({"inventory", {&contract}, "$.type"});
  auto received = std::make_shared<message>();
  received->payload = payload;
  received->origin = {"orders", "0", 42, 43, 1};
  std::size_t pairs = 0;
  const double took = nanoseconds_each([&] { pairs += decoder.decode(received).size(); });
  invariant(pairs == rounds, "the benchmark's message was not decoded");
  return took;
}

}  // namespace

int main() {
  std::size_t keys = 0;
  const double hashing = nanoseconds_each([&keys] {
    keys += make_ledger_key("inventory", {"sku", "A-1029"}, "0190f3a2-7c1e-7b44-9d55-0123456789ab")
                .bytes[0];
  });
  std::printf("message of %zu bytes\n", payload.size());
  std::printf("decode, 4 fields            %6.0f ns/message\n", measure(make_contract(true)));
  std::printf("decode, fingerprint of all  %6.0f ns/message\n", measure(make_contract(false)));
  std::printf("of which the ledger key     %6.0f ns (%zu)\n", hashing, keys % 10);
}
