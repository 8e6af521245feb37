"""A process with one service that counts what it is given, for the memory beside a backlog."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from scops.common.bus.consume.router import ServiceRouter
from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.nats_bus import open_bus
from scops.common.bus.ports import Cause
from scops.common.config.settings import CommonSettings
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import Role
from scops.common.runtime.lifecycle import process_lifecycle
from scops.common.runtime.platform import open_platform
from scops.common.runtime.process_run import run_between
from scops.common.runtime.service import Service


class Counter:
    """A handler that remembers which pages it has seen, by number, and nothing of messages."""

    def __init__(self, pages: int) -> None:
        self.seen = bytearray(pages)

    async def __call__(self, message: PageGone, cause: Cause) -> Sequence[object]:
        self.seen[int(message.page_id.rpartition("-")[2])] = 1
        return ()


async def main(url: str, folder: Path, pages: int) -> None:
    """Consumes until it is stopped; writes how many pages it has seen."""
    common = CommonSettings(data_dir=folder, log_level="error")
    bus = await open_bus(NatsAddress(url=url, monitor_url=""), common)
    platform = await open_platform(
        common, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
    )
    counter = Counter(pages)
    router = ServiceRouter(Role.CHANGE_DETECTOR)
    router.consumes(PageGone)(counter)
    service = Service(role=Role.CHANGE_DETECTOR, router=router)
    async with process_lifecycle(common) as lifecycle:
        await run_between(lifecycle, [service], platform, bus)
    await platform.close()
    await bus.close()
    (folder / "seen").write_text(str(sum(counter.seen)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
