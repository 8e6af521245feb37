#!/bin/sh
# Run by the service `secrets` of compose.yaml: draws what is missing into /all, and gives each
# service its own in /of/SERVICE. In the volumes of roles each file is a variable.
set -eu
umask 077
all=${ALL:-/all} of=${OF:-/of} owner=${OWNER:-10001:10001}

draw() { # a password, unless it is there
    [ -s "$all/$1" ] || head -c 48 /dev/urandom | base64 | tr -d '\n/+=' >"$all/$1"
}
give() { # SERVICE FILE TEXT
    printf %s "$3" >"$of/$1/$2"
}
database() { # the address of a login
    echo "postgresql://$1:$(cat "$all/$2")@postgres:5432/scops"
}

scops nats-config --passwords "$all/passwords" --create --write "$of/nats/users.conf"
[ -z "${POSTGRES_PASSWORD:-}" ] || printf %s "$POSTGRES_PASSWORD" >"$all/postgres"
draw postgres
draw weaviate
draw evidence
give postgres password "$(cat "$all/postgres")"
mkdir -p "$of/provision/logins"
for role in fetcher extractor change-detector indexer retriever explainer gateway; do
    give "$role" SCOPS_NATS_PASSWORD "$(cat "$all/passwords/$role")"
done
for role in fetcher change-detector indexer retriever gateway; do
    draw "postgres-$role"
    cp "$all/postgres-$role" "$of/provision/logins/$role"
    login=scops_$(echo "$role" | tr - _)
    give "$role" SCOPS_DATABASE_URL "$(database "$login" "postgres-$role")"
done
[ -s "$all/watch" ] || head -c 32 /dev/urandom | base64 | tr '/+' '_-' | tr -d '\n' >"$all/watch"
give gateway SCOPS_GATEWAY_WATCH_KEYS "$(cat "$all/watch")"
give explainer SCOPS_EXPLAINER_BUNDLE_KEY "$(cat "$all/evidence")"
# With compose.browser.yaml there is a place for it, and the fetcher is told.
if [ -d "$of/browser" ]; then
    draw browser
    give browser token "$(cat "$all/browser")"
    give fetcher SCOPS_FETCHER_BROWSER "ws://browser:7400/$(cat "$all/browser")"
else
    rm -f "$of/fetcher/SCOPS_FETCHER_BROWSER"
fi
keys=$(cat "$all/weaviate")
for role in indexer retriever; do
    draw "weaviate-$role"
    keys=$keys,$(cat "$all/weaviate-$role")
    give "$role" SCOPS_WEAVIATE_API_KEY "$(cat "$all/weaviate-$role")"
done
# In the order of AUTHENTICATION_APIKEY_USERS.
give weaviate api-keys "$keys"
give provision SCOPS_WEAVIATE_API_KEY "$(cat "$all/weaviate")"
give provision SCOPS_NATS_PASSWORD "$(cat "$all/passwords/provisioner")"
give provision SCOPS_DATABASE_URL "$(database scops postgres)"
chown -R "$owner" "$of"/* ${ARCHIVE:-/archive}
# The image of PostgreSQL reads its own as whoever starts it, root; Weaviate runs as root, too.
