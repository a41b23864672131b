#!/bin/sh
# Configures and builds with a preset.
#   build.sh PRESET [TARGET...]
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift

mkdir -p "build/$preset"
log=build/$preset/configure.log
cmake --preset "$preset" >"$log" 2>&1 || { cat "$log"; exit 1; }
exec cmake --build --preset "$preset" --parallel "$(nproc)" ${1:+--target "$@"}
