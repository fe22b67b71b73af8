#!/bin/sh
# Makes docs/report.png, the picture in the README, from a run directory: docs/picture.sh RUN
# Needs chromium; CHROMIUM may name another binary of it.
set -eu
[ $# -eq 1 ] || { echo "usage: docs/picture.sh RUN" >&2; exit 2; }
page=$(cd "$1" && pwd)/report.html
[ -f "$page" ] || { echo "docs/picture.sh: no $page: make it with \"gatecrash report $1\"" >&2; exit 2; }
browser=${CHROMIUM:-chromium}
command -v "$browser" >/dev/null || { echo "docs/picture.sh: no $browser: install chromium" >&2; exit 2; }
sandbox=
[ "$(id -u)" -ne 0 ] || sandbox=--no-sandbox
out=$(cd "$(dirname "$0")" && pwd)/report.png
"$browser" --headless $sandbox --hide-scrollbars --window-size=1160,1640 --screenshot="$out" "file://$page" 2>/dev/null
[ -s "$out" ] || { echo "docs/picture.sh: $browser made no picture" >&2; exit 1; }
echo "$out"
