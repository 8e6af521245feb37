"""What every query client promises: equal answers, errors, deadlines, near and over NATS."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from scops.common.bus.embedded.nats_child import running_nats
from scops.common.bus.nats_bus import open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract import errors
from scops.common.contract.errors import (
    MessageTooLarge,
    NotFound,
    NotYetKnown,
    PermanentError,
    ScopsError,
    TransientError,
)
from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import (
    KnownPage,
    KnownUrlsRequest,
    KnownUrlsResponse,
    PagePlanRequest,
)
from scops.common.query.deadline import answering_until
from scops.common.query.desk import Desk
from scops.common.query.nats_server import NatsQueryServer
from scops.common.query.ports import KNOWN_URLS, PAGE_PLAN, QueryClient
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.service import QueryBinding
from tests.fakes.query_client import LocalQueryClient

CLOCK = SystemClock()
Answer = Callable[[KnownUrlsRequest], Awaitable[KnownUrlsResponse]]
Serve = Callable[[Answer], Awaitable[QueryClient]]
ASKED = KnownUrlsRequest(prefixes=("example.org",), page_size=2)
ANSWERED = KnownUrlsResponse(
    pages=(KnownPage(page_id=PageId("page-1"), canonical_url="https://example.org/ü"),)
)


@pytest.fixture(params=["local", "near", "nats"])
async def serve(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Serve]:
    """Makes a client of which `known_urls` is answered by a function, and nothing else is."""
    if request.param == "local":

        async def local(answer: Answer) -> QueryClient:
            return LocalQueryClient([QueryBinding(method=KNOWN_URLS, answer=answer)], clock=CLOCK)

        yield local
        return
    common = CommonSettings(data_dir=tmp_path, bus_stream_bytes_max=1024 * 1024)
    servers: list[NatsQueryServer] = []
    async with running_nats(common) as address:
        bus = await open_bus(address, common)

        async def over_nats(answer: Answer) -> QueryClient:
            binding = QueryBinding(method=KNOWN_URLS, answer=answer)
            desk = Desk([binding], clock=CLOCK, concurrency=4)
            near = bus.near if request.param == "near" else None
            servers.append(NatsQueryServer(bus.client, desk, near=near))
            await servers[-1].start()
            return bus.query_client

        yield over_nats
        for server in servers:
            await server.stop(timeout_seconds=1.0)
        await bus.close()


async def _ask(client: QueryClient, *, seconds: float = 5.0) -> KnownUrlsResponse:
    return await client.call(KNOWN_URLS, ASKED, deadline=CLOCK.now() + timedelta(seconds=seconds))


async def test_the_answer_arrives_as_it_was_given(serve: Serve) -> None:
    """Request and response are equal on both sides."""
    seen: list[KnownUrlsRequest] = []

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        seen.append(request)
        return ANSWERED

    assert await _ask(await serve(answer)) == ANSWERED
    assert seen == [ASKED]


@pytest.mark.parametrize(
    "error",
    [
        NotFound("There is no page ü\nof that name.", page_id="page-1"),
        NotYetKnown("Not yet.", retry_after_seconds=2.5),
        PermanentError("No.", reason="BROKEN", digest="00"),
        errors.Conflict("Read again."),
    ],
)
async def test_an_error_keeps_its_class_reason_message_and_metadata(
    serve: Serve, error: ScopsError
) -> None:
    """The asker handles an error as if it had been raised in its own process."""

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        raise error

    with pytest.raises(type(error)) as caught:
        await _ask(await serve(answer))

    assert caught.value.message == error.message
    assert caught.value.reason == error.reason
    assert caught.value.metadata == error.metadata
    expected = getattr(error, "retry_after_seconds", None)
    assert getattr(caught.value, "retry_after_seconds", None) == expected


async def test_a_bug_is_an_error_without_details(serve: Serve) -> None:
    """An unexpected exception is answered, named by its kind alone."""

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        raise ZeroDivisionError("a secret")

    with pytest.raises(PermanentError) as caught:
        await _ask(await serve(answer))

    assert caught.value.reason == "UNEXPECTED_ERROR"
    assert "secret" not in caught.value.message


async def test_the_deadline_ends_the_question_on_both_sides(serve: Serve) -> None:
    """The asker stops waiting at the deadline, and the answering side stops working."""
    ended: list[str] = []

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        try:
            await asyncio.sleep(10)
        finally:
            ended.append("ended")
        return ANSWERED

    client = await serve(answer)
    started = time.monotonic()
    with pytest.raises(TransientError) as caught:
        await _ask(client, seconds=0.3)
    await asyncio.sleep(0.2)

    assert time.monotonic() - started < 2
    assert caught.value.reason == "DEADLINE_EXCEEDED"
    assert ended == ["ended"]


async def test_a_passed_deadline_is_not_asked(serve: Serve) -> None:
    """A question that cannot be answered in time does not travel."""
    seen: list[KnownUrlsRequest] = []

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        seen.append(request)
        return ANSWERED

    with pytest.raises(TransientError, match="deadline"):
        await _ask(await serve(answer), seconds=-1)

    assert seen == []


async def test_what_an_answer_asks_in_turn_ends_with_the_first_question(serve: Serve) -> None:
    """The deadline is known while answering, so that it caps further questions."""
    seen: list[bool] = []
    deadline = CLOCK.now() + timedelta(seconds=5)

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        seen.append(answering_until.get() == deadline)
        return ANSWERED

    await (await serve(answer)).call(KNOWN_URLS, ASKED, deadline=deadline)

    assert seen == [True]
    assert answering_until.get() is None


async def test_a_role_that_does_not_run_is_named(serve: Serve) -> None:
    """Nobody there is known at once, long before the deadline."""

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        return ANSWERED

    client = await serve(answer)
    started = time.monotonic()
    with pytest.raises(TransientError) as caught:
        await client.call(
            PAGE_PLAN,
            PagePlanRequest(url="https://example.org/"),
            deadline=CLOCK.now() + timedelta(seconds=5),
        )

    assert time.monotonic() - started < 2
    assert caught.value.reason == "NO_RESPONDERS"
    assert "fetcher" in caught.value.message


async def test_an_answer_over_the_limit_is_an_error(serve: Serve) -> None:
    """The bus carries half a mebibyte; the asker learns to ask for less."""

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        return KnownUrlsResponse(next_page_token="x" * 600_000)

    with pytest.raises(MessageTooLarge, match="fewer items"):
        await _ask(await serve(answer))


async def test_many_questions_are_answered_side_by_side(serve: Serve) -> None:
    """More questions than places wait their turn; each gets its own answer."""
    at_once, most = 0, 0

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.02)
        at_once -= 1
        return KnownUrlsResponse(next_page_token=request.page_token)

    client = await serve(answer)
    deadline = CLOCK.now() + timedelta(seconds=10)
    asked = [KnownUrlsRequest(page_token=str(number)) for number in range(20)]
    answers = await asyncio.gather(
        *(client.call(KNOWN_URLS, request, deadline=deadline) for request in asked)
    )

    assert [answer.next_page_token for answer in answers] == [str(number) for number in range(20)]
    assert most >= 4
