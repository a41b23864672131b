#include "protocol/envelope.hpp"

#include "protocol/envelope.pb.h"
#include "protocol/limits.hpp"
#include "protocol/utf8.hpp"

#include <google/protobuf/message.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace pawl {
namespace {

using problem = std::optional<error>;

error damaged(std::string text) {
  return {fault::poison, "envelope", "the stored message can't be read: " + std::move(text)};
}

problem check_text(const std::string& text, std::string_view what, std::size_t bytes_max) {
  std::string why;
  if (text.size() > bytes_max) {
    why = " is longer than " + std::to_string(bytes_max) + " bytes";
  } else if (text.find('\0') != std::string::npos) {
    why = " holds a NUL character";
  } else if (!valid_utf8(text)) {
    why = " is not valid UTF-8";
  }
  return why.empty() ? std::nullopt : problem(damaged("its " + std::string(what) + why));
}

/// Whether a part has a field number that this release does not know.
bool holds_unknown(const google::protobuf::Message& part) {
  return !part.GetReflection()->GetUnknownFields(part).empty();
}

bool holds_unknown_anywhere(const v1::Envelope& stored) {
  return holds_unknown(stored) || holds_unknown(stored.origin()) ||
         holds_unknown(stored.entity()) ||
         std::any_of(stored.headers().begin(), stored.headers().end(),
                     [](const v1::Envelope::Header& one) { return holds_unknown(one); });
}

problem check_parts(const v1::Envelope& stored) {
  if (holds_unknown_anywhere(stored)) {
    return damaged("it holds fields that this release does not know");
  }
  if (!stored.has_origin() || !stored.has_type() || !stored.has_entity() || stored.id().empty() ||
      stored.entity().type().empty() || stored.entity().key().empty()) {
    return damaged("a part is missing, so it may have been cut short");
  }
  if (stored.payload().size() > limits::payload_bytes_max) {
    return damaged("its payload is over the limit");
  }
  if (static_cast<std::size_t>(stored.headers_size()) > limits::headers_max) {
    return damaged("it has too many headers");
  }
  const std::pair<const std::string*, std::string_view> texts[]{
      {&stored.type(), "type"},
      {&stored.id(), "id"},
      {&stored.entity().type(), "entity type"},
      {&stored.entity().key(), "entity key"},
      {&stored.origin().source(), "source"},
      {&stored.origin().partition(), "partition"}};
  for (const auto& [text, what] : texts) {
    if (problem wrong = check_text(*text, what, limits::id_bytes_max)) {
      return wrong;
    }
  }
  return std::nullopt;
}

message_ptr take_message(v1::Envelope& stored) {
  auto received = std::make_shared<message>();
  received->payload = std::move(*stored.mutable_payload());
  received->headers.reserve(static_cast<std::size_t>(stored.headers_size()));
  for (v1::Envelope::Header& one : *stored.mutable_headers()) {
    received->headers.push_back({std::move(*one.mutable_name()), std::move(*one.mutable_value())});
  }
  v1::Envelope::Origin& origin = *stored.mutable_origin();
  received->origin.source = std::move(*origin.mutable_source());
  received->origin.partition = std::move(*origin.mutable_partition());
  received->origin.position = origin.position();
  received->origin.next = origin.next();
  received->origin.assignment = origin.assignment();
  received->redelivered = stored.redelivered();
  received->full_bytes = static_cast<std::size_t>(stored.full_bytes());
  return received;
}

}  // namespace

std::string encode_envelope(const addressed_message& pair) {
  v1::Envelope stored;
  const message& received = *pair.source;
  stored.set_payload(received.payload);
  for (const header& one : received.headers) {
    v1::Envelope::Header& kept = *stored.add_headers();
    kept.set_name(one.name);
    kept.set_value(one.value);
  }
  v1::Envelope::Origin& origin = *stored.mutable_origin();
  origin.set_source(received.origin.source);
  origin.set_partition(received.origin.partition);
  origin.set_position(received.origin.position);
  origin.set_next(received.origin.next);
  origin.set_assignment(received.origin.assignment);
  stored.set_redelivered(received.redelivered);
  stored.set_full_bytes(received.full_bytes);
  stored.set_type(pair.type);
  stored.set_id(pair.id);
  stored.mutable_entity()->set_type(pair.entity.type);
  stored.mutable_entity()->set_key(pair.entity.key);
  return stored.SerializeAsString();
}

result<envelope> decode_envelope(std::string_view bytes) {
  if (bytes.size() > limits::envelope_bytes_max) {
    return damaged("it is longer than any that was written");
  }
  v1::Envelope stored;
  if (!stored.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return damaged("its bytes are no envelope");
  }
  if (problem wrong = check_parts(stored)) {
    return *wrong;
  }
  envelope read;
  read.received = take_message(stored);
  read.type = std::move(*stored.mutable_type());
  read.id = std::move(*stored.mutable_id());
  read.entity = {std::move(*stored.mutable_entity()->mutable_type()),
                 std::move(*stored.mutable_entity()->mutable_key())};
  return read;
}

}  // namespace pawl
