"""A connection that does not come about in time is given up, whatever its library does."""

import asyncio

import pytest
from nats.aio.client import Client

from scops.common.bus.connection import within


async def test_an_attempt_that_loses_cancellations_ends() -> None:
    """The library swallows some, and would go on for ever."""
    lost: list[int] = []

    async def connecting() -> Client:
        while len(lost) < 3:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                lost.append(1)
        await asyncio.sleep(60)
        return Client()

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(within(0.05, connecting()), timeout=10)
    assert 3 == len(lost)


async def test_an_attempt_in_time_gives_its_client() -> None:
    """And an error of its own is told as it is."""
    client = Client()

    async def connected() -> Client:
        return client

    async def refused() -> Client:
        raise OSError("refused")

    assert client is await within(1.0, connected())
    with pytest.raises(OSError, match="refused"):
        await within(1.0, refused())


async def test_who_waits_no_longer_ends_the_attempt() -> None:
    """Nothing goes on trying in the background."""
    ended = asyncio.Event()

    async def connecting() -> Client:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return Client()

    waiting = asyncio.create_task(within(60.0, connecting()))
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ended.is_set()
