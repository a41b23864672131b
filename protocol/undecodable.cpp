#include "protocol/undecodable.hpp"

#include "protocol/hash.hpp"
#include "protocol/limits.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

/// Of a payload that its source has cut already: what it had.
std::size_t payload_bytes(const message& received) {
  return std::max(received.payload.size(), received.full_bytes);
}

std::size_t bytes_of(const header& one) { return one.name.size() + one.value.size(); }

std::size_t header_bytes(const message& received) {
  std::size_t bytes = 0;
  for (const header& one : received.headers) {
    bytes += bytes_of(one);
  }
  return bytes;
}

/// What a dead letter keeps of an oversized message: the beginning of payload and headers.
message_ptr cut_to_limits(const message_ptr& received) {
  if (!check_size(*received)) {
    return received;
  }
  auto cut = std::make_shared<message>();
  if (payload_bytes(*received) > limits::payload_bytes_max) {
    cut->payload = received->payload.substr(0, limits::dead_letter_bytes_max);
    cut->full_bytes = payload_bytes(*received);
  } else {
    cut->payload = received->payload;
  }
  std::size_t bytes = 0;
  for (const header& one : received->headers) {
    bytes += bytes_of(one);
    if (bytes > limits::header_bytes_max || cut->headers.size() == limits::headers_max) {
      break;
    }
    cut->headers.push_back(one);
  }
  cut->origin = received->origin;
  cut->redelivered = received->redelivered;
  return cut;
}

}  // namespace

std::string coordinates_of(const message_origin& origin) {
  return origin.source + "/" + origin.partition + "@" + std::to_string(origin.position);
}

std::optional<error> check_size(const message& received) {
  const auto over = [](std::string_view part, std::size_t size, std::size_t most) {
    return error{fault::poison, "size",
                 "the message has " + std::to_string(size) + " " + std::string(part) +
                     ", more than " + std::to_string(most)};
  };
  if (const std::size_t bytes = payload_bytes(received); bytes > limits::payload_bytes_max) {
    return over("bytes of payload", bytes, limits::payload_bytes_max);
  }
  if (received.headers.size() > limits::headers_max) {
    return over("headers", received.headers.size(), limits::headers_max);
  }
  if (const std::size_t bytes = header_bytes(received); bytes > limits::header_bytes_max) {
    return over("bytes of headers", bytes, limits::header_bytes_max);
  }
  return std::nullopt;
}

const message_contract& undecodable_contract() {
  static const message_contract contract = [] {
    message_contract made;
    made.entity_type = source_entity_type;
    made.pair = policies::ledger;
    made.on_dead = on_dead_policy::skip;
    return made;
  }();
  return contract;
}

addressed_ptr make_undecodable(std::string_view consumer, const message_ptr& received,
                               const std::string& type, error why) {
  auto pair = std::make_shared<addressed_message>();
  const message_origin& origin = received->origin;
  why.text = cut_utf8(why.text, limits::error_text_bytes_max);
  pair->source = cut_to_limits(received);
  pair->contract = &undecodable_contract();
  pair->type = type;
  pair->id = coordinates_of(origin);
  pair->entity = {std::string(source_entity_type), origin.source + "/" + origin.partition};
  pair->key = make_ledger_key(consumer, pair->entity, pair->id);
  pair->content = make_fingerprint(0, pair->source->payload);
  pair->undecodable = std::move(why);
  return pair;
}

}  // namespace pawl
