"""Frames: several messages in one delivery, each of which goes its own way to its own end.

An item is a delivery like any other: it has its own event id, trail and count of deliveries, is
seen in logs, traces and metrics, and ends in the dead letters by itself. What differs is how its
end is told: nobody acknowledges it, and one that is to come again is published again alone, for
the consumer that could not handle it. The frame is acknowledged when each item has its end, and
kept from being delivered again until then.

    each item handled, given up, or published again   ack
    an item could not be published again              nak: the whole frame comes again
    delivered a third time                            each item published again, ack

Where the consumer offers it, items are handled at once first (`together`); they go their way none
the less, past their handler, and those that could not be handled so go through it.

What comes again whole has been handled in part: handlers bear that, as they bear any redelivery.
A frame that ended two processes holds an item that may end the next: alone it harms no other.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any, Final

from scops.common.bus.consume.received import Consumer, Received
from scops.common.bus.consume.retry import Retrying
from scops.common.bus.consume.together import handle_together
from scops.common.bus.ports import Sealed
from scops.common.bus.publish import headers as names
from scops.common.bus.publish.gathering import FRAME_ITEMS_MAX, Gathering
from scops.common.contract import service_table
from scops.common.contract.errors import InvalidInput, TransientError
from scops.common.contract.ids import derived_id
from scops.common.contract.messages.frame import Frame, FrameItem
from scops.common.observe.log import get_logger

log = get_logger(__name__)
# Deliveries of a frame until its items go alone.
WHOLE_DELIVERIES_MAX: Final = 2


class ItemDelivery:
    """The `Delivery` port over an item of a frame.

    Attributes:
        retrying: of the frame's process; what it publishes gathers with the frame's other items.
        outputs: what its handler returned where it was handled with others; else nothing.
        ended: whether the frame need not wait for it, nor come again for it.
    """

    def __init__(
        self, item: FrameItem, frame: Received, *, single: Consumer, retrying: Retrying
    ) -> None:
        consumer = frame.consumer
        self._contract = consumer.contract
        self._lane = consumer.lane
        self._durable = single.durable
        self.retrying = retrying
        self.subject = service_table.again_subject(consumer.contract, consumer.role)
        self.data = item.data
        self.headers: Mapping[str, str] = item.headers
        self.delivery_count = frame.delivery.delivery_count
        self.stream = frame.delivery.stream
        self.stream_sequence = frame.delivery.stream_sequence
        self.outputs: Sequence[Any] | None = None
        self.ended = False

    async def ack_sync(self) -> None:
        self.ended = True

    async def nak(self, delay_seconds: float) -> None:
        """Publishes it again, not to be handled before the delay; raises as `Publisher.send`."""
        await self.retrying.publisher.send(self._again(delay_seconds))
        self.ended = True

    async def in_progress(self) -> None:
        """Does nothing: the frame's own timer is restarted."""

    def _again(self, delay_seconds: float) -> Sealed:
        count = self.delivery_count
        event = self.headers.get(names.EVENT_ID, "")
        not_before = self.retrying.clock.now() + timedelta(seconds=delay_seconds)
        return Sealed(
            contract=self._contract,
            lane=self._lane,
            subject=self.subject,
            headers={
                # The server obeys some headers of its own kind.
                **{name: self.headers[name] for name in names.REPLAYABLE & self.headers.keys()},
                names.EVENT_ID: event,
                names.MESSAGE_ID: derived_id("again", self._durable, event, str(count)),
                names.REPLAYED_FOR: self._durable,
                names.DELIVERIES: str(count),
                names.NOT_BEFORE: not_before.astimezone(UTC).isoformat(),
            },
            data=self.data,
        )


async def split(
    received: Received,
    frame: Frame,
    handle: Callable[[ItemDelivery], Awaitable[object]],
    *,
    single: Consumer,
    at_once: int,
) -> None:
    """Hands on the items of a frame, begun in their order, each to its end.

    Args:
        handle: the way of a single message; sees to its own failures.
        single: the consumer of single messages, which handles the items.
        at_once: items in hand at once.

    Raises:
        InvalidInput: it holds more than a frame may, or nothing.
        TransientError: an item has no end; the frame is to come again.
    """
    if not 0 < len(frame.items) <= FRAME_ITEMS_MAX:
        raise InvalidInput(
            f"A frame holds {len(frame.items)} items; it may hold 1 to {FRAME_ITEMS_MAX}.",
            reason="FRAME_SIZE",
        )
    outer = received.retrying
    together = Gathering(outer.publisher, clock=outer.clock)
    # The frame beats for its items, and is what a stopping process has in hand.
    retrying = replace(outer, publisher=together, heartbeat=None, in_hand=set())
    items = [ItemDelivery(item, received, single=single, retrying=retrying) for item in frame.items]
    if received.delivery.delivery_count > WHOLE_DELIVERIES_MAX:
        log.warning("frame_taken_apart", count=len(items))
        for item in items:
            await item.nak(0.0)
        return
    if single.many is not None and len(items) > 1:
        alone = [Received(item, single, retrying, None) for item in items]
        for item, outputs in zip(items, await handle_together(alone, single.many), strict=True):
            item.outputs = outputs
    await _each(items, handle, together, at_once=at_once)
    if left := [item for item in items if not item.ended]:
        raise TransientError(
            f"{len(left)} of {len(items)} items of a frame have no end; it comes again.",
            reason="FRAME_UNFINISHED",
        )


async def _each(
    items: Sequence[ItemDelivery],
    handle: Callable[[ItemDelivery], Awaitable[object]],
    together: Gathering,
    *,
    at_once: int,
) -> None:
    hands = min(at_once, len(items))
    waiting = iter(items)

    async def work() -> None:
        try:
            for item in waiting:
                await handle(item)
        finally:
            together.end()

    for _ in range(hands):
        together.begin()
    if hands == 1:
        await work()
        return
    async with asyncio.TaskGroup() as group:
        for _ in range(hands):
            group.create_task(work())
