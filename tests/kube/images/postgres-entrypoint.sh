# What the official image does at its start: a database of POSTGRES_USER where there is none.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    password="$(mktemp)"
    printf '%s' "$POSTGRES_PASSWORD" >"$password"
    initdb --pgdata "$PGDATA" --username "$POSTGRES_USER" --pwfile "$password" \
        --auth-local trust --auth-host scram-sha-256 --encoding UTF8 --locale C.UTF-8
    rm "$password"
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    echo "CREATE DATABASE \"$POSTGRES_DB\";" |
        postgres --single -D "$PGDATA" -j postgres >/dev/null
fi
exec postgres -D "$PGDATA" -c 'listen_addresses=*' -c unix_socket_directories=/var/run/postgresql "$@"
