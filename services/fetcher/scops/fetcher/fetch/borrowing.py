"""A host that a question needs now, beside what workers ask of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from scops.common.contract.errors import TransientError
from scops.common.scope.urls import host_key
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.frontier.leases import HostLease
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.page_source import FetchResult

LOOK_SECONDS = 0.2


@dataclass(slots=True)
class Borrowed:
    """A visit to a host, and the last answer of it, by which it is released."""

    visit: Visit
    answer: FetchResult | None = None


@asynccontextmanager
async def borrowed(url: str, ports: FetcherPorts, *, looks_max: int) -> AsyncIterator[Borrowed]:
    """Holds the host of a URL while inside, and releases it by the answer that was noted.

    Args:
        looks_max: how often it is looked whether the host is free, every `LOOK_SECONDS`.

    Raises:
        TransientError: it is asked by somebody else, or rests.
    """
    lent = Borrowed(Visit(await _lease(url, ports, looks_max), ports))
    try:
        yield lent
    finally:
        now = ports.clock.now()
        release = lent.visit.release(lent.answer, now)
        await ports.frontier.give_back(lent.visit.host, release=release, now=now)


async def _lease(url: str, ports: FetcherPorts, looks_max: int) -> HostLease:
    for _ in range(looks_max):
        now = ports.clock.now()
        host = await ports.frontier.borrow(host_key(url), lease_id=ports.new_id(), now=now)
        if host is not None:
            return host
        await ports.clock.sleep(LOOK_SECONDS)
    raise TransientError(
        f"The host of {url} is asked by somebody else, or rests. Try again in a moment.",
        reason="HOST_BUSY",
    )
