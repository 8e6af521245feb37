"""Handles one delivery: at least once, with growing delays, and an end in the dead letters.

    replayed, or an item again, for another      ack
    an item again, before its time               nak until then
    delivered more than `deliveries_max` times   dead letter, PageDead, ack (before decoding)
    of an unknown type or version, undecodable   dead letter, PageDead, ack
    InvalidInput, PermanentError                 dead letter, PageDead, ack
    StoreRefusal                                 waits in hand and is tried again (`store_pause`)
    TransientError, any other exception          nak with a growing delay; a dead letter at the last
    outputs published, each with its PubAck      ack

The acknowledgement comes last and is confirmed; one that is not is made again, with the message in
hand. A crash anywhere before it repeats the delivery, and the repeated outputs carry the same ids.
"""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from faststream import BaseMiddleware

from scops.common.bus.consume.heartbeat import HeartbeatFactory
from scops.common.bus.consume.received import Received
from scops.common.bus.ports import Outgoing, Publisher
from scops.common.bus.publish import headers as names
from scops.common.contract import service_table
from scops.common.contract.errors import (
    InvalidInput,
    PermanentError,
    ScopsError,
    StoreRefusal,
    TransientError,
)
from scops.common.contract.ids import EventId, FetchId, JobId, PageId, derived_id, event_id
from scops.common.contract.messages.crawl import DeadLetter, PageDead
from scops.common.observe.log import get_logger
from scops.common.observe.metrics import DEAD_LETTERS
from scops.common.runtime.clock import Clock

log = get_logger(__name__)
# Before the second delivery; it doubles with each further one.
DELAY_FIRST_SECONDS = 1.0
DELAY_SECONDS_MAX = 60.0
# A cause may ask for more patience than the growing delay has, but not for more than this.
RETRY_AFTER_SECONDS_MAX = 3600.0
# An item is not asked for anew for so little, by which clocks of two processes may differ.
EARLY_SECONDS = 0.05
DETAIL_CHARACTERS_MAX = 2000
EXHAUSTED = "DELIVERIES_EXHAUSTED"
UNEXPECTED = "UNEXPECTED_ERROR"
# The rest of the way to a handler.
Next = Callable[[Any], Awaitable[Any]]


class DeliveryOutcome(StrEnum):
    """What became of a delivery."""

    ACKED = "acked"
    RETRIED = "retried"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often and how soon a message is delivered again."""

    deliveries_max: int = 8

    def delay_seconds(self, delivery_count: int, *, at_least: float = 0.0) -> float:
        """Returns the delay before the next delivery: doubled each time, bounded."""
        growing = DELAY_FIRST_SECONDS * 2.0 ** min(delivery_count - 1, 30)
        patience = min(at_least, RETRY_AFTER_SECONDS_MAX)
        return max(min(growing, DELAY_SECONDS_MAX), patience)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterReason:
    """Why a message goes to the dead letters."""

    reason: str
    detail: str


TOO_OFTEN = DeadLetterReason(reason=EXHAUSTED, detail="It was delivered too often.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """What every delivery of a process is retried with.

    Attributes:
        heartbeat: keeps a delivery from expiring while its handler works; none needed where
            deliveries do not expire by wall time.
        on_retried: called when a message could not be handled for now.
        in_hand: the deliveries that have not come to their end.
    """

    publisher: Publisher
    clock: Clock
    policy: RetryPolicy
    heartbeat: HeartbeatFactory | None = None
    on_retried: Callable[[], None] = lambda: None
    in_hand: set[Received] = field(default_factory=set)


class Retried(BaseMiddleware[Any, Any]):
    """The steps of one delivery."""

    async def consume_scope(self, call_next: Next, msg: Any) -> DeliveryOutcome:
        """Handles one delivery to its end; never raises an `Exception`."""
        received: Received = msg
        self._received, self._call_next = received, call_next
        self._delivery, self._consumer = received.delivery, received.consumer
        self._retrying = received.retrying
        heartbeat, in_hand = self._retrying.heartbeat, self._retrying.in_hand
        in_hand.add(received)
        try:
            async with heartbeat(self._delivery) if heartbeat else nullcontext():
                return await self._run()
        finally:
            in_hand.discard(received)

    async def _run(self) -> DeliveryOutcome:
        try:
            return await self._attempt()
        except TransientError as error:
            log.warning("message_retried", reason=error.reason, error=str(error), **self._count())
            return await self._later(error.retry_after_seconds or 0.0)
        except Exception as error:
            # A bug may be specific to this delivery's circumstances; it is retried like the rest.
            log.exception("message_failed", error=repr(error), **self._count())
            return await self._later(0.0)

    async def _attempt(self) -> DeliveryOutcome:
        if self._is_for_another():
            await self._acknowledge()
            return DeliveryOutcome.ACKED
        early = names.seconds_early(self._delivery.headers, now=self._retrying.clock.now())
        if early > EARLY_SECONDS:
            await self._delivery.nak(min(early, RETRY_AFTER_SECONDS_MAX))
            return DeliveryOutcome.RETRIED
        if self._delivery.delivery_count > self._retrying.policy.deliveries_max:
            return await self._give_up(TOO_OFTEN)
        try:
            await self._call_next(self._received)
        except (InvalidInput, PermanentError) as error:
            return await self._give_up(DeadLetterReason(reason=error.reason, detail=str(error)))
        except StoreRefusal:
            raise
        except Exception as error:
            if self._delivery.delivery_count < self._retrying.policy.deliveries_max:
                raise
            return await self._give_up(_reason_of(error))
        await self._acknowledge()
        log.debug("message_handled")
        return DeliveryOutcome.ACKED

    def _is_for_another(self) -> bool:
        """Whether it came back for another durable: this one has handled it before."""
        one, delivery = self._consumer, self._delivery
        if service_table.is_for_another(delivery.subject, one.contract, one.role):
            return True
        return delivery.headers.get(names.REPLAYED_FOR, one.durable) != one.durable

    async def _acknowledge(self) -> None:
        """Returns once the bus has the acknowledgement.

        Raises:
            TransientError: it has not, and there is no place to wait, or nobody to tell.
        """
        pause = self._received.pause
        if pause is None:
            await self._delivery.ack_sync()
        else:
            await pause.until_confirmed(self._delivery.ack_sync)

    async def _later(self, at_least_seconds: float) -> DeliveryOutcome:
        delay = self._retrying.policy.delay_seconds(
            self._delivery.delivery_count, at_least=at_least_seconds
        )
        try:
            await self._delivery.nak(delay)
        except TransientError as error:
            # Without the nak the message comes back after its acknowledgement timer.
            log.warning("nak_failed", error=str(error))
        self._retrying.on_retried()
        return DeliveryOutcome.RETRIED

    async def _give_up(self, why: DeadLetterReason) -> DeliveryOutcome:
        """Publishes the dead letter and what the ledger needs to know, then acknowledges."""
        letter = self._letter(why)
        await self._publish_last(letter, EventId(letter.dead_letter_id))
        if self._consumer.contract.message is not PageDead:
            last_id = event_id(self._consumer.role.value, letter.dead_letter_id, 0)
            await self._publish_last(self._page_dead(letter), last_id)
        await self._acknowledge()
        DEAD_LETTERS.labels(*self._consumer.labels, why.reason).inc()
        log.error("message_dead", reason=why.reason, detail=why.detail, **self._count())
        return DeliveryOutcome.DEAD

    async def _publish_last(self, message: Any, last_id: EventId) -> None:
        await self._retrying.publisher.publish(
            Outgoing(
                message=message,
                event_id=last_id,
                organisation_id=self._consumer.organisation_id,
                lane=self._consumer.lane,
            )
        )

    def _letter(self, why: DeadLetterReason) -> DeadLetter:
        delivery = self._delivery
        letter_id = derived_id(
            "dead-letter",
            self._consumer.durable,
            delivery.stream,
            str(delivery.stream_sequence),
            # A stream that was made anew counts from one again.
            delivery.headers.get(names.EVENT_ID, ""),
        )
        return DeadLetter(
            dead_letter_id=letter_id,
            consumer=self._consumer.durable,
            stream=delivery.stream,
            stream_sequence=delivery.stream_sequence,
            subject=delivery.subject,
            headers=dict(delivery.headers),
            data=delivery.data,
            reason=why.reason,
            detail=why.detail[:DETAIL_CHARACTERS_MAX],
            dead_time=self._retrying.clock.now(),
        )

    def _page_dead(self, letter: DeadLetter) -> PageDead:
        """Says what died by the headers alone: the body may be what nobody can read."""
        subject = letter.headers.get(names.EVENT_SUBJECT, "")
        is_page = self._consumer.is_about_pages
        return PageDead(
            page_id=PageId(subject if is_page else ""),
            job_id=JobId("" if is_page else subject),
            fetch_id=FetchId(letter.headers.get(names.FETCH_ID, "")),
            consumer=letter.consumer,
            reason=letter.reason,
            dead_letter_id=letter.dead_letter_id,
        )

    def _count(self) -> dict[str, int]:
        return {"delivery_count": self._delivery.delivery_count}


def _reason_of(error: Exception) -> DeadLetterReason:
    if isinstance(error, ScopsError):
        return DeadLetterReason(reason=error.reason, detail=str(error))
    log.exception("message_failed", error=repr(error))
    return DeadLetterReason(reason=UNEXPECTED, detail=repr(error))
