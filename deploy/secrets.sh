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
    [ -s "$folder/$1" ] || head -c 48 /dev/urandom | base64 | tr -d '\n/+=' >"$folder/$1"
}
draw_key() { # a file with a key that encrypts, unless it is there
    [ -s "$folder/$1" ] || head -c 32 /dev/urandom | base64 | tr '/+' '_-' | tr -d '\n' >"$folder/$1"
}
login() { # what the secret of a role's login of the database is made from
    draw "postgres-$1"
    echo "--from-file=password=$folder/postgres-$1" \
        "--from-literal=url=postgresql://scops_${1//-/_}:$(cat "$folder/postgres-$1")@postgres:5432/scops"
}
archive_key() { # the same for the archive: the role's own key where there is one
    local of="-$1"
    [ -s "$folder/archive-id-$1" ] || of=
    echo "--from-file=AWS_ACCESS_KEY_ID=$folder/archive-id$of" \
        "--from-file=AWS_SECRET_ACCESS_KEY=$folder/archive-key$of"
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
# Whoever owns the schemas: the server and the provisioner. Roles have logins of their own.
secret scops-postgres --from-file=password="$folder/postgres" \
    --from-literal=username=scops \
    --from-literal=url="postgresql://scops:$(cat "$folder/postgres")@postgres:5432/scops"
secret scops-postgres-fetcher $(login fetcher)
secret scops-postgres-change-detector $(login change-detector)
secret scops-postgres-indexer $(login indexer)
secret scops-postgres-retriever $(login retriever)
secret scops-postgres-gateway $(login gateway)
# Under the second name the chart of components/weaviate reads it.
secret scops-weaviate --from-file=api-key="$folder/weaviate" \
    --from-file=AUTHENTICATION_APIKEY_ALLOWED_KEYS="$folder/weaviate"
draw evidence
secret scops-evidence --from-file=key="$folder/evidence"
# Of components/alerts. Put a newer key before it, with a comma.
draw_key watch
secret scops-watch --from-file=keys="$folder/watch"
# The bucket of overlays/dev knows one key. Elsewhere give each role a key of its own, in files
# archive-id-ROLE and archive-key-ROLE; docs/deploy.md says what each must be allowed.
secret scops-archive --from-file=AWS_ACCESS_KEY_ID="$folder/archive-id" \
    --from-file=AWS_SECRET_ACCESS_KEY="$folder/archive-key"
secret scops-archive-fetcher $(archive_key fetcher)
secret scops-archive-extractor $(archive_key extractor)
secret scops-archive-change-detector $(archive_key change-detector)
secret scops-archive-indexer $(archive_key indexer)
secret scops-archive-retriever $(archive_key retriever)
secret scops-archive-explainer $(archive_key explainer)
secret scops-archive-gateway $(archive_key gateway)
