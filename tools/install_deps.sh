#!/bin/sh
# Installs the Debian packages that are missing, and nothing if none is.
#   install_deps.sh build|test|check...    the groups wanted; all of them by default
set -eu

build="g++ make cmake ninja-build ccache pkg-config python3 libcaf-dev libpqxx-dev libsqlite3-dev
  libprotobuf-dev protobuf-compiler libsimdjson-dev libssl-dev libfmt-dev libspdlog-dev libcli11-dev
  libyaml-cpp-dev nlohmann-json3-dev libmimalloc-dev"
test="catch2 librapidcheck-dev postgresql"
check="git clang-format clang-tidy"
# Fetches test data. Node's own packages bring an npm that Debian's database does not know.
command -v npm >/dev/null || test="$test npm"

wanted=
for group in "${@:-all}"; do
  case $group in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $test" ;;
    check) wanted="$wanted $check" ;;
    all) wanted="$build $test $check" ;;
    *) echo "install_deps.sh: unknown group $group" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system: make sure that you have what these packages hold:" $wanted
  exit 0
fi
# A package may be there under another name (pkg-config as pkgconf): what is provided counts too.
installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Provides}\n' | sed -n 's/^ii *//p' |
  sed 's/([^)]*)//g' | tr -s ', ' '\n\n')
missing=
for package in $wanted; do
  printf '%s\n' "$installed" | grep -qxF -- "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then sudo=
elif command -v sudo >/dev/null; then sudo=sudo
else
  echo "Please install, as root: apt-get install$missing" >&2
  exit 1
fi

quietly() {
  log=$(mktemp)
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    rm -f "$log"
    exit 1
  }
  rm -f "$log"
}

echo "Installing:$missing"
quietly update
case " $missing " in
  *" postgresql "*)
    # The package would start a server of its own; the tests bring up their own.
    settings=/etc/postgresql-common/createcluster.d
    quietly install --no-install-recommends postgresql-common
    $sudo mkdir -p "$settings"
    echo "create_main_cluster = false" | $sudo tee "$settings/pawl.conf" >/dev/null
    trap '$sudo rm -f "$settings/pawl.conf"' EXIT
    ;;
esac
quietly install --no-install-recommends $missing
