"""One cluster for the session, with Scops on it; what is missing on a machine is said."""

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.postgresql_doc import root as manual_root
from tests.kube.cluster import Cluster, cluster, missing
from tests.kube.installation import SITE, Installation, install, start_searches

PAGES = 30


@pytest.fixture(scope="session")
def machine() -> Iterator[Cluster]:
    """A cluster of two nodes."""
    if reason := missing():
        pytest.skip(reason)
    with cluster() as made:
        yield made


@pytest.fixture(scope="session")
def scops(machine: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Scops on it, brought up by the commands of docs/deploy.md."""
    folder: Path = tmp_path_factory.mktemp("checkout")
    return install(machine, folder)


@pytest.fixture(scope="session")
def asked(scops: Installation) -> None:
    """Somebody asks all the time, of pages that were crawled before."""
    scopes = scops.scops("scope", "list")
    if "manual" not in json.dumps(scopes):
        scops.scops("scope", "create", "manual", f"{SITE}/", "--page-limit", "50")
        scops.wait_job(scops.crawl())
    start_searches(scops)


@pytest.fixture
def urls() -> list[str]:
    """Pages of the site, other ones each time."""
    names = sorted(path.name for path in (manual_root() / "html").glob("*.html"))
    return [f"{SITE}/{name}" for name in random.Random(time.time_ns()).sample(names, PAGES)]
