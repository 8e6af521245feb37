"""One project for the session: up by the command of docs/deploy.md, in a clean copy."""

import os
import re
from collections.abc import Iterator

import pytest

from tests.compose.api import Api
from tests.compose.project import AT_ONCE, BROWSER, Project, guide
from tests.e2e.postgresql_doc import root as manual_root
from tests.fakes.servers.engine import chosen_engine
from tests.kube.documented import checkout

ROOT_URL = "http://10.213.7.80/docs/15/"


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """Everything is up, and healthy where it says so."""
    engine = chosen_engine({**os.environ, "TEST_SERVERS": "containers"})
    assert engine is not None
    os.environ["DOCKER_HOST"] = engine
    made = Project(checkout(tmp_path_factory.mktemp("checkout")), manual_root())
    made.compose("down", "--volumes", *AT_ONCE, file=BROWSER)
    try:
        up = next(line for line in guide() if " up " in line)
        assert up.endswith("up --build --wait"), up
        made.shell(up)
        yield made
    finally:
        made.compose("down", "--volumes", *AT_ONCE, file=BROWSER)


@pytest.fixture(scope="session")
def printed(project: Project) -> str:
    """What the rest of the guide's commands printed, on the example site; and the key they made."""
    _, *commands = (line for line in guide() if BROWSER not in line)
    lines = "\n".join([*commands, "echo key=$SCOPS_TOKEN"])
    return project.shell(lines.replace("https://www.postgresql.org/docs/15/", ROOT_URL))


@pytest.fixture(scope="session")
def api(printed: str) -> Api:
    """The published API for the first administrator, with the scope `manual` that was crawled."""
    (key,) = re.findall(r"^key=(sk_\S+)$", printed, re.M)
    return Api(key)
