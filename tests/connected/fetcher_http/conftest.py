"""A hostile server and a page source with short timeouts that may reach it."""

from collections.abc import AsyncIterator, Callable

import pytest

from scops.common.egress.address import AddressPolicy, parse_allowed_ranges
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.page_source import HttpPageSource, user_agent
from tests.fakes.clock import ManualClock
from tests.fakes.servers.hostile import HostileServer

FAST = HttpLimits(
    connect_seconds=1.0,
    read_seconds=0.3,
    headers_seconds=0.6,
    total_seconds=1.2,
    rate_window_seconds=0.2,
)

MakeSource = Callable[..., HttpPageSource]


@pytest.fixture
async def server() -> AsyncIterator[HostileServer]:
    async with HostileServer() as running:
        yield running


@pytest.fixture
async def make_source() -> AsyncIterator[MakeSource]:
    """Builds page sources that may reach one loopback address on any port."""
    made: list[HttpPageSource] = []

    def make(**changes: object) -> HttpPageSource:
        arguments: dict[str, object] = {
            "limits": FAST,
            "addresses": AddressPolicy(allowed=parse_allowed_ranges("127.0.0.1/32:*")),
            "clock": ManualClock(),
            "user_agent": user_agent("9.9", "https://example.org/bot"),
        }
        made.append(HttpPageSource(**(arguments | changes)))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for source in made:
        await source.close()


@pytest.fixture
def source(make_source: MakeSource) -> HttpPageSource:
    return make_source()
