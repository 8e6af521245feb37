#!/usr/bin/env bash
# Makes an image archive for every store that the manifests of overlays/dev name, and for what a
# cluster itself needs. An archive is written anew when its image was made anew.
set -euo pipefail

# shellcheck source=tests/kube/images/stores.sh
. "$(dirname "${BASH_SOURCE[0]}")/stores.sh"
bin="$cache/kube/1.37.2"

save() { # IMAGE FILE
    local id
    id="$(buildah inspect --type image --format '{{.FromImageID}}' "$1")"
    [ "$(cat "$images/$2.id" 2>/dev/null)" = "$id" ] && [ -s "$images/$2.tar" ] && return
    buildah push --quiet "$1" "docker-archive:$work/out.tar:$1"
    mv "$work/out.tar" "$images/$2.tar"
    echo "$id" >"$images/$2.id"
}

for name in nats weaviate postgres; do
    save "$(image_of "$name")" "$name"
done
save "$base" python
bucket="docker.io/$(sed -nE 's/^ +image: (.*versitygw:.+)$/\1/p' "$root/deploy/k8s/overlays/dev/bucket.yaml" | head -n 1)"
program "$bucket" /usr/local/bin/versitygw "$bin/versitygw"
save "$bucket" versitygw
for name in pause coredns; do
    cp "$bin/$name" "$work/program"
    build "localhost/$name:1" bare.Dockerfile
    save "localhost/$name:1" "$name"
done
ls "$images"/*.tar
