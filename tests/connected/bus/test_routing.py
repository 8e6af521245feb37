"""Every message reaches exactly the consumers that the contract lists, once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from scops.common.bus.nats_bus import NatsBus
from scops.common.contract.service_table import (
    MESSAGES,
    Lane,
    Role,
    StreamRetention,
    consumed_by,
    streams,
)
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service
from tests.connected.waiting import until
from tests.fakes.worlds.services import minimal, outgoing, recording_services

Run = Callable[[Sequence[Service]], Awaitable[Runner]]


async def test_every_message_on_each_lane_reaches_exactly_its_consumers(
    bus: NatsBus, run: Run
) -> None:
    """The table of the contract is what happens on the bus, on both lanes."""
    services, recorders = recording_services()
    await run(services)
    sent = [(entry, lane, f"{entry.snake_name}-{lane}") for entry in MESSAGES for lane in Lane]
    expected = {(role, event_id) for entry, _, event_id in sent for role in entry.consumers}

    for entry, lane, event_id in sent:
        await bus.publisher.publish(outgoing(minimal(entry.message), event_id, lane=lane))

    def reached() -> list[tuple[Role, str]]:
        return [
            (role, event_id)
            for (role, _), recorder in recorders.items()
            for event_id in recorder.event_ids
        ]

    await until(lambda: len(reached()) >= len(expected))
    await asyncio.sleep(0.3)
    assert sorted(reached()) == sorted(expected)


async def test_an_interest_stream_is_empty_when_everybody_has_acknowledged(
    bus: NatsBus, run: Run
) -> None:
    """What is owed to nobody is not kept; the streams of record keep what they are given."""
    services, recorders = recording_services()
    await run(services)
    for entry in MESSAGES:
        await bus.publisher.publish(outgoing(minimal(entry.message), entry.snake_name))
    owed = sum(len(entry.consumers) for entry in MESSAGES)
    await until(lambda: sum(len(recorder.seen) for recorder in recorders.values()) >= owed)

    async def drained() -> bool:
        return all([await bus.backlog(role) == 0 for role in Role])

    await until(drained)
    for stream in streams():
        info = await bus.jetstream.stream_info(stream.name)
        kept = sum(1 for entry in MESSAGES if entry.stream is stream)
        wanted = 0 if stream.retention is StreamRetention.INTEREST else kept
        assert (stream.name, wanted) == (stream.name, info.state.messages)


async def test_the_backlog_counts_what_a_role_has_not_acknowledged(bus: NatsBus) -> None:
    """Pending and in-flight messages of all durables of a role count, nobody else's."""
    assert await bus.backlog(Role.INDEXER) == 0
    for number in range(3):
        for entry in MESSAGES:
            await bus.publisher.publish(
                outgoing(minimal(entry.message), f"{entry.snake_name}-{number}")
            )
    await asyncio.sleep(0.6)

    assert await bus.backlog(Role.INDEXER) == 3 * len(consumed_by(Role.INDEXER))
    assert await bus.backlog(Role.EXTRACTOR) == 3
    assert await bus.backlog(Role.RETRIEVER) == 0


async def test_progress_tells_how_far_each_durable_has_come(bus: NatsBus, run: Run) -> None:
    """By sequence numbers: what is owed holds it back, what nobody is owed does not."""
    before = await bus.backlog.progress(Role.INDEXER)
    for number in range(3):
        for entry in MESSAGES:
            message = outgoing(minimal(entry.message), f"{entry.snake_name}-{number}")
            await bus.publisher.publish(message)
    marks = await bus.backlog.progress(Role.INDEXER)
    owed = {name for name, one in marks.items() if one.done < one.newest}
    services, _ = recording_services()
    await run(services)

    async def passed() -> bool:
        found = await bus.backlog.progress(Role.INDEXER)
        return all(one.done >= marks[name].newest for name, one in found.items())

    await until(passed)
    assert all(one.done == one.newest == 0 for one in before.values())
    assert {name for name in marks if name.endswith("-bulk")} == owed
