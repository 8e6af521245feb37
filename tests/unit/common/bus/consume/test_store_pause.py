"""What a store refuses waits in hand: it costs no deliveries, and it holds up nobody for ever."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from scops.common.bus.consume import store_pause
from scops.common.bus.consume.received import Consumer
from scops.common.bus.consume.retry import DeliveryOutcome, RetryPolicy
from scops.common.bus.consume.store_pause import StorePause
from scops.common.bus.ports import Cause, Handler
from scops.common.contract.errors import StoreBusy, StoreUnavailable, TransientError
from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.crawl import DeadLetter, GoneReason, PageGone
from scops.common.contract.service_table import BY_TYPE, Lane, Role
from scops.common.runtime.gate import Gate
from tests.fakes.bus import FakeDelivery, RecordingPublisher, delivery_of
from tests.fakes.clock import START, ManualClock
from tests.fakes.consuming import consume

DELIVERIES_MAX = 8
LABELS = ("change-detector", "page_gone", "bulk")
GONE = PageGone(
    page_id=PageId("page-1"),
    fetch_id=FetchId("fetch-1"),
    reason=GoneReason.GONE,
    observed_time=START,
)
AWAY = StoreUnavailable("The store takes nothing.")
REFUSALS = [AWAY, StoreBusy("Another transaction was in the way.")]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_pause, "DELAY_FIRST_SECONDS", 0.001)
    monkeypatch.setattr(store_pause, "DELAY_SECONDS_MAX", 0.002)


def _pause(
    checked: Gate | None = None, on_refused: Callable[[], None] = lambda: None
) -> StorePause:
    return StorePause(LABELS, checked=checked or Gate(), on_refused=on_refused)


async def _consume(
    delivery: FakeDelivery, handler: Handler, pause: StorePause | None
) -> tuple[DeliveryOutcome, RecordingPublisher]:
    publisher = RecordingPublisher()
    consumer = Consumer(
        role=Role.CHANGE_DETECTOR, contract=BY_TYPE[PageGone], lane=Lane.BULK, handler=handler
    )
    outcome = await consume(
        delivery,
        consumer,
        publisher=publisher,
        clock=ManualClock(),
        policy=RetryPolicy(deliveries_max=DELIVERIES_MAX),
        pause=pause,
    )
    return outcome, publisher


class _Store:
    """A store that refuses so many times."""

    def __init__(self, times: float, error: TransientError = AWAY) -> None:
        self.left = times
        self.error = error

    async def handle(self, message: Any, cause: Cause) -> Sequence[Any]:
        if self.left > 0:
            self.left -= 1
            raise self.error
        return ()


@pytest.mark.parametrize("error", REFUSALS)
@pytest.mark.parametrize("delivery_count", [1, DELIVERIES_MAX])
async def test_an_outage_uses_up_no_deliveries(error: TransientError, delivery_count: int) -> None:
    """However often a store refuses, and whatever the checks say, the message is handled once."""
    delivery = delivery_of(GONE, delivery_count=delivery_count)

    outcome, publisher = await _consume(delivery, _Store(100, error).handle, _pause())

    assert outcome is DeliveryOutcome.ACKED
    assert [] == delivery.naks
    assert [] == publisher.published


async def test_without_a_place_to_wait_it_is_asked_for_again_at_the_last_delivery_too() -> None:
    """No store error is a reason for the dead letters."""
    delivery = delivery_of(GONE, delivery_count=DELIVERIES_MAX)

    outcome, publisher = await _consume(delivery, _Store(1).handle, None)

    assert outcome is DeliveryOutcome.RETRIED
    assert [60.0] == delivery.naks
    assert [] == publisher.published


async def test_what_is_refused_while_others_are_handled_is_given_up() -> None:
    """Then the store works, and the message is what it does not take."""
    pause = _pause()

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        pause.note_handled()
        raise AWAY

    outcome, publisher = await _consume(delivery_of(GONE), handle, pause)

    assert outcome is DeliveryOutcome.DEAD
    assert AWAY.reason == next(
        out.message.reason for out in publisher.published if isinstance(out.message, DeadLetter)
    )


async def test_what_one_store_alone_refuses_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing else shows whether the store works, very many tries count as a delivery."""
    monkeypatch.setattr(store_pause, "TRIES_PER_DELIVERY", 3)
    store = _Store(float("inf"))
    tried: list[None] = []

    outcome, _ = await _consume(
        delivery_of(GONE), store.handle, _pause(on_refused=lambda: tried.append(None))
    )

    assert outcome is DeliveryOutcome.DEAD
    assert 3 * (DELIVERIES_MAX - 1) - 1 == len(tried)


async def test_nothing_is_pulled_meanwhile() -> None:
    """The durable's gate is shut from the refusal until the message was tried again."""
    pause, seen = _pause(), []

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        seen.append(pause.gate.is_open)
        if len(seen) < 3:
            raise AWAY
        return ()

    waiting = asyncio.create_task(_consume(delivery_of(GONE), handle, pause))
    while len(seen) < 1:
        await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert not pause.gate.is_open

    await waiting

    assert pause.gate.is_open


async def test_a_try_waits_for_the_checks() -> None:
    """While a readiness check fails, the message stays in hand and is not tried."""
    checked, store = Gate(), _Store(1)
    checked.shut()
    waiting = asyncio.create_task(_consume(delivery_of(GONE), store.handle, _pause(checked)))
    await asyncio.sleep(0.05)

    assert not waiting.done()

    checked.open()
    outcome, _ = await waiting

    assert outcome is DeliveryOutcome.ACKED


async def test_a_broken_off_wait_leaves_nothing_shut() -> None:
    """A handler that is cancelled while it waits does not leave its durable paused."""
    checked = Gate()
    checked.shut()
    pause = _pause(checked)
    waiting = asyncio.create_task(_consume(delivery_of(GONE), _Store(1).handle, pause))
    await asyncio.sleep(0.05)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    checked.open()

    assert pause.gate.is_open


async def test_a_stop_gives_back_what_waits() -> None:
    """Whoever takes the message next gets it at once."""
    checked = Gate()
    checked.shut()
    pause = _pause(checked)
    delivery = delivery_of(GONE)
    waiting = asyncio.create_task(_consume(delivery, _Store(1).handle, pause))
    await asyncio.sleep(0.05)
    pause.stop()
    outcome, _ = await waiting

    assert outcome is DeliveryOutcome.RETRIED
    assert [1.0] == delivery.naks


async def test_one_that_is_handled_wakes_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as one message gets through, those that wait long are tried."""
    monkeypatch.setattr(store_pause, "DELAY_FIRST_SECONDS", 60.0)
    monkeypatch.setattr(store_pause, "DELAY_SECONDS_MAX", 60.0)
    pause, store = _pause(), _Store(1)
    waiting = asyncio.create_task(_consume(delivery_of(GONE), store.handle, pause))
    await asyncio.sleep(0.05)
    await _consume(delivery_of(GONE), store.handle, pause)

    async with asyncio.timeout(5):
        outcome, _ = await waiting

    assert outcome is DeliveryOutcome.ACKED
