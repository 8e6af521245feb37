"""Publishing to a real server: confirmed, recognised when repeated, refused when too large."""

import asyncio
import os
import signal
from dataclasses import replace

import pytest

from scops.common.bus.embedded.nats_child import NatsChild
from scops.common.bus.nats_bus import NatsBus
from scops.common.bus.publish import publisher
from scops.common.config.settings import CommonSettings
from scops.common.contract import wire
from scops.common.contract.errors import MessageTooLarge, StoreUnavailable
from scops.common.contract.messages.crawl import DeadLetter, FetchPage, PageGone
from scops.common.contract.service_table import BY_TYPE
from tests.fakes.worlds.services import minimal, outgoing, page_gone

STREAM = BY_TYPE[PageGone].stream.name


async def _stored(bus: NatsBus) -> int:
    return int((await bus.jetstream.stream_info(STREAM)).state.messages)


async def test_the_same_event_published_twice_is_stored_once(bus: NatsBus) -> None:
    """The server recognises the id within its duplicate window."""
    for _ in range(3):
        await bus.publisher.publish(outgoing(page_gone(), "gone-1"))

    assert await _stored(bus) == 1


async def test_equal_content_of_two_causes_is_two_facts(bus: NatsBus) -> None:
    """Facts are told apart by their cause, never by their content."""
    for event_id in ("first", "second"):
        await bus.publisher.publish(outgoing(page_gone(), event_id))

    assert await _stored(bus) == 2


async def test_a_stalled_server_is_waited_for_and_the_message_is_stored_once(
    bus: NatsBus, nats_server: NatsChild, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A PubAck that comes too late is asked for again under the same id."""
    monkeypatch.setattr(publisher, "PUB_ACK_SECONDS", 0.3)
    os.kill(nats_server.pid, signal.SIGSTOP)
    publishing = asyncio.create_task(bus.publisher.publish(outgoing(page_gone(), "gone-1")))
    await asyncio.sleep(0.8)
    os.kill(nats_server.pid, signal.SIGCONT)

    await publishing

    assert await _stored(bus) == 1


async def test_without_a_stream_a_publication_is_an_error(bare_bus: NatsBus) -> None:
    """Nothing is sent into the void: a missing stream is said, with what to run."""
    with pytest.raises(StoreUnavailable, match="scops provision"):
        await bare_bus.publisher.publish(outgoing(page_gone(), "gone-1"))


async def test_an_oversized_message_is_refused_here_and_the_connection_lives(
    bus: NatsBus, common: CommonSettings
) -> None:
    """The server would close the connection for good; it never sees the message."""
    urls = tuple(f"https://example.org/{number:0>100}" for number in range(9000))
    large = replace(minimal(FetchPage), urls=urls)
    assert len(wire.encode(large)) > 1024 * 1024

    with pytest.raises(MessageTooLarge, match="the bus takes 524288"):
        await bus.publisher.publish(outgoing(large, "large-1"))

    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))
    assert bus.client.is_connected
    assert await _stored(bus) == 1


async def test_a_message_at_the_limit_and_its_dead_letter_both_fit(
    bus: NatsBus, common: CommonSettings
) -> None:
    """What could be published can also be buried."""
    message = minimal(FetchPage)
    room = publisher.MESSAGE_BYTES_MAX - 1024
    urls = tuple("u" * 1000 for _ in range(room // 1003))
    at_limit = replace(message, urls=urls)
    data = wire.encode(at_limit)
    assert publisher.MESSAGE_BYTES_MAX - 4096 < len(data)

    await bus.publisher.publish(outgoing(at_limit, "fetch-1"))
    letter = replace(minimal(DeadLetter), data=data, headers={"ce-id": "fetch-1"})
    await bus.publisher.publish(outgoing(letter, "letter-1"))


async def test_a_full_stream_pushes_back_and_recovers(bus: NatsBus) -> None:
    """When consumers are behind, publishing says so, and works again once they caught up."""
    urls = tuple("u" * 1000 for _ in range(500))
    big = replace(minimal(FetchPage), urls=urls)
    with pytest.raises(StoreUnavailable) as caught:
        for number in range(64):
            await bus.publisher.publish(outgoing(big, f"fetch-{number}"))
    assert caught.value.reason == "BUS_FULL"

    await bus.jetstream.purge_stream(BY_TYPE[FetchPage].stream.name)
    await bus.publisher.publish(outgoing(big, "fetch-after"))
