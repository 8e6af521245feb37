"""Messages that wait on the bus of a running `scops up`: pages of nobody that are gone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.shared.command import progress
from scops.common.bus.embedded.nats_child import embedded_address
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import Role
from tests.fakes.worlds.services import outgoing, page_gone

PUBLISHED_AT_ONCE = 200


async def publish_backlog(common: CommonSettings, count: int) -> None:
    """Publishes messages that the change-detector, the indexer and the fetcher work on."""
    async with _bus(common) as bus:
        for first in range(0, count, PUBLISHED_AT_ONCE):
            numbers = range(first, min(first + PUBLISHED_AT_ONCE, count))
            await asyncio.gather(
                *(bus.publisher.publish(outgoing(page_gone(one), f"load-{one}")) for one in numbers)
            )
    progress(f"{count} messages were put on the bus")


async def waiting(common: CommonSettings) -> int:
    """Returns how many messages wait for any role."""
    async with _bus(common) as bus:
        return sum([await bus.backlog(role) for role in Role])


@asynccontextmanager
async def _bus(common: CommonSettings) -> AsyncIterator[NatsBus]:
    address = embedded_address(common)
    if address is None:
        raise SystemExit("benchmarks.load: `scops up` has no bus.")
    bus = await open_bus(address, common, name="benchmark")
    try:
        yield bus
    finally:
        await bus.close()
