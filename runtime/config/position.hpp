#pragma once

#include <string>

namespace pawl {

/// A place in a file that a person wrote. Lines and columns count from 1; 0: the whole file.
struct file_position {
  std::string file;
  int line = 0;
  int column = 0;
};

/// `file:line:column`, as far as known.
[[nodiscard]] inline std::string to_text(const file_position& at) {
  std::string text = at.file;
  if (at.line > 0) {
    text += ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
  }
  return text;
}

}  // namespace pawl
