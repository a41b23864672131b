#pragma once

#include <cstddef>

/// Every limit, with its reason. Input past one of them is a dead letter or a refused
/// configuration, never a crash.
namespace pawl::limits {

/// A payload larger than this is a dead letter with its first `dead_letter_bytes_max` bytes: one
/// message must not take the credits of all others.
inline constexpr std::size_t payload_bytes_max = 1U << 20U;
/// What is kept of an oversized payload: enough to see what it was.
inline constexpr std::size_t dead_letter_bytes_max = 64U << 10U;
/// Ids and keys are index keys: a PostgreSQL B-tree entry ends at about 2,700 bytes.
inline constexpr std::size_t id_bytes_max = 1024;
inline constexpr std::size_t key_bytes_max = 1024;
/// Nesting of a payload: deeper ones are built to break parsers.
inline constexpr std::size_t json_depth_max = 64;
/// Entities that one message may address: its ack waits for all of them.
inline constexpr std::size_t entities_per_message_max = 1024;
/// Headers of one message, and the bytes of all their names and values: they are kept with it.
inline constexpr std::size_t headers_max = 256;
inline constexpr std::size_t header_bytes_max = 256U << 10U;
/// A stored message: payload, headers and names at their limits fit with room to spare.
inline constexpr std::size_t envelope_bytes_max = 2U << 20U;
/// A configuration file: more is a mistake, and yaml-cpp's look-ups are linear.
inline constexpr std::size_t config_bytes_max = 1U << 20U;
inline constexpr std::size_t config_depth_max = 32;
/// Savepoints in one transaction: PostgreSQL's subtransaction cache holds 64 (commit.md section 4).
inline constexpr int savepoints_per_transaction_max = 50;
/// An error text kept with a dead letter.
inline constexpr std::size_t error_text_bytes_max = 2048;

}  // namespace pawl::limits
