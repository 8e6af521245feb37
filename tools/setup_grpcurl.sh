#!/usr/bin/env bash
# Builds grpcurl, a stranger's client that tests ask the gateway with, into the cache; two minutes.
set -euo pipefail

version=v1.9.4
bin="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}/bin"

[ -x "$bin/grpcurl" ] && exit 0
if ! command -v go >/dev/null; then
    echo "grpcurl is built from source and there is no Go here: install one (https://go.dev/dl/)." >&2
    exit 1
fi
echo "building grpcurl $version into $bin"
mkdir -p "$bin"
exec 9>"$bin/.grpcurl.lock"
flock 9
[ -x "$bin/grpcurl" ] && exit 0
GOBIN="$bin" go install "github.com/fullstorydev/grpcurl/cmd/grpcurl@$version"
