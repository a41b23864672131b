#pragma once

#include "protocol/contract.hpp"
#include "protocol/message.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// What a decoder is made for.
struct decoder_config {
  std::string consumer;                            ///< scope of the ledger keys
  std::vector<const message_contract*> contracts;  ///< they outlive the decoder
  std::string type_path;                           ///< default `$.type`, after the header `type`
};

/// Turns a received message into its (entity, message) pairs in one pass over the payload. Total:
/// any bytes give pairs; what can't be decoded gives one pair with `undecodable` set, addressed to
/// the reserved entity (`_source`, "<source>/<partition>"). An instance belongs to one thread (it
/// reuses its buffers); the configuration may be shared.
class message_decoder {
 public:
  explicit message_decoder(decoder_config config);
  message_decoder(message_decoder&&) noexcept;
  message_decoder& operator=(message_decoder&&) noexcept;
  ~message_decoder();

  /// The pairs of `received`, one per entity in the order of first mention; empty if its list of
  /// keys is empty (`unaddressed`). Where no guard uses an id, the source coordinates stand in.
  [[nodiscard]] std::vector<addressed_ptr> decode(const message_ptr& received);

  /// One pair again, from what was stored with a parked message or dead letter: the entity is the
  /// stored one even if the message addresses several. Undecodable as above if the contract that
  /// fits now does not address that entity.
  [[nodiscard]] addressed_ptr decode_for(const message_ptr& received, const entity_ref& entity);

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// The reserved entity type of messages that could not be decoded.
inline constexpr std::string_view source_entity_type = "_source";

/// The contract of undecodable messages: no guard but the source coordinates, never blocks.
[[nodiscard]] const message_contract& undecodable_contract();

}  // namespace pawl
