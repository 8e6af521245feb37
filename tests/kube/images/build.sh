#!/usr/bin/env bash
# Makes an image archive for every store that the manifests of overlays/dev name, and for what a
# cluster itself needs. What is there is kept: delete the folder to make it anew.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../../.." && pwd)"
cache="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}"
bin="$cache/kube/1.37.2"
images="$cache/kube/images"
base=localhost/scops-python:1
export CONTAINERS_CONF="$here/containers.conf"
mkdir -p "$images"
exec 9>"$images/.lock"
flock 9
work="$(mktemp -d -p "$images")"
trap 'rm -rf "$work"' EXIT

build() { # IMAGE DOCKERFILE [ARGUMENT…]: from the folder $work
    local image="$1" file="$2"
    shift 2
    nice buildah bud --quiet --isolation chroot --tag "$image" --file "$here/$file" "$@" "$work" >/dev/null
}
save() { # IMAGE FILE
    buildah push --quiet "$1" "docker-archive:$work/out.tar:$1"
    mv "$work/out.tar" "$images/$2.tar"
}
image_of() { # MANIFEST NAME: as the manifests name it, with the registry that a runtime adds
    local name
    name="$(sed -nE "s/^ +image: (.*$2:.+)$/\1/p" "$root/deploy/$1" | head -n 1)"
    case "$name" in
        */*/* ) echo "$name" ;;
        */* ) echo "docker.io/$name" ;;
        * ) echo "docker.io/library/$name" ;;
    esac
}
program() { # FILE IMAGE PROGRAM
    [ -s "$images/$1.tar" ] && return
    cp -L "$3" "$work/program"
    build "$2" program.Dockerfile --build-arg BASE="${4:-$base}" --build-arg PROGRAM=program
    save "$2" "$1"
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
    build "$base" base.Dockerfile
    rm "$work/rootfs.tar"
fi
program nats "$(image_of k8s/base/nats.yaml nats)" "$root/.venv/bin/nats-server"
program weaviate "$(image_of k8s/base/weaviate.yaml weaviate)" "$cache/bin/weaviate-server"
if [ ! -s "$images/postgres.tar" ]; then
    cp "$here/postgres-entrypoint.sh" "$work"
    image="$(image_of k8s/base/postgres.yaml postgres)"
    build "$image" postgres.Dockerfile --build-arg BASE="$base"
    save "$image" postgres
fi
if [ ! -s "$images/python.tar" ]; then
    save "$base" python
fi
program versitygw "$(image_of k8s/overlays/dev/bucket.yaml versitygw)" "$bin/versitygw"
program pause localhost/pause:1 "$bin/pause" scratch
program coredns localhost/coredns:1 "$bin/coredns" scratch
ls "$images"/*.tar
