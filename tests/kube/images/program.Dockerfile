# One program on Debian, where the published image has it, with the wget of its health checks.
ARG BASE
FROM ${BASE}
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends wget >/dev/null \
    && rm -rf /var/lib/apt/lists/*
ARG DATA=/data
ARG RUN_AS=0:0
# A fresh volume takes the owner of the folder that it covers.
RUN mkdir -p ${DATA} && chown ${RUN_AS} ${DATA}
ARG PROGRAM_PATH
COPY program ${PROGRAM_PATH}
RUN ln -sf ${PROGRAM_PATH} /usr/local/bin/server
USER ${RUN_AS}
ENTRYPOINT ["/usr/local/bin/server"]
