"""Whether servers of tests run in containers, and whose.

`TEST_SERVERS=containers` and `TEST_SERVERS=binaries` say it. Otherwise they run in containers where
a container engine is up and answers at once: the one that `DOCKER_HOST` names, or at the socket of
Docker or of podman; and elsewhere from cached binaries. No engine is ever started for it: podman
that is installed and does not serve its socket changes nothing.
"""

import functools
import os
from collections.abc import Mapping
from pathlib import Path

import docker
import yaml
from testcontainers.core.config import ConnectionMode, testcontainers_config

VARIABLE = "TEST_SERVERS"
CONTAINERS, BINARIES = "containers", "binaries"
SOCKETS = (Path("/var/run/docker.sock"), Path("/run/podman/podman.sock"))
# An engine that takes longer is none to start many servers in; where it is asked
# for it may be busy.
ANSWER_SECONDS_MAX, ASKED_FOR_SECONDS_MAX = 3, 60
COMPOSE = Path(__file__).parents[3] / "deploy" / "compose.yaml"


@functools.cache
def in_containers() -> bool:
    """Returns whether servers are started in containers, and has testcontainers know the engine.

    Raises:
        AssertionError: containers are asked for, and no engine answers; or the variable says
            neither.
    """
    engine = chosen_engine(os.environ)
    if engine is not None:
        _use(engine)
    return engine is not None


def chosen_engine(environment: Mapping[str, str]) -> str | None:
    """Returns the address of the engine whose containers servers run in; None for binaries.

    Raises:
        AssertionError: as `in_containers`.
    """
    wanted = environment.get(VARIABLE, "")
    assert wanted in ("", CONTAINERS, BINARIES), (
        f"{VARIABLE} is {wanted!r}; it takes {CONTAINERS!r} and {BINARIES!r}."
    )
    if wanted == BINARIES:
        return None
    named = environment.get("DOCKER_HOST")
    addresses = [named] if named else [f"unix://{path}" for path in SOCKETS if path.is_socket()]
    seconds = ASKED_FOR_SECONDS_MAX if wanted else ANSWER_SECONDS_MAX
    engine = next((each for each in addresses if engine_answers(each, seconds)), None)
    assert engine is not None or wanted != CONTAINERS, (
        f"{VARIABLE}={CONTAINERS}, and no container engine answers: start one, or run the tests by "
        "`bash tests/compose/engine.sh`, which runs podman for as long."
    )
    return engine


def engine_answers(address: str, seconds: int) -> bool:
    """Returns whether a container engine answers as Docker does, and in time."""
    try:
        client = docker.DockerClient(base_url=address, timeout=seconds)
    except docker.errors.DockerException:
        return False
    try:
        return bool(client.ping())
    except (docker.errors.DockerException, OSError):
        return False
    finally:
        client.close()


def image_of(service: str) -> str:
    """Returns the image of a service of the compose file."""
    return str(yaml.safe_load(COMPOSE.read_text())["services"][service]["image"])


def _use(engine: str) -> None:
    os.environ["DOCKER_HOST"] = engine
    # What removes containers of tests that were killed is one more image; fixtures remove theirs.
    testcontainers_config.ryuk_disabled = True
    if engine.startswith("unix://"):
        # Not the address of a container's own: this machine may be one itself (/.dockerenv).
        testcontainers_config.connection_mode_override = ConnectionMode.docker_host
        testcontainers_config.tc_host_override = "127.0.0.1"
