#!/bin/sh
# Runs clang-tidy over the layers, about 3 s a file.
#   lint.sh [--since COMMIT]     only what changed since COMMIT (default: all)
set -euf
cd "$(dirname "$0")/.."
[ -f build/dev/compile_commands.json ] || tools/build.sh dev pawl_proto >/dev/null

layers="protocol/*.cpp storage/*.cpp actors/*.cpp runtime/*.cpp"
if [ "${1:-}" = --since ]; then
  files=$(git diff --name-only --diff-filter=d "$2" -- $layers)
else
  files=$(git ls-files -- $layers)
fi
[ -n "$files" ] || { echo "lint: nothing to look at"; exit 0; }
# The compile commands are GCC's; "N warnings generated" and the like come on stderr.
printf '%s\n' "$files" | xargs -n 1 -P "$(nproc)" \
  clang-tidy --quiet -p build/dev --extra-arg=-Wno-unknown-warning-option 2>/dev/null
echo "lint: clean"
