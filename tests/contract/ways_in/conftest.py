"""One site and one fetcher for each test, by each way; one Chromium for all of a process."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from scops.common.db.address import sqlite_url
from scops.fetcher.adapters.browser.chromium import Chromium
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.settings import FetcherSettings
from tests.contract.ways_in.addresses import Ear, listening
from tests.contract.ways_in.ways import (
    BROWSER,
    LIMITS,
    SETTINGS,
    WAYS,
    Way,
    chromium,
    page_source,
)
from tests.fakes.clock import ManualClock
from tests.fakes.servers.origin import Origin
from tests.fakes.worlds.fetcher import FetcherWorld

OpenWay = Callable[..., Awaitable[Way]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs the suite on one loop, which its browser lives on."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_browser() -> AsyncIterator[Chromium]:
    browser = chromium()
    yield browser
    await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def open_way(shared_browser: Chromium, tmp_path: Path) -> AsyncIterator[OpenWay]:
    """Opens a way by its name, with limits, settings, clock and validators of its own."""
    async with AsyncExitStack() as held:

        async def opened(
            name: str,
            *,
            limits: HttpLimits = LIMITS,
            settings: FetcherSettings = SETTINGS,
            clock: ManualClock | None = None,
            validators: bool = True,
        ) -> Way:
            shown = name == BROWSER
            ports: dict[str, Any] = {"clock": clock or ManualClock()}
            ports["web"] = page_source(ports["clock"], limits)
            held.push_async_callback(ports["web"].close)
            if shown:
                ports["browser"] = shared_browser
            origin = await held.enter_async_context(Origin(validators=validators))
            address = sqlite_url(tmp_path / "fetcher.db")
            world = await held.enter_async_context(
                FetcherWorld.opened(address, settings=settings, **ports)
            )
            way = Way(world, origin, shown)
            way.hold()
            return way

        yield opened


@pytest.fixture(params=WAYS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest_asyncio.fixture(loop_scope="session")
async def way(open_way: OpenWay, name: str) -> Way:
    """Each way in turn."""
    return await open_way(name)


@pytest_asyncio.fixture(loop_scope="session")
async def shown(open_way: OpenWay) -> Way:
    """The way that shows pages, for what only it does."""
    return await open_way(BROWSER)


@pytest_asyncio.fixture(loop_scope="session")
async def ear() -> AsyncIterator[Ear]:
    async with listening() as listener:
        yield listener
