#!/bin/sh
# Compiles each header of the layers alone, and runs clang-tidy over their sources, about 3 s a file.
#   lint.sh [--since COMMIT]     only what changed since COMMIT (default: all)
set -euf
cd "$(dirname "$0")/.."
# Generated code must exist, and the compile commands be those of now.
tools/build.sh dev pawl_protocol >build/lint.log 2>&1 || { cat build/lint.log; exit 1; }

changed() {
  if [ -n "$since" ]; then git diff --name-only --diff-filter=d "$since" -- "$@"
  else git ls-files -- "$@"
  fi
}
since=
[ "${1:-}" != --since ] || since=$2

changed 'protocol/*.hpp' 'storage/*.hpp' 'actors/*.hpp' 'runtime/*.hpp' |
  xargs -r -P "$(nproc)" -I HEADER c++ -std=c++20 -fsyntax-only -I. -Ibuild/dev/generated -include HEADER -x c++ /dev/null
# The compile commands are GCC's; clang-tidy's stderr only counts warnings.
changed 'protocol/*.cpp' 'storage/*.cpp' 'actors/*.cpp' 'runtime/*.cpp' |
  xargs -r -n 1 -P "$(nproc)" clang-tidy --quiet -p build/dev --extra-arg=-Wno-unknown-warning-option 2>/dev/null
echo "lint: clean"
