"""A role's user loses a right while load runs: its work waits, and goes on once it has it again."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from scops.common.bus import connection
from scops.common.bus.consume import store_pause
from scops.common.bus.nats_bus import NatsBus
from scops.common.bus.publish import publisher
from scops.common.config.settings import CommonSettings
from scops.common.contract.messages.change import VersionClosed
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import DEAD_LETTER_STREAM, Role
from scops.common.runtime.platform import open_platform
from scops.common.runtime.runner import Runner
from scops.standalone.process.nats_users import authorization
from tests.connected.bus.conftest import Open, user_settings
from tests.connected.waiting import until
from tests.fakes.servers.nats import NatsServer
from tests.fakes.worlds.services import Recorder, minimal, outgoing, page_gone, service_of

DETECTOR = Role.CHANGE_DETECTOR
MESSAGES = 200
EVERY_SECONDS = 0.05
# Several times as long as all deliveries of a message take with the delays of these tests.
WITHOUT_SECONDS = 6.0
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


async def publish_steadily(bus: NatsBus) -> None:
    for number in range(MESSAGES):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
        await asyncio.sleep(EVERY_SECONDS)


async def outputs(bus: NatsBus) -> int:
    """Returns how many verdicts were ever stored."""
    return int((await bus.jetstream.stream_info("SCOPS_CHANGE_DETECTOR")).state.last_seq)


async def has(bus: NatsBus, count: int) -> bool:
    return await outputs(bus) == count


async def is_ready(runner: Runner) -> bool:
    return not await runner.ready()
