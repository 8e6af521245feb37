#!/usr/bin/env bash
# Puts the definitions of the custom resources that deploy/k8s/components use into the cache, as their
# projects publish them in their Go modules. A sum that differs is an error, as in a go.sum.
set -euo pipefail

folder="${SCOPS_CACHE_DIR:-$HOME/.cache/scops}/kube/crds"
# name, module, version, sum of the module, folder of the definitions, and which of them.
definitions() {
    cat <<'END'
cert-manager github.com/cert-manager/cert-manager v1.21.2 h1:UWgoYM+KLNtRlqmoWOKjKBOBUPVHeepQ6/ac3ERJW68= deploy/crds cert-manager.io_certificates cert-manager.io_issuers
cloudnative-pg github.com/cloudnative-pg/cloudnative-pg v1.27.0 h1:mp0zlYO4vKAJmQdArWORWKr1lmB4Hj8JeBQGX5RBnpg= config/crd/bases postgresql.cnpg.io_clusters
external-secrets github.com/external-secrets/external-secrets v1.3.2 h1:u2J8RjlHIeF0oZCqtl92adI/uZWUwOesJIDkfql6LqQ= config/crds/bases external-secrets.io_externalsecrets
gateway-api sigs.k8s.io/gateway-api v1.4.1 h1:NPxFutNkKNa8UfLd2CMlEuhIPMQgDQ6DXNKG9sHbJU8= config/crd/standard gateway.networking.k8s.io_gateways gateway.networking.k8s.io_grpcroutes gateway.networking.k8s.io_httproutes
keda github.com/kedacore/keda/v2 v2.21.0 h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps= config/crd/bases keda.sh_scaledobjects
prometheus-operator github.com/prometheus-operator/prometheus-operator v0.85.0 h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s= example/prometheus-operator-crd monitoring.coreos.com_podmonitors monitoring.coreos.com_prometheusrules monitoring.coreos.com_servicemonitors
END
}

field() { # a field of what `go mod download -json` printed
    sed -n "s/^\t\"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" <<<"$2"
}

mkdir -p "$folder"
exec 9>"$folder/.lock"
flock 9
definitions | while read -r name module version sum inside kinds; do
    # The list is part of the name: one that grows is fetched again.
    target="$folder/$name-$version-$(cksum <<<"$sum $kinds" | cut -d' ' -f1).yaml"
    [ -s "$target" ] && continue
    if ! command -v go >/dev/null; then
        echo "The definitions of $name come from its Go module, and there is no Go here: install it" >&2
        echo "(https://go.dev/dl/), then run this again." >&2
        exit 1
    fi
    echo "fetching the definitions of $name $version"
    if ! found="$(cd / && go mod download -json "$module@$version")"; then
        echo "The Go module $module $version cannot be had: $(field Error "$found")" >&2
        echo "The deployment's custom resources cannot be checked without it; is the module proxy" >&2
        echo "($(go env GOPROXY)) reachable from here?" >&2
        exit 1
    fi
    if [ "$(field Sum "$found")" != "$sum" ]; then
        echo "The Go module $module $version has the sum $(field Sum "$found"), not $sum." >&2
        exit 1
    fi
    rm -f "$folder/$name"-*.yaml
    for kind in $kinds; do
        printf -- '---\n' && cat "$(field Dir "$found")/$inside/$kind.yaml"
    done >"$folder/.$name"
    mv "$folder/.$name" "$target"
done
