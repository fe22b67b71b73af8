#!/bin/sh
# Entry point of the Postgres image that images.sh builds. It takes the environment variables of the official image:
# POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB, POSTGRES_INITDB_ARGS, POSTGRES_HOST_AUTH_METHOD, PGDATA.
set -eu
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
PGDATA=${PGDATA:-/var/lib/postgresql/data}
export PATH PGDATA
umask 077

case "${1:-postgres}" in -*) set -- postgres "$@" ;; esac
[ $# -gt 0 ] || set -- postgres
[ "$1" = postgres ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chown -R postgres:postgres "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  chmod 3777 /var/run/postgresql
  exec setpriv --reuid postgres --regid postgres --init-groups "$0" "$@"
fi

# While the cluster is made it listens on its socket alone, so that no client takes it for ready.
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  user=${POSTGRES_USER:-postgres}
  db=${POSTGRES_DB:-$user}
  method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}
  if [ "$method" != trust ] && [ -z "${POSTGRES_PASSWORD:-}" ]; then
    echo "POSTGRES_PASSWORD is empty: set it, or POSTGRES_HOST_AUTH_METHOD=trust" >&2
    exit 1
  fi
  secret=$(mktemp)
  printf '%s\n' "${POSTGRES_PASSWORD:-unused}" >"$secret"
  # The arguments are split into words on purpose, as the official image does.
  # shellcheck disable=SC2086
  initdb -U "$user" --pwfile="$secret" -E UTF8 --locale=C.UTF-8 ${POSTGRES_INITDB_ARGS:-}
  rm -f "$secret"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  echo "host all all all $method" >>"$PGDATA/pg_hba.conf"
  if [ "$db" != postgres ]; then
    pg_ctl -D "$PGDATA" -w -o "-c listen_addresses='' -p 5432" start
    echo 'CREATE DATABASE :"db";' | PGPASSWORD=${POSTGRES_PASSWORD:-} psql -v ON_ERROR_STOP=1 -U "$user" -d postgres -v db="$db"
    pg_ctl -D "$PGDATA" -m fast -w stop
  fi
fi
exec "$@"
