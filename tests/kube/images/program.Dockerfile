# One program on Debian, under the name that the manifests' image starts it by.
ARG BASE
FROM ${BASE}
ARG PROGRAM
COPY ${PROGRAM} /usr/local/bin/server
ENTRYPOINT ["/usr/local/bin/server"]
