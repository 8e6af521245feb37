#!/usr/bin/env bash
# Prints the secrets that deploy/k8s names, as manifests: `bash deploy/secrets.sh | kubectl apply -f -`.
# Passwords are drawn once into deploy/secrets, which git ignores; keep that folder, or move what is
# in it to your secret manager. Needs `scops` (or SCOPS="docker run …") and kubectl on the path.
set -euo pipefail
umask 077
cd "$(dirname "$0")"
scops=${SCOPS:-scops}
kubectl=${KUBECTL:-kubectl}
folder=secrets
mkdir -p "$folder"

draw() { # a file with a password, unless it is there
    [ -s "$folder/$1" ] || head -c 24 /dev/urandom | base64 | tr -d '\n/+=' >"$folder/$1"
}
secret() { # a manifest, without talking to a cluster
    echo "---"
    $kubectl create secret generic --namespace scops --dry-run=client --output yaml "$@"
}

$scops nats-config --passwords "$folder/passwords" --create --write "$folder/users.conf" >&2
draw postgres
draw weaviate
draw archive-id
draw archive-key

$kubectl create namespace scops --dry-run=client --output yaml
secret scops-nats-passwords --from-file="$folder/passwords"
secret scops-nats-users --from-file=users.conf="$folder/users.conf"
secret scops-postgres --from-file=password="$folder/postgres" \
    --from-literal=url="postgresql://scops:$(cat "$folder/postgres")@postgres:5432/scops"
secret scops-weaviate --from-file=api-key="$folder/weaviate"
secret scops-archive --from-file=AWS_ACCESS_KEY_ID="$folder/archive-id" \
    --from-file=AWS_SECRET_ACCESS_KEY="$folder/archive-key"
