"""What the relay of an outbox publishes a second, and what several would, on PostgreSQL.

    python -m benchmarks.relay --json
    python -m benchmarks.relay --events 20000 --relays 1 2 4 --json

Each relay is a process with an outbox of its own in one PostgreSQL and one nats-server, both of
which sync what they are given, as relays of lanes of one outbox would be. It drains events of
pages apart (`PageFetched`), all of them written before:

Keys, by `framed` (lane bulk, which goes in frames) and `alone` (lane now), then by relays:
    events_s: published and deleted a second, of all relays together.
    cpu_ms: of the relays' processes, an event.
"""

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from benchmarks.shared.command import command_parser, print_result, progress
from scops.common.bus.admin.provisioner import provision
from scops.common.bus.embedded.nats_child import NatsAddress, NatsChild
from scops.common.bus.nats_bus import open_bus
from scops.common.bus.ports import Outgoing
from scops.common.config.settings import CommonSettings
from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.service_table import Lane, Role
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.common.db.outbox import enqueue, relay
from scops.common.runtime.clock import SystemClock
from scops.fetcher.adapters.sql.tables import outbox
from tests.fakes.servers.postgres import postgres_server
from tests.fakes.servers.postgres_states import PostgresStates
from tests.fakes.worlds.services import minimal, outgoing

LANES = {"framed": Lane.BULK, "alone": Lane.NOW}
WRITTEN_AT_ONCE = 500


def main() -> None:
    parser = command_parser(__doc__)
    parser.add_argument("--events", type=int, default=5_000, help="of each relay")
    parser.add_argument("--relays", type=int, nargs="+", default=(1, 2), metavar="N")
    args = parser.parse_args()
    print_result(measure(args.events, args.relays), args)


def measure(events: int, relays: Sequence[int]) -> dict[str, Any]:
    """Returns the figures that the module's docstring names."""
    found: dict[str, Any] = {"events": events}
    with tempfile.TemporaryDirectory() as folder, postgres_server(durable=True) as server:
        states = PostgresStates(server)
        common = CommonSettings(data_dir=Path(folder))
        with asyncio.Runner() as runner:
            child = NatsChild(common)
            runner.run(_start(child, common))
            for kind in LANES:
                found[kind] = {}
                for count in relays:
                    addresses = [states.address("fetcher") for _ in range(count)]
                    found[kind][count] = _of_relays(addresses, child.address, common, kind, events)
                    progress(f"{kind}, {count} relays: {found[kind][count]}")
            runner.run(child.stop())
    return found


async def _start(child: NatsChild, common: CommonSettings) -> None:
    await child.start()
    bus = await open_bus(child.address, common)
    await provision(bus.jetstream, list(Role), common=common)
    await bus.close()


def _of_relays(
    addresses: Sequence[Address], bus: NatsAddress, common: CommonSettings, kind: str, events: int
) -> dict[str, float]:
    """Lets so many relays drain at once."""
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Barrier(len(addresses))
    taken = spawn.SimpleQueue()
    processes = [
        spawn.Process(target=_drain, args=(one, bus, common, kind, events, ready, taken))
        for one in addresses
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    readings = [taken.get() for _ in processes]
    count = events * len(processes)
    return {
        "events_s": round(count / max(seconds for seconds, _ in readings), 1),
        "cpu_ms": round(sum(cpu for _, cpu in readings) / count * 1e3, 3),
    }


def _drain(
    address: Address,
    bus: NatsAddress,
    common: CommonSettings,
    kind: str,
    events: int,
    ready: Barrier,
    taken: Any,
) -> None:
    """Fills an outbox, waits for the others, and tells the seconds and CPU of draining it."""
    taken.put(asyncio.run(_drained(address, bus, common, kind, events, ready)))


async def _drained(
    address: Address,
    bus: NatsAddress,
    common: CommonSettings,
    kind: str,
    events: int,
    ready: Barrier,
) -> tuple[float, float]:
    database, connected = Database(address, name="fetcher"), await open_bus(bus, common)
    clock = SystemClock()
    for first in range(0, events, WRITTEN_AT_ONCE):
        async with database.transaction() as connection:
            for number in range(first, min(first + WRITTEN_AT_ONCE, events)):
                event = _event(address, kind, number)
                await enqueue(connection, outbox, event, now=clock.now())
    ready.wait()
    started, cpu = time.monotonic(), time.process_time()
    left = events
    while left:
        left -= await relay(database, outbox, connected.publisher, clock=clock)
    seconds = time.monotonic() - started, time.process_time() - cpu
    await connected.close()
    await database.close()
    return seconds


def _event(address: Address, kind: str, number: int) -> Outgoing:
    name = f"{address.url}-{kind}-{number}"
    page = replace(minimal(PageFetched), page_id=PageId(f"page-{number}"))
    return outgoing(page, name, lane=LANES[kind])


if __name__ == "__main__":
    main()
