# One program on Debian, where the published image has it, with the wget of its health checks and the
# pkill by which a container beside it tells it something.
ARG BASE
FROM ${BASE}
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends wget procps >/dev/null \
    && rm -rf /var/lib/apt/lists/*
ARG DATA=/data
ARG RUN_AS=0:0
# A fresh volume takes the owner of the folder that it covers.
RUN mkdir -p ${DATA} && chown ${RUN_AS} ${DATA}
ARG PROGRAM_PATH
COPY program ${PROGRAM_PATH}
ENV PROGRAM_PATH=${PROGRAM_PATH}
USER ${RUN_AS}
# By its own name, which pkill looks for.
ENTRYPOINT ["sh", "-c", "exec \"$PROGRAM_PATH\" \"$@\"", "server"]
