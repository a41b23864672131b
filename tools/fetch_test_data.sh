#!/bin/sh
# Fetches the data that tests read and nobody here made, unless it is there already, and prints its folder:
# flights and stock prices of the npm package vega-datasets.
set -eu
package=vega-datasets
version=3.2.1
sha512=9534b0640eb2abaa925366199bee9ba882e222f4cf3f19f88ad8abee33c61661c874fbd47d0f690b3cdcae4958cb030980b51b68879291941d88977ac01c4fba
files="flights-20k.json stocks.csv"

die() { echo "fetch_test_data.sh: $*" >&2; exit 1; }

cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/pawl
data=$cache/$package-$version

complete() {
  for file in $files; do [ -s "$data/$file" ] || return 1; done
}

if ! complete; then
  command -v npm >/dev/null || die "npm is needed to fetch $package: tools/install_deps.sh test"
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  (cd "$work" && npm pack --loglevel error "$package@$version") >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    die "npm could not fetch $package@$version"
  }
  archive=$work/$package-$version.tgz
  echo "$sha512  $archive" | sha512sum --check --quiet >&2 || die "$package@$version is not what it was"
  mkdir "$work/data"
  for file in $files; do
    tar -xzf "$archive" -C "$work/data" --strip-components 2 "package/data/$file" || die "$package@$version has no $file"
  done
  # Another run may be fetching at the same time: each file appears whole.
  mkdir -p "$data"
  for file in $files; do mv "$work/data/$file" "$data/$file"; done
fi
echo "$data"
