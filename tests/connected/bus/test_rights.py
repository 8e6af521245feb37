"""A role's user loses a right while load runs: its work waits, and goes on once it has it again."""

import asyncio
import json
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from nats.aio.msg import Msg
from nats.errors import NoRespondersError

from scops.common.bus import connection
from scops.common.bus.admin import topology
from scops.common.bus.consume import delivery, store_pause
from scops.common.bus.nats_bus import NatsBus
from scops.common.bus.publish import publisher
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.messages.change import VersionClosed
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import DEAD_LETTER_STREAM, Role
from scops.common.query.ports import HISTORY, NEWS
from scops.common.runtime.lifecycle import process_lifecycle
from scops.common.runtime.platform import open_platform
from scops.common.runtime.process_run import run_between
from scops.common.runtime.runner import Runner
from scops.standalone.process.nats_users import authorization
from scops.standalone.process.reaching import reach_bus
from tests.connected.bus.conftest import Open, bus_address, user_settings
from tests.connected.waiting import until
from tests.fakes.servers.nats import NatsServer
from tests.fakes.worlds.services import Recorder, minimal, outgoing, page_gone, service_of

DETECTOR = Role.CHANGE_DETECTOR
MESSAGES = 200
EVERY_SECONDS = 0.05
# Several times as long as all deliveries of a message take with the delays of these tests.
WITHOUT_SECONDS = 6.0
DELIVERIES_MAX = 3
FEW = 3
Entry = dict[str, Any]


def without_outputs(user: Entry) -> None:
    """It may publish nothing of its own."""
    allowed = user["permissions"]["publish"]["allow"]
    user["permissions"]["publish"]["allow"] = [one for one in allowed if one.startswith("$JS.")]


def without_requests(user: Entry) -> None:
    """It may publish nothing at all: neither asks for messages nor acknowledges them."""
    user["permissions"]["publish"]["allow"] = ["nothing"]


def without_inbox(user: Entry) -> None:
    """It may hear nothing."""
    user["permissions"]["subscribe"]["allow"] = ["nothing"]


def without_news(user: Entry) -> None:
    """It may not hear one of the questions that are its own."""
    allowed = user["permissions"]["subscribe"]["allow"]
    user["permissions"]["subscribe"]["allow"] = [one for one in allowed if NEWS.subject not in one]


def without_acknowledgements(user: Entry) -> None:
    """It may ask for messages, publish and hear, and not say what it has handled."""
    # By it whoever is sent a message may answer, which is what an acknowledgement is.
    del user["permissions"]["allow_responses"]
    allowed = user["permissions"]["publish"]["allow"]
    user["permissions"]["publish"]["allow"] = [one for one in allowed if "$JS.ACK" not in one]


def removed(block: str) -> str:
    """Returns a block of users in which one is missing."""
    users = json.loads(block.removeprefix("authorization "))
    users["users"] = [one for one in users["users"] if one["user"] != DETECTOR.value]
    return f"authorization {json.dumps(users)}\n"


def taken(block: str, take: Callable[[Entry], None]) -> str:
    """Returns a block of users in which one has lost a right."""
    users = json.loads(block.removeprefix("authorization "))
    take(next(one for one in users["users"] if one["user"] == DETECTOR.value))
    return f"authorization {json.dumps(users)}\n"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher, "PUB_ACK_SECONDS", 0.5)
    monkeypatch.setattr(store_pause, "DELAY_FIRST_SECONDS", 0.1)
    monkeypatch.setattr(store_pause, "DELAY_SECONDS_MAX", 0.5)
    monkeypatch.setattr(connection, "RESUBSCRIBE_SECONDS", 2.0)


@pytest.mark.parametrize("take", [without_outputs, without_requests, without_inbox])
async def test_a_right_that_is_lost_under_load_is_waited_for(
    server: NatsServer,
    open_as: Open,
    common: CommonSettings,
    tmp_path: Path,
    take: Callable[[Entry], None],
) -> None:
    """Each message is handled to its end once the right is back; nothing is given up."""
    fetcher = await open_as("fetcher")
    bus = await open_as(DETECTOR.value)
    settings = user_settings(common, tmp_path, DETECTOR.value)
    platform = await open_platform(
        settings, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
    )

    def react(message: object, cause: object) -> Sequence[object]:
        return [minimal(VersionClosed)]

    recorder = Recorder(react=react)
    runner = Runner([service_of(DETECTOR, PageGone, recorder)], platform, bus)
    await runner.start()
    await runner.until_running()
    load = asyncio.create_task(publish_steadily(fetcher))
    await until(lambda: recorder.finished > MESSAGES // 10)

    block = authorization(tmp_path / "passwords", create=False)
    server.authorize(taken(block, take))
    await until(lambda: "Violation" in server.log.read_text(), timeout_seconds=30)
    await asyncio.sleep(WITHOUT_SECONDS)
    during = await outputs(fetcher)
    server.authorize(block)
    await load

    await until(lambda: has(fetcher, MESSAGES), timeout_seconds=60)
    letters = await fetcher.jetstream.stream_info(DEAD_LETTER_STREAM.name)
    assert during < MESSAGES
    assert 0 == letters.state.messages
    await until(lambda: is_ready(runner), timeout_seconds=30)
    await runner.stop()
    await platform.close()


@pytest.fixture
def short_acknowledgements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages come again soon, and are given up soon."""
    monkeypatch.setattr(topology, "ACK_WAIT_SECONDS", 1.0)
    monkeypatch.setattr(delivery, "ACK_TIMEOUT_SECONDS", 0.5)


async def test_acknowledgements_that_are_refused_use_up_no_deliveries(
    short_acknowledgements: None,
    server: NatsServer,
    open_as: Open,
    common: CommonSettings,
    tmp_path: Path,
) -> None:
    """What is handled and cannot be acknowledged stays in hand; it is neither buried nor lost."""
    fetcher = await open_as("fetcher")
    bus = await open_as(DETECTOR.value)
    settings = user_settings(common, tmp_path, DETECTOR.value).model_copy(
        update={"bus_deliveries_max": DELIVERIES_MAX}
    )
    platform = await open_platform(
        settings, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
    )
    recorder = Recorder()
    runner = Runner([service_of(DETECTOR, PageGone, recorder)], platform, bus)
    await runner.start()
    await runner.until_running()
    block = authorization(tmp_path / "passwords", create=False)
    server.authorize(taken(block, without_acknowledgements))
    for number in range(FEW):
        await fetcher.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
    await until(lambda: recorder.finished >= FEW)
    await asyncio.sleep(WITHOUT_SECONDS)
    assert FEW == await fetcher.backlog(DETECTOR)
    server.authorize(block)

    await until(lambda: is_drained(fetcher), timeout_seconds=30)
    letters = await fetcher.jetstream.stream_info(DEAD_LETTER_STREAM.name)
    assert 0 == letters.state.messages
    # One more each, where a request for more was on its way.
    assert FEW <= recorder.finished <= 2 * FEW
    await runner.stop()
    await platform.close()


async def test_what_is_refused_is_subscribed_again_while_everything_else_goes_on(
    server: NatsServer, open_as: Open, tmp_path: Path
) -> None:
    """Questions are answered all the while, by the same connection, and the refused ones again."""
    gateway, detector = await open_as("gateway"), await open_as(DETECTOR.value)

    async def reply(message: Msg) -> None:
        await detector.client.publish(message.reply, message.data)

    async def asked(subject: str) -> bytes:
        return (await gateway.client.request(subject, b"?", timeout=5)).data

    async def answers(subject: str) -> bool:
        with suppress(NoRespondersError):
            return await asked(subject) == b"?"
        return False

    for method in (NEWS, HISTORY):
        await detector.client.subscribe(method.subject, queue=DETECTOR.value, cb=reply)
    await until(lambda: answers(NEWS.subject))
    block = authorization(tmp_path / "passwords", create=False)
    server.authorize(taken(block, without_news))
    await until(lambda: server.log.read_text().count("Violation") > 1, timeout_seconds=30)
    assert not await answers(NEWS.subject)
    server.authorize(block)
    during = 0
    while not await answers(NEWS.subject):
        during += await asked(HISTORY.subject) == b"?"

    assert during > 0
    assert 0 == detector.client.stats["reconnects"]


async def test_a_user_that_is_removed_is_waited_for(
    server: NatsServer, open_as: Open, common: CommonSettings, tmp_path: Path
) -> None:
    """Its process connects again by itself, or ends with an error and is started again.

    Which of both depends on what its client hears first: the refusal, or the end of the connection.
    """
    fetcher = await open_as("fetcher")
    settings = user_settings(common, tmp_path, DETECTOR.value)
    recorder = Recorder()
    block = authorization(tmp_path / "passwords", create=False)
    supervised = asyncio.create_task(supervise(server, settings, recorder))
    await fetcher.publisher.publish(outgoing(page_gone(0), "gone-0"))
    await until(lambda: {"gone-0"} == set(recorder.event_ids))
    server.authorize(removed(block))
    await fetcher.publisher.publish(outgoing(page_gone(1), "gone-1"))
    await asyncio.sleep(WITHOUT_SECONDS)
    assert {"gone-0"} == set(recorder.event_ids)
    server.authorize(block)

    await until(lambda: {"gone-0", "gone-1"} == set(recorder.event_ids), timeout_seconds=40)
    await until(lambda: is_drained(fetcher))
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(supervised, 30)


async def supervise(server: NatsServer, settings: CommonSettings, recorder: Recorder) -> None:
    """Starts the process again when it ends with an error."""
    while True:
        with suppress(StoreUnavailable):
            return await process(server, settings, recorder)


async def process(server: NatsServer, settings: CommonSettings, recorder: Recorder) -> None:
    """Does what the process of a role does, until SIGTERM."""
    async with process_lifecycle(settings) as lifecycle:
        bus = await reach_bus(bus_address(server), lifecycle, name=DETECTOR.value)
        assert bus is not None
        platform = await open_platform(
            settings, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
        )
        try:
            await run_between(lifecycle, [service_of(DETECTOR, PageGone, recorder)], platform, bus)
        finally:
            await platform.close()
            await bus.close()


async def publish_steadily(bus: NatsBus) -> None:
    for number in range(MESSAGES):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
        await asyncio.sleep(EVERY_SECONDS)


async def outputs(bus: NatsBus) -> int:
    """Returns how many verdicts were ever stored."""
    return int((await bus.jetstream.stream_info("SCOPS_CHANGE_DETECTOR")).state.last_seq)


async def has(bus: NatsBus, count: int) -> bool:
    return await outputs(bus) == count


async def is_drained(bus: NatsBus) -> bool:
    return not await bus.backlog(DETECTOR)


async def is_ready(runner: Runner) -> bool:
    return not await runner.ready()
