#!/usr/bin/env bash
# Builds Docker Compose, the plugin as a program of its own, into the cache where it is missing;
# pinned by tools/compose/go.sum: five minutes once.
set -euo pipefail

version=2.40.3
module="$(cd "$(dirname "$0")" && pwd)/compose"
bin="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}/compose/$version"

[ ! -x "$bin/docker-compose" ] || exit 0
command -v go >/dev/null || { echo "Compose is built from source: install Go (https://go.dev/dl/), then run this again." >&2; exit 1; }
mkdir -p "$bin"
exec 9>"$bin/.lock"
flock 9
[ ! -x "$bin/docker-compose" ] || exit 0
echo "building docker-compose into $bin"
stamp="-s -w -X github.com/docker/compose/v2/internal.Version=v$version"
CGO_ENABLED=0 nice go build -C "$module" -mod=readonly -trimpath -ldflags "$stamp" -o "$bin/.docker-compose" github.com/docker/compose/v2/cmd
mv "$bin/.docker-compose" "$bin/docker-compose"
