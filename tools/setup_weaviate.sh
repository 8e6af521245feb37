#!/usr/bin/env bash
# Builds weaviate-server into the cache where it is missing; about five minutes the first time.
# Where a Docker engine answers, tests take the image of the same version and nothing is built.
set -euo pipefail

version=v1.35.2
go_needed=1.25
bin="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}/bin"

[ -x "$bin/weaviate-server" ] && exit 0
if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
    exit 0
fi
if ! command -v go >/dev/null; then
    echo "Weaviate is built from source and there is no Go here: install Go $go_needed or newer" >&2
    echo "(https://go.dev/dl/), or start a Docker engine, then run this again." >&2
    exit 1
fi
found="$(go env GOVERSION | sed 's/^go//')"
if [ "$(printf '%s\n' "$go_needed" "$found" | sort -V | head -n 1)" != "$go_needed" ] &&
    [ "$(go env GOTOOLCHAIN)" = local ]; then
    echo "Weaviate $version needs Go $go_needed or newer, and this is $found: install a newer one" >&2
    echo "(https://go.dev/dl/), or let it fetch one by GOTOOLCHAIN=auto, then run this again." >&2
    exit 1
fi
echo "building weaviate-server $version into $bin (about five minutes)"
mkdir -p "$bin"
exec 9>"$bin/.weaviate.lock"
flock 9
[ -x "$bin/weaviate-server" ] && exit 0
GOBIN="$bin" go install "github.com/weaviate/weaviate/cmd/weaviate-server@$version"
