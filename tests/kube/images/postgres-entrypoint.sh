# What the official image does at its start: as root it takes the folder and becomes the user
# postgres; where there is no database it makes one of POSTGRES_USER.
set -eu
if [ -n "${POSTGRES_PASSWORD_FILE:-}" ]; then
    POSTGRES_PASSWORD="$(cat "$POSTGRES_PASSWORD_FILE")"
    export POSTGRES_PASSWORD
    unset POSTGRES_PASSWORD_FILE
fi
if [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA"
    chown -R postgres:postgres "$PGDATA" /var/run/postgresql
    chmod 700 "$PGDATA"
    exec setpriv --reuid postgres --regid postgres --clear-groups sh "$0" "$@"
fi
[ "${1:-}" != postgres ] || shift
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    password="$(mktemp)"
    printf '%s' "$POSTGRES_PASSWORD" >"$password"
    # shellcheck disable=SC2086 # They are words.
    initdb --pgdata "$PGDATA" --username "$POSTGRES_USER" --pwfile "$password" \
        --auth-local trust --auth-host scram-sha-256 --encoding UTF8 --locale C.UTF-8 \
        ${POSTGRES_INITDB_ARGS:-}
    rm "$password"
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    if [ "${POSTGRES_DB:=$POSTGRES_USER}" != postgres ]; then
        echo "CREATE DATABASE \"$POSTGRES_DB\";" |
            postgres --single -D "$PGDATA" -j postgres >/dev/null
    fi
fi
unset POSTGRES_PASSWORD
exec postgres -D "$PGDATA" -c 'listen_addresses=*' -c unix_socket_directories=/var/run/postgresql "$@"
