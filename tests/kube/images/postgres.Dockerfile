# PostgreSQL of Debian with what manifests and compose.yaml use of the official image.
ARG BASE
FROM ${BASE}
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid 999 postgres \
    && mkdir -p /etc/postgresql-common \
    && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf \
    && apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Options::=--force-unsafe-io postgresql-15 >/dev/null \
    && rm -rf /var/lib/apt/lists/*
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    PGDATA=/var/lib/postgresql/data
RUN mkdir -p "$PGDATA" && chown postgres:postgres "$PGDATA" && chmod 700 "$PGDATA"
COPY postgres-entrypoint.sh /usr/local/bin/server
ENTRYPOINT ["sh", "/usr/local/bin/server"]
CMD ["postgres"]
# As the official one says: sessions end, and the server does not wait for them.
STOPSIGNAL SIGINT
