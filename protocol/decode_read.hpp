#pragma once

#include "protocol/decode_plan.hpp"
#include "protocol/json_reader.hpp"
#include "protocol/message.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pawl {

/// What a path is read from.
struct read_context {
  const json_reader* reader = nullptr;
  const message* received = nullptr;
  const addressed_message* pair = nullptr;  ///< once key, id and version are known
};

/// What stands at a path of the payload, a header or `$meta`; `element` counts for paths with
/// `[*]`. A header that is not UTF-8 is of kind `bytes`. Views live until the reader's next `read`.
[[nodiscard]] json_token read_token(const bound_path& bound, std::size_t element,
                                    const read_context& context);

/// Why a key or id could not be read; `text` continues a sentence.
struct text_fault {
  bool nothing_there = false;  ///< missing, null or empty
  std::string text;
};

/// A key or id as text into `out`: text and integers; parts are joined with `/`, where `\` stands
/// before a `/` or `\` of a part. A single path is taken as it is.
[[nodiscard]] std::optional<text_fault> read_text(const std::vector<bound_path>& parts,
                                                  std::size_t element, const read_context& context,
                                                  std::string& out);

/// `poison` if it is no integer from 0 to 2^63-1.
[[nodiscard]] result<message_version> read_version(const bound_path& bound, std::size_t element,
                                                   const read_context& context);

/// The contract's field `index`: absent only if it is optional; negated if its path says so.
[[nodiscard]] result<value> read_field(const bound_contract& bound, std::size_t index,
                                       std::size_t element, const read_context& context);

/// `poison` if an id, key or type is too long, holds NUL or is not UTF-8: it goes into an index,
/// and libraries cut text at NUL.
[[nodiscard]] std::optional<error> check_text(std::string_view text, std::string_view what,
                                              std::size_t bytes_max);

}  // namespace pawl
