#!/bin/sh
# Runs clang-tidy over the sources of the dev build.
#   lint.sh [--since COMMIT]     only what changed since COMMIT (default: all)
set -eu
cd "$(dirname "$0")/.."
[ -f build/dev/compile_commands.json ] || tools/build.sh dev help >/dev/null

if [ "${1:-}" = --since ]; then
  files=$(git diff --name-only --diff-filter=d "$2" -- '*.cpp')
else
  files=$(git ls-files '*.cpp')
fi
files=$(printf '%s\n' "$files" | grep -v '^tests/compile_fail/' || true)
[ -n "$files" ] || { echo "lint: nothing to look at"; exit 0; }
printf '%s\n' "$files" | xargs -n 1 -P "$(nproc)" clang-tidy --quiet -p build/dev
