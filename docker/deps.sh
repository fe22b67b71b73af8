#!/usr/bin/env bash
# Installs what the local backend needs (postgres, redis-server or valkey-server) and, where docker is, what images.sh needs (mmdebstrap).
# Does nothing when all is there. Without root, or on another distribution, it prints what to install. Called by `make deps`.
set -euo pipefail

say() { echo "deps: $*"; }

found() { # found NAME...: one of the programs is on PATH or in a distribution's usual folder
  local name dir
  for name in "$@"; do
    command -v "$name" >/dev/null 2>&1 && return 0
    for dir in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/local/pgsql/bin /opt/homebrew/bin /opt/homebrew/opt/postgresql@*/bin /usr/local/bin /usr/sbin; do
      [ -x "$dir/$name" ] && return 0
    done
  done
  return 1
}

packages=()
if ! found postgres || ! found initdb; then packages+=(postgresql); fi
found redis-server valkey-server || packages+=(redis-server)
if command -v docker >/dev/null 2>&1 && ! command -v mmdebstrap >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then packages+=(mmdebstrap); fi

if [ ${#packages[@]} -eq 0 ]; then
  say "all is there"
  exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
  say "not a Debian or Ubuntu machine; install a Postgres server (with initdb) and redis-server or valkey-server, for example:" >&2
  say "  Fedora: dnf install postgresql-server valkey      macOS: brew install postgresql@17 redis      Arch: pacman -S postgresql valkey" >&2
  say "missing: ${packages[*]}" >&2
  exit 1
fi

if [ "$(id -u)" != 0 ]; then
  say "missing: ${packages[*]}. Run as root:" >&2
  say "  apt-get update && apt-get install --no-install-recommends ${packages[*]}" >&2
  say "  (or: sudo $0)" >&2
  exit 1
fi

# Packages start their servers on the usual ports while they are installed. /usr/sbin/policy-rc.d with exit code 101 forbids that
# (invoke-rc.d(8)). A policy that is there already is left alone, and so are services that ran before: they are not touched at all.
policy=/usr/sbin/policy-rc.d
ours=
restore() { [ -z "$ours" ] || rm -f "$policy"; }
trap restore EXIT
trap 'exit 130' INT TERM
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  ours=yes
fi

# The packaged cluster is not wanted either, unless somebody has Postgres here already.
common=/etc/postgresql-common/createcluster.conf
if [[ " ${packages[*]} " == *" postgresql "* ]] && [ ! -e "$common" ]; then
  mkdir -p "$(dirname "$common")"
  echo "create_main_cluster = false" >"$common"
fi

install() {
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Options::=--force-confold -o Dpkg::Use-Pty=0 install -y --no-install-recommends "$@"
}

has_candidate() { apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }

say "installing ${packages[*]}"
before=$(systemctl list-unit-files --state=enabled --no-legend 2>/dev/null | awk '{print $1}' || true)
apt-get -qq update || say "apt-get update did not reach every source; trying with what is known" >&2
for i in "${!packages[@]}"; do # newer releases have valkey instead
  if [ "${packages[$i]}" = redis-server ] && ! has_candidate redis-server && has_candidate valkey-server; then packages[i]=valkey-server; fi
done
if ! told=$(install "${packages[@]}" 2>&1); then
  printf '%s\n' "$told" >&2
  say "apt-get could not install: ${packages[*]}" >&2
  exit 1
fi

# They must not start at the next boot either, unless they were meant to before.
if [ -d /run/systemd/system ]; then
  for unit in postgresql.service redis-server.service valkey-server.service; do
    if ! grep -qx "$unit" <<<"$before"; then systemctl disable --quiet "$unit" 2>/dev/null || true; fi
  done
fi

found postgres && found initdb && found redis-server valkey-server || { say "installed ${packages[*]}, but a server program is still not found" >&2; exit 1; }
say "installed ${packages[*]}"
