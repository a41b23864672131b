#!/bin/sh
# A throw-away PostgreSQL for tests: durable like a real one (fsync on), reached by a unix socket only.
#
#   pg.sh start DIR      make a server in DIR, print its connection string
#   pg.sh kill DIR       end it as a crash would, keep its files
#   pg.sh restart DIR    start it again, after a kill with crash recovery
#   pg.sh stop DIR       end it and remove DIR
#   pg.sh run COMMAND... run COMMAND with PAWL_TEST_POSTGRES set to a server that lives as long as COMMAND
#
# DIR holds the socket, whose path must stay below 107 bytes.
set -eu

die() { echo "pg.sh: $*" >&2; exit 1; }

bin=${PG_BIN:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)}
[ -n "$bin" ] || die "no PostgreSQL server found: install the package postgresql, or set PG_BIN"

# The server refuses to run as root.
unprivileged() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

control() { unprivileged "$bin/pg_ctl" --pgdata "$dir/data" --silent --wait "$@"; }

launch() {
  control --log "$dir/log" --timeout 60 start </dev/null >/dev/null 2>&1 || {
    tail -n 20 "$dir/log" >&2
    die "the server in $dir did not start"
  }
}

create() {
  mkdir -p "$dir"
  chmod 755 "$dir"
  if [ "$(id -u)" = 0 ]; then chown postgres "$dir"; fi
  unprivileged "$bin/initdb" --pgdata "$dir/data" --username postgres --auth trust --encoding UTF8 \
    --locale C.UTF-8 --no-sync --no-instructions >"$dir/initdb.log" 2>&1 || {
    cat "$dir/initdb.log" >&2
    die "initdb failed in $dir"
  }
  unprivileged sh -c 'cat >>"$0"' "$dir/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$dir'
max_connections = 100
fsync = on
synchronous_commit = on
full_page_writes = on
CONF
  launch
  echo "host=$dir port=5432 user=postgres dbname=postgres"
}

remove() {
  control --mode immediate stop >/dev/null 2>&1 || true
  rm -rf "$dir"
}

[ $# -ge 2 ] || die "usage: pg.sh start|kill|restart|stop DIR, or pg.sh run COMMAND..."
verb=$1
shift
if [ "$verb" = run ]; then
  dir=$(mktemp -d "${TMPDIR:-/tmp}/pawl-pg.XXXXXX")
else
  case $1 in /*) dir=$1 ;; *) dir=$PWD/$1 ;; esac
fi
case $verb in
  start) create ;;
  kill) control --mode immediate stop ;;
  restart) launch ;;
  stop) remove ;;
  run)
    trap remove EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    PAWL_TEST_POSTGRES=$(create)
    export PAWL_TEST_POSTGRES
    "$@"
    ;;
  *) die "unknown command $verb" ;;
esac
