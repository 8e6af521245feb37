# PostgreSQL of Debian with the variables of the official image that the manifests use.
ARG BASE
FROM ${BASE}
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid 999 postgres \
    && mkdir -p /etc/postgresql-common \
    && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf \
    && apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Options::=--force-unsafe-io postgresql-15 >/dev/null
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY postgres-entrypoint.sh /usr/local/bin/server
USER 999:999
ENTRYPOINT ["sh", "/usr/local/bin/server"]
