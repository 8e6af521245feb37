"""Two replicas relay one outbox into a real bus, and one of them dies amid a batch."""

import asyncio
import multiprocessing
import os
import signal
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise
from multiprocessing.synchronize import Barrier

import pytest
from sqlalchemy import func, select

from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.bus.ports import Outgoing, Publisher, Sealed
from scops.common.bus.publish import headers
from scops.common.config.settings import CommonSettings
from scops.common.contract import service_table, wire
from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.frame import Frame
from scops.common.contract.service_table import BY_TYPE, Lane
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.common.db.outbox import RELAY_BATCH, enqueue, relay
from scops.common.runtime.clock import SystemClock
from scops.fetcher.adapters.sql.tables import outbox
from tests.fakes.clock import START
from tests.fakes.servers.postgres_states import PostgresStates
from tests.fakes.worlds.services import minimal, outgoing

PAGES, EVENTS_A_PAGE = 20, 25
CONTRACT = BY_TYPE[PageFetched]
START_SECONDS_MAX = 60.0


@dataclass
class MortalPublisher:
    """A publisher of a process that is killed before it is told of the last publication."""

    publisher: Publisher
    publications: int

    async def publish(self, outgoing: Outgoing) -> None:
        await self.publisher.publish(outgoing)
        self._live_on()

    async def send(self, sealed: Sealed) -> None:
        await self.publisher.send(sealed)
        self._live_on()

    def _live_on(self) -> None:
        self.publications -= 1
        if not self.publications:
            os.kill(os.getpid(), signal.SIGKILL)


def _relay(
    address: Address, bus: NatsAddress, common: CommonSettings, ready: Barrier, publications: int
) -> None:
    """Relays in a process of its own until the outbox is empty, or its end."""

    async def until_empty() -> None:
        database, connected = Database(address, name="fetcher"), await open_bus(bus, common)
        publisher = MortalPublisher(connected.publisher, publications)
        ready.wait(START_SECONDS_MAX)
        while await relay(database, outbox, publisher, clock=SystemClock()):
            pass
        await connected.close()
        await database.close()

    asyncio.run(until_empty())


async def _fill(database: Database, lane: Lane) -> list[str]:
    """Writes events of several pages in turn; returns their ids in order."""
    names = []
    for place in range(PAGES * EVENTS_A_PAGE):
        number, page = divmod(place, PAGES)
        message = replace(minimal(PageFetched), page_id=PageId(f"page-{page}"))
        names.append(f"page-{page} {number:02}")
        async with database.transaction() as connection:
            await enqueue(connection, outbox, outgoing(message, names[-1], lane=lane), now=START)
    return names


async def _stored(bus: NatsBus) -> list[str]:
    """Returns the ids of the events that the bus has, in its order, those in frames too."""
    name = CONTRACT.stream.name
    count = (await bus.jetstream.stream_info(name)).state.messages
    found = []
    for sequence in range(1, count + 1):
        one = await bus.jetstream.get_msg(name, sequence)
        if one.subject == service_table.frames_subject(CONTRACT):
            items = wire.decode(Frame, one.data or b"").items
            found += [item.headers[headers.EVENT_ID] for item in items]
        else:
            found.append((one.headers or {})[headers.EVENT_ID])
    return found


@pytest.mark.parametrize("lane", list(Lane))
async def test_a_relay_that_dies_amid_a_batch_costs_no_event_and_no_order(
    postgres: PostgresStates, bus: NatsBus, common: CommonSettings, lane: Lane
) -> None:
    """The other one goes on; in lane now nothing is there twice, in frames one batch at most."""
    address, spawn = postgres.address("fetcher"), multiprocessing.get_context("spawn")
    database, ready = Database(address, name="fetcher"), spawn.Barrier(2)
    names = await _fill(database, lane)
    # The one dies at its thirtieth publication, or at the second frame of its batch.
    deaths = (30 if lane is Lane.NOW else 2, 0)
    relays = [
        spawn.Process(target=_relay, args=(address, bus.address, common, ready, death))
        for death in deaths
    ]
    for process in relays:
        process.start()
    for process in relays:
        await asyncio.to_thread(process.join)
    stored = await _stored(bus)
    async with database.reading() as connection:
        left = (await connection.execute(select(func.count()).select_from(outbox))).scalar_one()
    await database.close()
    order = defaultdict(list)
    for name in dict.fromkeys(stored):
        order[name.split()[0]].append(name)

    assert [-signal.SIGKILL, 0] == [process.exitcode for process in relays]
    assert 0 == left
    assert sorted(names) == sorted(set(stored))
    assert len(stored) - len(names) <= (0 if lane is Lane.NOW else RELAY_BATCH)
    assert all(one < other for events in order.values() for one, other in pairwise(events))
