#!/usr/bin/env bash
# Builds Kubernetes' programs, and the S3 gateway of overlays/dev, into the cache where they are
# missing, pinned by the go.sum files in tools/kube: eight minutes once, four for the API server.
# Arguments name what is wanted (`kube-apiserver`); without any it is all of them.
set -euo pipefail

version=1.37.2
tools="$(cd "$(dirname "$0")" && pwd)/kube"
bin="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}/kube/$version"
all=(kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy coredns pause versitygw)
wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=("${all[@]}")

missing=()
for name in "${wanted[@]}"; do
    [ -x "$bin/$name" ] || missing+=("$name")
done
[ ${#missing[@]} -gt 0 ] || exit 0
needed="$(sed -n 's/^go //p' "$tools/kubernetes/go.mod")"
found="$(cd / && go env GOVERSION 2>/dev/null | sed 's/^go//')" || found=""
if [ -z "$found" ] || {
    [ "$(printf '%s\n' "$needed" "$found" | sort -V | head -n 1)" != "$needed" ] &&
        [ "$(cd / && go env GOTOOLCHAIN)" = local ]; }; then
    echo "Kubernetes $version is built from source by Go $needed or newer, and here is ${found:-none}:" >&2
    echo "install it (https://go.dev/dl/), then run this again." >&2
    exit 1
fi
mkdir -p "$bin"
exec 9>"$bin/.lock"
flock 9

component=k8s.io/component-base/version
stamp="-X $component.gitVersion=v$version -X $component.gitMajor=${version%%.*} -X $component.gitMinor=$(cut -d. -f2 <<<"$version")"
export CGO_ENABLED=0
for name in "${missing[@]}"; do
    [ -x "$bin/$name" ] && continue
    case "$name" in
        coredns | pause) module="$tools/$name" package=. ;;
        versitygw) module="$tools/$name" package=github.com/versity/versitygw/cmd/versitygw ;;
        kube*) module="$tools/kubernetes" package="k8s.io/kubernetes/cmd/$name" ;;
        *) echo "$name is none of: ${all[*]}" >&2 && exit 1 ;;
    esac
    echo "building $name into $bin"
    nice go build -C "$module" -mod=readonly -trimpath -ldflags "-s -w $stamp" -o "$bin/.$name" "$package"
    mv "$bin/.$name" "$bin/$name"
done
