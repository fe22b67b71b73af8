#!/usr/bin/env bash
# Builds the Postgres and Redis images of docker/versions.env from Debian packages, for machines where no registry answers.
# Skips an image that is there; --force builds it again. Called by `make images`.
#
# Settings from the environment: GATECRASH_MIRROR (package mirror), GATECRASH_SUITE (release), TMPDIR (about 500 MB are needed).
set -euo pipefail
cd "$(dirname "$0")"

fail() { echo "images: $*" >&2; exit 1; }

force=false
for arg in "$@"; do
  case "$arg" in
    --force) force=true ;;
    *) fail "unknown argument '$arg': want --force or none" ;;
  esac
done

set -a
. ./versions.env
set +a

command -v docker >/dev/null || fail "docker is not installed; the local backend needs none: make deps"
docker version --format '{{.Server.Version}}' >/dev/null 2>&1 || fail "no docker engine answers this user; start it, or use the local backend: make deps"

wanted() { # wanted IMAGE
  if ! $force && docker image inspect "$1" >/dev/null 2>&1; then
    echo "images: $1 is there"
    return 1
  fi
}

temp=
cleanup() { [ -z "$temp" ] || rm -rf "$temp"; }
trap cleanup EXIT
trap 'exit 130' INT TERM

release() { # sets suite, mirror and components from the machine, for Debian and Ubuntu
  local id=debian codename=bookworm
  if [ -r /etc/os-release ]; then
    id=$(. /etc/os-release && echo "${ID:-debian}")
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
  fi
  case "$id" in
    ubuntu) suite=$codename mirror=http://archive.ubuntu.com/ubuntu components=main,universe ;;
    debian) suite=$codename mirror=http://deb.debian.org/debian components=main ;;
    *) suite=bookworm mirror=http://deb.debian.org/debian components=main ;;
  esac
  suite=${GATECRASH_SUITE:-$suite}
  mirror=${GATECRASH_MIRROR:-$mirror}
}

build() { # build IMAGE PACKAGES ENTRYPOINT CHANGE...
  local image=$1 packages=$2 entrypoint=$3 tar
  shift 3
  command -v mmdebstrap >/dev/null || fail "mmdebstrap is not installed: make deps (or: apt-get install mmdebstrap)"
  [ -n "$temp" ] || temp=$(mktemp -d "${TMPDIR:-/var/tmp}/gatecrash-images.XXXXXX")
  tar=$temp/rootfs.tar
  echo "images: building $image from $suite ($packages)"
  # The packaged cluster is not wanted: the entry point makes one where PGDATA says.
  mmdebstrap --quiet --variant=apt --components="$components" --include="$packages,util-linux" \
    --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    --essential-hook='mkdir -p "$1/etc/postgresql-common" && echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.conf"' \
    --customize-hook="copy-in $entrypoint /usr/local/bin" \
    --customize-hook="chmod 755 \"\$1/usr/local/bin/$entrypoint\"" \
    --customize-hook='rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/*' \
    "$suite" "$tar" "$mirror" || fail "mmdebstrap could not build a system from $mirror; set GATECRASH_MIRROR to a mirror that answers"
  local changes=(--change "ENTRYPOINT [\"/usr/local/bin/$entrypoint\"]" --change "LABEL gatecrash.image=1")
  local change
  for change in "$@"; do changes+=(--change "$change"); done
  docker import "${changes[@]}" "$tar" "$image" >/dev/null
  rm -f "$tar"
  echo "images: $image is built"
}

release
if wanted "$GATECRASH_POSTGRES_LOCAL_IMAGE"; then
  build "$GATECRASH_POSTGRES_LOCAL_IMAGE" postgresql postgres-entrypoint.sh \
    'CMD ["postgres"]' 'EXPOSE 5432' 'VOLUME /var/lib/postgresql/data'
fi
if wanted "$GATECRASH_REDIS_LOCAL_IMAGE"; then
  build "$GATECRASH_REDIS_LOCAL_IMAGE" redis-server redis-entrypoint.sh \
    'CMD ["redis-server"]' 'EXPOSE 6379' 'VOLUME /data' 'WORKDIR /data'
fi
