"""Handles one delivery: at least once, with growing delays, and an end in the dead letters.

    replayed from the dead letters for another   ack
    delivered more than `deliveries_max` times   dead letter, PageDead, ack (before decoding)
    of an unknown type or version, undecodable   dead letter, PageDead, ack
    InvalidInput, PermanentError                 dead letter, PageDead, ack
    StoreRefusal                                 waits in hand and is tried again (`store_pause`)
    TransientError, any other exception          nak with a growing delay; a dead letter at the last
    outputs published, each with its PubAck      ack

The acknowledgement comes last and is confirmed; one that is not is made again, with the message in
hand. A crash anywhere before it repeats the delivery, and the repeated outputs carry the same ids.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from typing import Any

from prometheus_client import Histogram

from scops.common.bus.consume.heartbeat import HeartbeatFactory
from scops.common.bus.consume.store_pause import Refusals, StorePause
from scops.common.bus.ports import Cause, Delivery, Handler, Outgoing, Publisher
from scops.common.bus.publish import headers as names
from scops.common.contract import service_table as contract
from scops.common.contract import wire
from scops.common.contract.errors import (
    InvalidInput,
    PermanentError,
    ScopsError,
    StoreRefusal,
    TransientError,
)
from scops.common.contract.ids import EventId, FetchId, JobId, PageId, derived_id, event_id
from scops.common.contract.messages.crawl import DeadLetter, PageDead
from scops.common.contract.organisations import MAIN, check_mine
from scops.common.contract.service_table import Lane, MessageContract, Role
from scops.common.observe.log import bound_ids, get_logger
from scops.common.observe.metrics import CONSUMED, DEAD_LETTERS, HANDLING_SECONDS, REDELIVERED
from scops.common.observe.tracing import span
from scops.common.observe.trail import following, trail_of
from scops.common.runtime.clock import Clock

log = get_logger(__name__)
# Before the second delivery; it doubles with each further one.
DELAY_FIRST_SECONDS = 1.0
DELAY_SECONDS_MAX = 60.0
# A cause may ask for more patience than the growing delay has, but not for more than this.
RETRY_AFTER_SECONDS_MAX = 3600.0
DETAIL_CHARACTERS_MAX = 2000
EXHAUSTED = "DELIVERIES_EXHAUSTED"
UNEXPECTED = "UNEXPECTED_ERROR"


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


@dataclass(frozen=True, kw_only=True)
class Consumer:
    """One durable with its handler; what every delivery asks of it is worked out once.

    Attributes:
        organisation_id: whose messages it takes; those of others are given up unread.
    """

    role: Role
    contract: MessageContract
    lane: Lane
    handler: Handler
    organisation_id: str = MAIN

    @cached_property
    def durable(self) -> str:
        """The durable's name."""
        return contract.durable_name(self.role, self.contract, self.lane)

    @cached_property
    def labels(self) -> tuple[str, str, str]:
        """What its metrics are told apart by: consumer, event, lane."""
        return (self.role.value, self.contract.snake_name, self.lane.value)

    @cached_property
    def handling_seconds(self) -> Histogram:
        """Its own part of the metric."""
        return HANDLING_SECONDS.labels(*self.labels)

    @cached_property
    def span_name(self) -> str:
        """What a trace calls the handling of its messages."""
        return f"process {self.contract.snake_name}"

    @cached_property
    def is_about_pages(self) -> bool:
        """Whether the subject of its messages is a page; else it is a job."""
        return names.names_page(self.contract.message)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterReason:
    """Why a message goes to the dead letters."""

    reason: str
    detail: str


TOO_OFTEN = DeadLetterReason(reason=EXHAUSTED, detail="It was delivered too often.")


async def consume(
    delivery: Delivery,
    consumer: Consumer,
    *,
    publisher: Publisher,
    clock: Clock,
    policy: RetryPolicy,
    heartbeat: HeartbeatFactory | None = None,
    pause: StorePause | None = None,
) -> DeliveryOutcome:
    """Handles one delivery to its end; never raises an `Exception`.

    Args:
        heartbeat: keeps the delivery from expiring while the handler works; none needed where
            deliveries do not expire by wall time.
        pause: where to wait while a store refuses; without one the message is asked for again,
            and given up for that reason at no delivery.
    """
    if delivery.delivery_count > 1:
        REDELIVERED.labels(*consumer.labels).inc()
    handling = _Handling(delivery, consumer, publisher, clock, policy, pause)
    with (
        consumer.handling_seconds.time(),
        following(trail_of(delivery.headers)),
        bound_ids(**_log_ids(delivery, consumer)),
        span(consumer.span_name, "consumer", partial(_attributes, delivery, consumer)) as traced,
    ):
        async with heartbeat(delivery) if heartbeat else nullcontext():
            outcome = await handling.run()
        traced.set("scops.outcome", outcome.value)
        if outcome is not DeliveryOutcome.ACKED:
            traced.fail(outcome.value)
    CONSUMED.labels(*consumer.labels, outcome.value).inc()
    return outcome


def _log_ids(delivery: Delivery, consumer: Consumer) -> dict[str, str]:
    headers = delivery.headers
    about = "page_id" if consumer.is_about_pages else "job_id"
    ids = {
        "consumer": consumer.durable,
        "organisation": headers.get(names.ORGANISATION, ""),
        "event_id": headers.get(names.EVENT_ID, ""),
        "fetch_id": headers.get(names.FETCH_ID, ""),
    }
    return {**ids, about: headers.get(names.EVENT_SUBJECT, "")}


def _attributes(delivery: Delivery, consumer: Consumer) -> dict[str, str | int]:
    """Returns what a trace shows of a delivery, by OpenTelemetry's names for messaging."""
    return {
        "messaging.system": "nats",
        "messaging.operation.type": "process",
        "messaging.destination.name": contract.subject_stem(consumer.contract, consumer.lane),
        "messaging.consumer.group.name": consumer.durable,
        "messaging.message.id": delivery.headers.get(names.EVENT_ID, ""),
        "scops.role": consumer.role.value,
        "scops.subject_id": delivery.headers.get(names.EVENT_SUBJECT, ""),
        "scops.fetch_id": delivery.headers.get(names.FETCH_ID, ""),
        "scops.delivery_count": delivery.delivery_count,
    }


@dataclass(frozen=True, slots=True)
class _Handling:
    """The steps of one delivery."""

    delivery: Delivery
    consumer: Consumer
    publisher: Publisher
    clock: Clock
    policy: RetryPolicy
    pause: StorePause | None

    async def run(self) -> DeliveryOutcome:
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
        if self.delivery.delivery_count > self.policy.deliveries_max:
            return await self._give_up(TOO_OFTEN)
        try:
            refused = await self._handle_patiently()
        except (InvalidInput, PermanentError) as error:
            return await self._give_up(DeadLetterReason(reason=error.reason, detail=str(error)))
        except StoreRefusal:
            raise
        except Exception as error:
            if self.delivery.delivery_count < self.policy.deliveries_max:
                raise
            return await self._give_up(_reason_of(error))
        if refused is not None:
            return await self._give_up(_reason_of(refused))
        await self._acknowledge()
        log.debug("message_handled")
        return DeliveryOutcome.ACKED

    def _is_for_another(self) -> bool:
        """Whether a dead letter came back for another durable: this one has handled it before."""
        durable = self.consumer.durable
        return self.delivery.headers.get(names.REPLAYED_FOR, durable) != durable

    async def _handle_patiently(self) -> StoreRefusal | None:
        """Handles it, and again while a store refuses; returns what it is given up for, if at all.

        Raises:
            StoreRefusal: there is no place to wait, or the process stops.
        """
        if self.pause is None:
            await self._handle()
            return None
        refusals = Refusals(self.pause, self.delivery.delivery_count)
        while True:
            try:
                await self._handle()
            except StoreRefusal as error:
                log.warning("store_refused", reason=error.reason, error=str(error), **self._count())
                if refusals.exceed(self.policy.deliveries_max):
                    return error
                await refusals.wait(error)
            else:
                self.pause.note_handled()
                return None

    async def _acknowledge(self) -> None:
        """Returns once the bus has the acknowledgement.

        Raises:
            TransientError: it has not, and there is no place to wait, or nobody to tell.
        """
        if self.pause is None:
            await self.delivery.ack_sync()
        else:
            await self.pause.until_confirmed(self.delivery.ack_sync)

    async def _handle(self) -> None:
        names.check_place(self.delivery, self.consumer.contract, self.consumer.lane)
        names.check_type(self.delivery, self.consumer.contract.message)
        cause = names.cause_of(self.delivery, self.consumer.lane)
        check_mine(
            cause.organisation_id,
            organisation_id=self.consumer.organisation_id,
            what="The message",
        )
        message = wire.decode(self.consumer.contract.message, self.delivery.data)
        if not self.consumer.contract.producers:
            names.check_author(self.delivery, message)
        outputs = await self.consumer.handler(message, cause)
        await self._publish_all(outputs, cause)

    async def _publish_all(self, outputs: Sequence[Any], cause: Cause) -> None:
        for ordinal, output in enumerate(outputs):
            await self.publisher.publish(
                Outgoing(
                    message=output,
                    event_id=event_id(self.consumer.role.value, cause.event_id, ordinal),
                    organisation_id=cause.organisation_id,
                    lane=cause.lane,
                )
            )

    async def _later(self, at_least_seconds: float) -> DeliveryOutcome:
        delay = self.policy.delay_seconds(self.delivery.delivery_count, at_least=at_least_seconds)
        try:
            await self.delivery.nak(delay)
        except TransientError as error:
            # Without the nak the message comes back after its acknowledgement timer.
            log.warning("nak_failed", error=str(error))
        return DeliveryOutcome.RETRIED

    async def _give_up(self, why: DeadLetterReason) -> DeliveryOutcome:
        """Publishes the dead letter and what the ledger needs to know, then acknowledges."""
        letter = self._letter(why)
        await self._publish_last(letter, EventId(letter.dead_letter_id))
        if self.consumer.contract.message is not PageDead:
            last_id = event_id(self.consumer.role.value, letter.dead_letter_id, 0)
            await self._publish_last(self._page_dead(letter), last_id)
        await self._acknowledge()
        DEAD_LETTERS.labels(*self.consumer.labels, why.reason).inc()
        log.error("message_dead", reason=why.reason, detail=why.detail, **self._count())
        return DeliveryOutcome.DEAD

    async def _publish_last(self, message: Any, last_id: EventId) -> None:
        await self.publisher.publish(
            Outgoing(
                message=message,
                event_id=last_id,
                organisation_id=self.consumer.organisation_id,
                lane=self.consumer.lane,
            )
        )

    def _letter(self, why: DeadLetterReason) -> DeadLetter:
        delivery = self.delivery
        letter_id = derived_id(
            "dead-letter",
            self.consumer.durable,
            delivery.stream,
            str(delivery.stream_sequence),
            # A stream that was made anew counts from one again.
            delivery.headers.get(names.EVENT_ID, ""),
        )
        return DeadLetter(
            dead_letter_id=letter_id,
            consumer=self.consumer.durable,
            stream=delivery.stream,
            stream_sequence=delivery.stream_sequence,
            subject=delivery.subject,
            headers=dict(delivery.headers),
            data=delivery.data,
            reason=why.reason,
            detail=why.detail[:DETAIL_CHARACTERS_MAX],
            dead_time=self.clock.now(),
        )

    def _page_dead(self, letter: DeadLetter) -> PageDead:
        """Says what died by the headers alone: the body may be what nobody can read."""
        subject = letter.headers.get(names.EVENT_SUBJECT, "")
        is_page = self.consumer.is_about_pages
        return PageDead(
            page_id=PageId(subject if is_page else ""),
            job_id=JobId("" if is_page else subject),
            fetch_id=FetchId(letter.headers.get(names.FETCH_ID, "")),
            consumer=letter.consumer,
            reason=letter.reason,
            dead_letter_id=letter.dead_letter_id,
        )

    def _count(self) -> dict[str, int]:
        return {"delivery_count": self.delivery.delivery_count}


def _reason_of(error: Exception) -> DeadLetterReason:
    if isinstance(error, ScopsError):
        return DeadLetterReason(reason=error.reason, detail=str(error))
    log.exception("message_failed", error=repr(error))
    return DeadLetterReason(reason=UNEXPECTED, detail=repr(error))
