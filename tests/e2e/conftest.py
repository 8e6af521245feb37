"""Fresh systems for the tests, and one that those share that do not disturb each other."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from examples.site_server import SITE
from tests.e2e.guarded import GRAFANA, Guarded, claimed
from tests.e2e.separate_roles import Servers
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.postgres import postgres_server
from tests.fakes.servers.weaviate import running_weaviate


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts what takes minutes first."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture
def new_system(tmp_path: Path) -> Iterator[Callable[..., System]]:
    """Makes systems, each with a folder of its own, and ends whatever they started."""
    systems: list[System] = []

    def make(**settings: str) -> System:
        systems.append(System(tmp_path / f"system-{len(systems)}", **settings))
        return systems[-1]

    yield make
    for system in systems:
        system.kill()


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """PostgreSQL and Weaviate, for systems that stand apart in a database and an organisation."""
    folder = tmp_path_factory.mktemp("weaviate")
    with postgres_server() as postgres, running_weaviate(folder) as weaviate:
        yield Servers(postgres, weaviate)


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A running system that wants to know who calls; what a test makes there is named by it.

    No scope is left in it by those that share it: the page begins with the first minute.
    """
    settings = {"SCOPS_GATEWAY_IDENTITY": "required", "SCOPS_GATEWAY_GRAFANA_URL": GRAFANA}
    with System(tmp_path_factory.mktemp("guarded"), **settings) as system:
        yield Guarded(system, claimed(system))


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory, tarn: Origin) -> Iterator[System]:
    """A running system that knows the example site as `tarn`, its releases as `releases` too.

    Those that share it ask every scope at once: they make none there.
    """
    with System(tmp_path_factory.mktemp("known")) as system:
        system.create_scope("tarn", seeds=[f"{tarn.url}/"])
        system.crawl("tarn")
        system.create_scope("releases", include=[f"{tarn.url.partition('://')[2]}/releases"])
        yield system


@pytest.fixture(scope="session")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A running system in which each module has scopes and an origin of its own."""
    with System(tmp_path_factory.mktemp("system")) as system:
        yield system


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    """The example site, which the tests of a module edit."""
    with running(Origin([SITE / "edition-1"])) as origin:
        yield origin


@pytest.fixture(scope="session")
def tarn() -> Iterator[Origin]:
    """The example site in its first edition; tests that share it leave it as it is."""
    with running(Origin([SITE / "edition-1"])) as origin:
        yield origin


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, tarn: Origin) -> Iterator[System]:
    """A running system that knows the example site as the scope `tarn`."""
    with System(tmp_path_factory.mktemp("shared")) as system:
        system.create_scope("tarn", seeds=[f"{tarn.url}/"])
        system.crawl("tarn")
        yield system
