#include "protocol/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace pawl {
namespace {

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<std::uint8_t>(text[at]) & 0xC0U) == 0x80U;
}

/// Length of the character that starts at `at`, 0 if it is malformed.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<std::uint8_t>(text[at]);
  if (lead < 0x80U) {
    return 1;
  }
  if (lead < 0xC2U || lead > 0xF4U || !continues(text, at + 1)) {
    return 0;
  }
  if (lead < 0xE0U) {
    return 2;
  }
  const auto second = static_cast<std::uint8_t>(text[at + 1]);
  if (!continues(text, at + 2)) {
    return 0;
  }
  if (lead < 0xF0U) {
    const bool overlong = lead == 0xE0U && second < 0xA0U;
    const bool surrogate = lead == 0xEDU && second > 0x9FU;
    return overlong || surrogate ? 0 : 3;
  }
  const bool overlong = lead == 0xF0U && second < 0x90U;
  const bool beyond = lead == 0xF4U && second > 0x8FU;
  return overlong || beyond || !continues(text, at + 3) ? 0 : 4;
}

/// Eight ASCII characters at once: nearly all text is.
bool ascii_word(std::string_view text, std::size_t at) {
  std::uint64_t word = 0;
  if (text.size() - at < sizeof word) {
    return false;
  }
  std::memcpy(&word, text.data() + at, sizeof word);
  return (word & 0x8080808080808080ULL) == 0;
}

}  // namespace

bool valid_utf8(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    if (ascii_word(text, at)) {
      at += sizeof(std::uint64_t);
      continue;
    }
    const std::size_t length = character_length(text, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) noexcept {
  if (text.size() <= bytes_max) {
    return text;
  }
  std::size_t end = bytes_max;
  while (end > 0 && continues(text, end)) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace pawl
