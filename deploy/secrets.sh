#!/usr/bin/env bash
# Prints the secrets that deploy/k8s names, as manifests: `bash deploy/secrets.sh | kubectl apply -f -`.
# Passwords are drawn once into deploy/secrets, which git ignores; keep that folder, or move what is
# in it to your secret manager. Needs `scops` (or SCOPS="docker run …") and kubectl on the path.
# ORGANISATIONS="acme beta" are those beside main, each in a namespace scops-NAME: name all of them,
# always.
set -euo pipefail
umask 077
cd "$(dirname "$0")"
scops=${SCOPS:-scops}
kubectl=${KUBECTL:-kubectl}
organisations=${ORGANISATIONS:-}
folder=secrets
# Of whose roles the secrets are: those of main, until `organisation` says another.
namespace=scops own=$folder passwords=$folder/passwords logins=scops postgres=postgres
roles=(fetcher extractor change-detector indexer retriever explainer gateway)
with_login=(fetcher change-detector indexer retriever gateway)
with_index=(indexer retriever)
mkdir -p "$folder"

organisation() { # one beside main, which has the servers in the namespace scops
    namespace=scops-$1 own=$folder/organisation-$1 passwords=$folder/passwords/$1
    logins=scops_${1//-/_} postgres=postgres.scops
    mkdir -p "$own"
}
draw() { # a file with a password, unless it is there
    [ -s "$own/$1" ] || head -c 48 /dev/urandom | base64 | tr -d '\n/+=' >"$own/$1"
}
draw_roles() { # what the servers have of an organisation's roles
    local role
    for role in "${with_login[@]}"; do draw "postgres-$role"; done
    for role in "${with_index[@]}"; do
        draw "weaviate-$role"
        index_users+=",${logins}_$role"
        index_keys+=",$(cat "$own/weaviate-$role")"
    done
}
draw_key() { # a file with a key that encrypts, unless it is there
    [ -s "$own/$1" ] || head -c 32 /dev/urandom | base64 | tr '/+' '_-' | tr -d '\n' >"$own/$1"
}
login() { # what the secret of a role's login of the database is made from
    echo "--from-file=password=$own/postgres-$1" \
        "--from-literal=url=postgresql://${logins}_${1//-/_}:$(cat "$own/postgres-$1")@$postgres:5432/scops"
}
archive_key() { # the same for the archive: the role's own key where there is one
    local of="-$1"
    [ -s "$own/archive-id-$1" ] || of=
    echo "--from-file=AWS_ACCESS_KEY_ID=$own/archive-id$of" \
        "--from-file=AWS_SECRET_ACCESS_KEY=$own/archive-key$of"
}
secret() { # a manifest, without talking to a cluster
    echo "---"
    $kubectl create secret generic --namespace "$namespace" --dry-run=client --output yaml "$@"
}
secrets_of_roles() { # what is mounted where an organisation's roles run
    secret scops-postgres-fetcher $(login fetcher)
    secret scops-postgres-change-detector $(login change-detector)
    secret scops-postgres-indexer $(login indexer)
    secret scops-postgres-retriever $(login retriever)
    secret scops-postgres-gateway $(login gateway)
    secret scops-weaviate-indexer --from-file=api-key="$own/weaviate-indexer"
    secret scops-weaviate-retriever --from-file=api-key="$own/weaviate-retriever"
    draw evidence
    secret scops-evidence --from-file=key="$own/evidence"
    # Of components/alerts. Put a newer key before it, with a comma.
    draw_key watch
    secret scops-watch --from-file=keys="$own/watch"
    # Of components/browser: who knows it may use the browser.
    draw browser
    secret scops-browser --from-file=token="$own/browser" \
        --from-literal=url="ws://browser:7400/$(cat "$own/browser")"
    # The bucket of overlays/dev knows one key. Elsewhere give each role a key of its own, in files
    # archive-id-ROLE and archive-key-ROLE; docs/deploy.md says what each must be allowed.
    draw archive-id
    draw archive-key
    secret scops-archive-fetcher $(archive_key fetcher)
    secret scops-archive-extractor $(archive_key extractor)
    secret scops-archive-change-detector $(archive_key change-detector)
    secret scops-archive-indexer $(archive_key indexer)
    secret scops-archive-retriever $(archive_key retriever)
    secret scops-archive-explainer $(archive_key explainer)
    secret scops-archive-gateway $(archive_key gateway)
}
secrets_of_servers() { # what the provisioner of one beside main needs, where the servers run
    local role files=(--from-file=nats="$passwords/provisioner")
    for role in "${with_login[@]}"; do files+=(--from-file="$role=$own/postgres-$role"); done
    namespace=scops secret "scops-provision-$1" "${files[@]}"
}
bus_passwords() {
    local role files=()
    for role in "${roles[@]}"; do files+=(--from-file="$passwords/$role"); done
    secret scops-nats-passwords "${files[@]}" "$@"
}

accounts=()
for name in $organisations; do accounts+=(--organisation "$name"); done
$scops nats-config --passwords "$folder/passwords" --create "${accounts[@]}" \
    --write "$folder/users.conf" >&2
draw postgres
draw weaviate
index_users=scops index_keys=$(cat "$folder/weaviate")
draw_roles

$kubectl create namespace scops --dry-run=client --output yaml
bus_passwords --from-file="$folder/passwords/provisioner"
secret scops-nats-users --from-file=users.conf="$folder/users.conf"
# Whoever owns the schemas: the server and the provisioner. Roles have logins of their own.
secret scops-postgres --from-file=password="$folder/postgres" \
    --from-literal=username=scops \
    --from-literal=url="postgresql://scops:$(cat "$folder/postgres")@postgres:5432/scops"
secrets_of_roles
secret scops-archive --from-file=AWS_ACCESS_KEY_ID="$folder/archive-id" \
    --from-file=AWS_SECRET_ACCESS_KEY="$folder/archive-key"
for name in $organisations; do
    organisation "$name"
    draw_roles
    echo "---"
    $kubectl create namespace "$namespace" --dry-run=client --output yaml
    bus_passwords
    secrets_of_roles
    secrets_of_servers "$name"
done
# Its administrator, who is the provisioner, and the users of all roles that use the index. The
# chart of components/weaviate reads users and keys under these names too.
namespace=scops secret scops-weaviate --from-file=api-key="$folder/weaviate" \
    --from-literal=AUTHENTICATION_APIKEY_USERS="$index_users" \
    --from-literal=AUTHENTICATION_APIKEY_ALLOWED_KEYS="$index_keys"
