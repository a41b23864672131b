#pragma once

#include <string_view>

namespace pawl {

/// True if `text` is well-formed UTF-8: no overlong forms, no surrogates, nothing past U+10FFFF.
[[nodiscard]] bool valid_utf8(std::string_view text) noexcept;

/// `text` cut to at most `bytes_max` bytes, never inside a character of well-formed UTF-8.
[[nodiscard]] std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) noexcept;

}  // namespace pawl
