#!/bin/sh
# Builds everything with a preset (release by default) and runs its tests, PostgreSQL included.
#   test.sh [PRESET] [ARGUMENTS FOR CTEST...]
set -eu
cd "$(dirname "$0")/.."
preset=${1:-release}
[ $# -eq 0 ] || shift

tools/build.sh "$preset"
# The tests that read the data fail without it; the others still say how they are.
PAWL_TEST_DATA=$(tools/fetch_test_data.sh) || PAWL_TEST_DATA=
export PAWL_TEST_DATA
exec tools/pg.sh run ctest --preset "$preset" --output-junit "$PWD/build/junit-$preset.xml" "$@"
