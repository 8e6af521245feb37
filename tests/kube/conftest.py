"""One cluster for the session, with Scops on it; what is missing on a machine is said."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kube.cluster import Cluster, cluster, missing
from tests.kube.installation import Installation, install


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
