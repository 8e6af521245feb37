#!/usr/bin/env bash
# Makes the images of the stores with podman's store as the place, under the names that the
# manifests and compose.yaml use, for machines that reach no registry of images. Each starts as the
# published one does. An image is made anew when what it is made of changes.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../../.." && pwd)"
cache="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}"
images="$cache/kube/images"
base=localhost/scops-python:1
label=scops.made-of
export CONTAINERS_CONF="${CONTAINERS_CONF:-$here/containers.conf}"
mkdir -p "$images"
exec 9>"$images/.lock"
flock 9
work="$(mktemp -d -p "$images")"
trap 'rm -rf "$work"' EXIT

build() { # IMAGE DOCKERFILE [ARGUMENT…]: from the folder $work, unless an equal one is there
    local image="$1" file="$2" made_of
    shift 2
    made_of="$({ cat "$here/$file"; printf '%s\n' "$@"; find "$work" -type f | sort | xargs -r cat; } | sha256sum | cut -d' ' -f1)"
    if [ "$(made_of "$image")" != "$made_of" ]; then
        echo "making $image"
        nice buildah bud --quiet --layers --isolation chroot --tag "$image" --file "$here/$file" \
            --label "$label=$made_of" "$@" "$work" >/dev/null
    fi
    rm -rf "${work:?}"/*
}
made_of() { # IMAGE
    buildah inspect --type image --format "{{index .OCIv1.Config.Labels \"$label\"}}" "$1" 2>/dev/null || true
}
image_of() { # NAME: as compose.yaml names it, with the registry that a runtime adds
    local name
    name="$(sed -nE "s/^ +image: (.*$1:.+)$/\1/p" "$root/deploy/compose.yaml" | head -n 1)"
    case "$name" in
        */*/* ) echo "$name" ;;
        */* ) echo "docker.io/$name" ;;
        * ) echo "docker.io/library/$name" ;;
    esac
}
program() { # IMAGE PATH PROGRAM [ARGUMENT…]
    local image="$1" path="$2" file="$3"
    shift 3
    cp -L "$file" "$work/program"
    build "$image" program.Dockerfile --build-arg BASE="$base" --build-arg PROGRAM_PATH="$path" "$@"
}

if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
    echo "making a base of Debian with Python"
    nice debootstrap --variant=minbase --include=ca-certificates,python3,python3-pip,python3-venv \
        bookworm "$work/rootfs" >"$work/debootstrap.log" || { tail "$work/debootstrap.log" >&2; exit 1; }
    # This machine's way out may have an authority of its own.
    cp /etc/ssl/certs/ca-certificates.crt "$work/rootfs/etc/ssl/certs/ca-certificates.crt"
    ln -sf python3 "$work/rootfs/usr/bin/python"
    rm -rf "$work"/rootfs/var/cache/apt/archives/*.deb "$work"/rootfs/var/lib/apt/lists/*
    tar -C "$work/rootfs" -cf "$work/rootfs.tar" .
    rm -rf "$work/rootfs"
    nice buildah bud --quiet --isolation chroot --tag "$base" --file "$here/base.Dockerfile" "$work" >/dev/null
    rm -rf "${work:?}"/*
fi
program "$(image_of nats)" /usr/local/bin/nats-server "$root/.venv/bin/nats-server"
program "$(image_of weaviate)" /bin/weaviate "$cache/bin/weaviate-server"
program "$(image_of prometheus)" /bin/prometheus "$(command -v prometheus)" \
    --build-arg DATA=/prometheus --build-arg RUN_AS=65534:65534
cp "$here/postgres-entrypoint.sh" "$work"
build "$(image_of postgres)" postgres.Dockerfile --build-arg BASE="$base"
