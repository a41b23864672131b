#pragma once

#include <cstdio>
#include <cstdlib>

namespace pawl {

/// Ends the process if `holds` is false. For what only a bug of ours can break, in release builds
/// too; input from outside never reaches it.
inline void invariant(bool holds, const char* what) {
  if (holds) [[likely]] {
    return;
  }
  std::fputs("pawl: broken invariant: ", stderr);
  std::fputs(what, stderr);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace pawl
