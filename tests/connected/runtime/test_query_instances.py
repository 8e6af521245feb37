"""Questions over NATS: instances of a role share them, and each takes only so many at once."""

import asyncio
from datetime import timedelta

from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract.messages.crawl import KnownUrlsRequest, KnownUrlsResponse
from scops.common.query.codec import ERROR_CLASS, ERROR_REASON, ORGANISATION
from scops.common.query.desk import Desk
from scops.common.query.nats_server import NatsQueryServer
from scops.common.query.ports import KNOWN_URLS
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.service import QueryBinding

CLOCK = SystemClock()
ASKERS = 20


async def test_two_instances_share_the_questions(bus: NatsBus) -> None:
    """Each question is answered once, by one of them."""
    answered: list[str] = []

    def instance(name: str) -> NatsQueryServer:
        async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
            answered.append(name)
            return KnownUrlsResponse()

        binding = QueryBinding(method=KNOWN_URLS, answer=answer)
        return NatsQueryServer(bus.client, Desk([binding], clock=CLOCK, concurrency=4))

    servers = [instance("a"), instance("b")]
    for server in servers:
        await server.start()
    deadline = CLOCK.now() + timedelta(seconds=10)

    await asyncio.gather(
        *(
            bus.query_client.call(KNOWN_URLS, KnownUrlsRequest(), deadline=deadline)
            for _ in range(40)
        )
    )

    assert len(answered) == 40
    assert set(answered) == {"a", "b"}
    for server in servers:
        await server.stop(timeout_seconds=1.0)


async def test_a_started_instance_misses_no_question(bus: NatsBus, common: CommonSettings) -> None:
    """When `start` returns, the server knows the subscription: also the very first ask arrives."""

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        return KnownUrlsResponse()

    binding = QueryBinding(method=KNOWN_URLS, answer=answer)
    for _ in range(60):
        asking = await open_bus(bus.address, common)
        server = NatsQueryServer(bus.client, Desk([binding], clock=CLOCK, concurrency=1))
        await server.start()

        deadline = CLOCK.now() + timedelta(seconds=5)
        answered = await asking.query_client.call(KNOWN_URLS, KnownUrlsRequest(), deadline=deadline)

        assert KnownUrlsResponse() == answered
        await server.stop(timeout_seconds=1.0)
        await asking.close()


async def test_an_instance_answers_a_bounded_number_at_once(bus: NatsBus) -> None:
    """Further questions wait their turn, and beyond a bound are told to come back."""
    at_once, most = 0, 0

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.1)
        at_once -= 1
        return KnownUrlsResponse()

    binding = QueryBinding(method=KNOWN_URLS, answer=answer)
    server = NatsQueryServer(bus.client, Desk([binding], clock=CLOCK, concurrency=2))
    await server.start()
    deadline = CLOCK.now() + timedelta(seconds=10)

    results = await asyncio.gather(
        *(
            bus.query_client.call(KNOWN_URLS, KnownUrlsRequest(), deadline=deadline)
            for _ in range(30)
        ),
        return_exceptions=True,
    )

    refused = [getattr(result, "reason", "") for result in results if isinstance(result, Exception)]
    assert most == 2
    assert set(refused) == {"OVERLOADED"}
    assert len(results) - len(refused) == 18
    await server.stop(timeout_seconds=1.0)


async def test_a_question_without_a_deadline_is_refused(bus: NatsBus) -> None:
    """Nothing is answered without knowing when the asker stops waiting."""

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        return KnownUrlsResponse()

    binding = QueryBinding(method=KNOWN_URLS, answer=answer)
    server = NatsQueryServer(bus.client, Desk([binding], clock=CLOCK, concurrency=2))
    await server.start()

    reply = await bus.client.request(
        KNOWN_URLS.subject, b"", timeout=5, headers={ORGANISATION: "main"}
    )

    headers = reply.header or {}
    assert (headers[ERROR_CLASS], headers[ERROR_REASON]) == ("InvalidInput", "HEADER_MALFORMED")
    await server.stop(timeout_seconds=1.0)


async def test_an_instance_that_ends_drops_no_question(
    bus: NatsBus, common: CommonSettings
) -> None:
    """What was on its way when it stopped is answered by it; the next question by another."""

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        return KnownUrlsResponse()

    binding = QueryBinding(method=KNOWN_URLS, answer=answer)
    staying = NatsQueryServer(bus.client, Desk([binding], clock=CLOCK))
    await staying.start()
    asking = await open_bus(bus.address, common)
    ended = asyncio.Event()

    async def ask() -> None:
        while not ended.is_set():
            deadline = CLOCK.now() + timedelta(seconds=3)
            await asking.query_client.call(KNOWN_URLS, KnownUrlsRequest(), deadline=deadline)

    askers = [asyncio.create_task(ask()) for _ in range(ASKERS)]
    for _ in range(40):
        leaving = NatsQueryServer(bus.client, Desk([binding], clock=CLOCK))
        await leaving.start()
        await leaving.stop(timeout_seconds=5.0)
    ended.set()

    assert [None] * ASKERS == await asyncio.gather(*askers)
    await staying.stop(timeout_seconds=1.0)
    await asking.close()


async def test_a_role_of_this_process_is_asked_without_the_bus(
    bus: NatsBus, common: CommonSettings
) -> None:
    """Until its desk is full, when another process may have room; and not once it has stopped."""
    here, elsewhere = asyncio.Event(), []

    async def wait(request: KnownUrlsRequest) -> KnownUrlsResponse:
        await here.wait()
        return KnownUrlsResponse(next_page_token="here")

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        elsewhere.append(request)
        return KnownUrlsResponse(next_page_token="elsewhere")

    async def ask() -> str:
        deadline = CLOCK.now() + timedelta(seconds=10)
        answer = await bus.query_client.call(KNOWN_URLS, KnownUrlsRequest(), deadline=deadline)
        return answer.next_page_token

    desk = Desk([QueryBinding(method=KNOWN_URLS, answer=wait)], clock=CLOCK, concurrency=1)
    server = NatsQueryServer(bus.client, desk, near=bus.near)
    await server.start()
    asked = bus.client.stats["out_msgs"]
    first = [asyncio.create_task(ask()) for _ in range(9)]
    await asyncio.sleep(0.1)
    assert desk.is_full
    assert asked == bus.client.stats["out_msgs"]

    other = await open_bus(bus.address, common)
    binding = QueryBinding(method=KNOWN_URLS, answer=answer)
    second = NatsQueryServer(other.client, Desk([binding], clock=CLOCK))
    await second.start()
    # The queue group has two members, of which the full one tells to come back.
    results = await asyncio.gather(*(ask() for _ in range(20)), return_exceptions=True)
    assert len(elsewhere) == results.count("elsewhere") > 0
    here.set()
    assert ["here"] * 9 == await asyncio.gather(*first)

    await server.stop(timeout_seconds=1.0)
    assert {} == bus.near
    assert "elsewhere" == await ask()
    await second.stop(timeout_seconds=1.0)
    await other.close()


async def test_a_question_goes_on_when_nobody_awaits_it(bus: NatsBus) -> None:
    """Near as far: what an answer changes is changed whole; the next has its slot."""
    begun, ended = asyncio.Event(), asyncio.Event()

    async def answer(request: KnownUrlsRequest) -> KnownUrlsResponse:
        begun.set()
        await asyncio.sleep(0.1)
        ended.set()
        return KnownUrlsResponse()

    desk = Desk([QueryBinding(method=KNOWN_URLS, answer=answer)], clock=CLOCK, concurrency=1)
    server = NatsQueryServer(bus.client, desk, near=bus.near)
    await server.start()
    deadline = CLOCK.now() + timedelta(seconds=10)
    asking = asyncio.create_task(
        bus.query_client.call(KNOWN_URLS, KnownUrlsRequest(), deadline=deadline)
    )
    await begun.wait()
    asking.cancel()

    async with asyncio.timeout(5):
        await ended.wait()
    await server.stop(timeout_seconds=1.0)
