#pragma once

#include "protocol/message.hpp"

#include <string>
#include <string_view>

namespace pawl {

/// What parked messages, dead letters and recordings hold: the message as received, and how it was
/// addressed. Protobuf (`envelope.proto`), whose field numbers are never reused.
struct envelope {
  message_ptr received;
  std::string type;
  std::string id;
  entity_ref entity;
};

[[nodiscard]] std::string encode_envelope(const addressed_message& pair);

/// Total: truncated, garbage, oversized or invalid bytes give a `poison` error.
[[nodiscard]] result<envelope> decode_envelope(std::string_view bytes);

}  // namespace pawl
