"""Options of the simulation: `--seeds N` runs seeds 0..N-1, `--seed N` replays one."""

from collections.abc import AsyncIterator

import pytest
import structlog

from scops.common.bus.consume import store_pause
from scops.fetcher.adapters.sql.ledger import revisits
from tests.simulation.driver import Driver
from tests.simulation.world import World

SEEDS_A_TEST = 20


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", type=int, default=60, help="how many seeded worlds to run")
    parser.addoption("--seed", type=int, default=None, help="replay one seed with its trace")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seeds" not in metafunc.fixturenames:
        return
    one = metafunc.config.getoption("--seed")
    count = metafunc.config.getoption("--seeds")
    starts = [one] if one is not None else list(range(0, count, SEEDS_A_TEST))
    size = 1 if one is not None else SEEDS_A_TEST
    groups = [range(start, start + size) for start in starts]
    metafunc.parametrize("seeds", groups, ids=[f"seed-{group[0]}" for group in groups])


@pytest.fixture(autouse=True)
def _silence() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))


@pytest.fixture(autouse=True)
def _revisits_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crawls of a few pages take up those of the last one in several transactions."""
    monkeypatch.setattr(revisits, "REVISITED_AT_ONCE", 2)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a store refuses is tried again when the seed wants it, and not by the wall's time."""
    monkeypatch.setattr(store_pause, "DELAY_FIRST_SECONDS", 0.0)
    monkeypatch.setattr(store_pause, "DELAY_SECONDS_MAX", 0.0)


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """A calm world of its own."""
    world = World(seed=1)
    await world.open()
    yield Driver(world)
    await world.close()
