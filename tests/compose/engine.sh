#!/usr/bin/env bash
# Runs a command with a container engine: the one that DOCKER_HOST names, or podman for as long as
# the command runs, with what makes it answer as Docker does: `bash tests/compose/engine.sh CMD…`.
set -euo pipefail

[ -z "${DOCKER_HOST:-}" ] || exec "$@"
here="$(cd "$(dirname "$0")" && pwd)"
for program in podman runc buildah; do
    command -v "$program" >/dev/null || { echo "$program is missing: make setup-compose" >&2; exit 1; }
done
export CONTAINERS_CONF="$here/containers.conf"
run="$(mktemp -d)"
children=()
finish() {
    for child in "${children[@]}"; do
        kill "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    done
    rm -rf "$run"
}
trap finish EXIT

# Steps of a build run without a runtime's cgroups and limits.
BUILDAH_ISOLATION=chroot podman system service --time 0 "unix://$run/podman.sock" 2>"$run/service.log" &
children+=($!)
until [ -S "$run/podman.sock" ]; do
    kill -0 "${children[0]}" || { cat "$run/service.log" >&2; exit 1; }
    sleep 0.1
done
# Podman leaves health checks to timers of systemd; where there is none, somebody must ask.
bash "$here/health.sh" &
children+=($!)

export DOCKER_HOST="unix://$run/podman.sock" DOCKER_BUILDKIT=0
# What tests/kube/images/stores.sh made, for a registry may not be reached.
export PYTHON_IMAGE="${PYTHON_IMAGE:-localhost/scops-python:1}"
"$@"
