#!/bin/sh
# Entry point of the Redis image that images.sh builds. Like the official image it takes options or a configuration file as command, works
# in /data as user redis, and answers other machines: the published port decides who reaches it.
set -eu
case "${1:-redis-server}" in -* | *.conf) set -- redis-server "$@" ;; esac
[ $# -gt 0 ] || set -- redis-server
[ "$1" = redis-server ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
  mkdir -p /data
  chown redis:redis /data
  exec setpriv --reuid redis --regid redis --init-groups "$0" "$@"
fi
umask 077
cd /data
exec "$@" --protected-mode no
