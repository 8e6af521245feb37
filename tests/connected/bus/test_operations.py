"""The bus as operators see it: what waits, what was given up, and who may mend it."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from scops.common.bus.admin.operations import NatsOperations
from scops.common.bus.nats_bus import NatsBus
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import NotPermitted, PermanentError
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import Role
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service
from tests.connected.bus.conftest import Open, user_settings
from tests.connected.waiting import until
from tests.fakes.worlds.services import Recorder, outgoing, page_gone, service_of

Run = Callable[[Sequence[Service]], Awaitable[Runner]]
DETECTOR = Role.CHANGE_DETECTOR
CLOCK = SystemClock()


async def test_what_waits_is_counted_by_consumer(bus: NatsBus, common: CommonSettings) -> None:
    """Every durable of the contract is there, and says what it is owed."""
    operations = NatsOperations(bus, common, clock=CLOCK)
    await bus.publisher.publish(outgoing(page_gone(1), "gone-1"))

    queues = await operations.queues()

    owed = {(one.consumer, one.message): one.pending_count for one in queues if one.lane == "bulk"}
    assert 1 == owed["change-detector", "page_gone"]
    assert 0 == owed["indexer", "version_added"]


async def test_letters_are_read_in_parts_replayed_and_dropped(
    bus: NatsBus, common: CommonSettings, run: Run
) -> None:
    """A replayed letter stays, marked; a dropped one is gone."""
    broken = True

    def react(message: object, cause: object) -> Sequence[object]:
        if broken:
            raise PermanentError("The handler has a bug.", reason="BUG")
        return ()

    recorder = Recorder(react=react)
    await run([service_of(DETECTOR, PageGone, recorder)])
    for number in (1, 2):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
    operations = NatsOperations(bus, common, clock=CLOCK)

    async def given_up() -> bool:
        return len(await operations.dead_letters(after=0, limit=10)) == 2

    await until(given_up)
    (first,) = await operations.dead_letters(after=0, limit=1)
    (second,) = await operations.dead_letters(after=first.sequence, limit=10)
    broken = False
    await operations.replay(first.letter_id)
    await until(lambda: recorder.finished == 3)
    await operations.drop(second.letter_id)

    assert ("BUG", "The handler has a bug.", "") == (first.reason, first.detail, first.fault)
    (left,) = await operations.dead_letters(after=0, limit=10)
    assert first.letter_id == left.letter_id
    assert left.replayed_time is not None


async def test_the_gateways_user_reads_everything_and_mends_nothing(
    open_as: Open, common: CommonSettings, tmp_path: Path
) -> None:
    """Where the bus has a user a role, the provisioner mends; the gateway says so at once."""
    gateway = await open_as("gateway")
    operations = NatsOperations(gateway, user_settings(common, tmp_path, "gateway"), clock=CLOCK)

    assert () == await operations.dead_letters(after=0, limit=10)
    assert {role.value for role in (DETECTOR, Role.INDEXER)} <= {
        queue.consumer for queue in await operations.queues()
    }
    with pytest.raises(NotPermitted, match="scops deadletters replay letter-1"):
        await operations.replay("letter-1")
