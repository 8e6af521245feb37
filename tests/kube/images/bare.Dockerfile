# A static program and nothing else.
FROM scratch
COPY program /usr/local/bin/server
ENTRYPOINT ["/usr/local/bin/server"]
