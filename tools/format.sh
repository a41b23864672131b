#!/bin/sh
# Formats all C++ sources in place; with --check changes nothing and fails where something would change.
set -eu
cd "$(dirname "$0")/.."
mode=-i
[ "${1:-}" != --check ] || mode="--dry-run --Werror"

find . -path './build*' -prune -o -path './.*' -prune -o -name '*.[ch]pp' -print0 |
  xargs -0 -r -n 16 -P "$(nproc)" clang-format --style=file $mode
