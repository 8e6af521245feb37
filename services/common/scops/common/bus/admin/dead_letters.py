"""The dead letters: read, delivered again to the consumer that gave up, or dropped.

A replay publishes the message under its own subject with a new `ce-id`, so that the stream and
whoever counts events take it for a new one, and names the one durable that it is for: the others
have handled it and acknowledge it unread. The letter stays, marked as replayed, until it is
dropped or its time is up. The job of that time keeps its outcome; the first one counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nats.errors import Error
from nats.js import JetStreamContext, api
from nats.js.errors import NotFoundError as JetStreamNotFound

from scops.common.bus.ports import Outgoing, Publisher
from scops.common.bus.publish import headers as names
from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput, NotFound, StoreUnavailable
from scops.common.contract.ids import EventId, derived_id, uuid7
from scops.common.contract.messages.crawl import DeadLetter
from scops.common.contract.service_table import BY_TYPE, DEAD_LETTER_STREAM, MESSAGES, Lane
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock

log = get_logger(__name__)
BATCH = 200
FETCH_SECONDS = 2.0
# The server forgets the reader after this.
READER_SECONDS = 30.0
LETTERS_MAX = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLetter:
    """A dead letter and its place in the stream."""

    sequence: int
    letter: DeadLetter


class DeadLetters:
    """The stream of dead letters, as whoever mends things sees it."""

    def __init__(self, jetstream: JetStreamContext, publisher: Publisher, *, clock: Clock) -> None:
        self._jetstream = jetstream
        self._publisher = publisher
        self._clock = clock

    async def all(self) -> tuple[HeldLetter, ...]:
        """Returns every letter, oldest first.

        Raises:
            StoreUnavailable: the bus does not answer, or lacks the stream.
        """
        try:
            return await self._read()
        except (Error, OSError, TimeoutError) as error:
            raise StoreUnavailable(
                f"Reading the dead letters failed: {error!r}. Check that the bus runs and is "
                "provisioned, and that this user may read them.",
                reason="BUS_UNAVAILABLE",
            ) from error

    async def find(self, beginning: str) -> HeldLetter:
        """Returns the letter whose id begins so.

        Raises:
            NotFound: there is none.
            InvalidInput: there are several.
        """
        found = [one for one in await self.all() if one.letter.dead_letter_id.startswith(beginning)]
        if not found:
            raise NotFound(
                f"There is no dead letter {beginning}; `scops deadletters list` shows them.",
                reason="DEAD_LETTER_NOT_FOUND",
            )
        if len({one.letter.dead_letter_id for one in found}) > 1:
            raise InvalidInput(
                f"{len(found)} dead letters begin with {beginning}; write more of the id.",
                reason="DEAD_LETTER_AMBIGUOUS",
            )
        return found[-1]

    async def replay(self, held: HeldLetter) -> EventId:
        """Delivers a message again to the consumer that gave it up; returns its new `ce-id`.

        Raises:
            NotFound: that consumer does not exist any more: nobody would take the message.
            StoreUnavailable: the bus does not answer; the message may be delivered.
        """
        letter = held.letter
        event_id = EventId(uuid7(self._clock.now()))
        try:
            await self._jetstream.consumer_info(letter.stream, letter.consumer)
            await self._publish(letter, event_id)
            await self._mark(held, event_id)
        except JetStreamNotFound as error:
            raise NotFound(
                f"The consumer {letter.consumer} of {letter.stream} does not exist any more, so "
                "nobody would take the message. Run `scops provision`, or drop the letter.",
                reason="CONSUMER_NOT_FOUND",
            ) from error
        except (Error, OSError, TimeoutError) as error:
            raise _unavailable("Replaying", letter, error) from error
        log.info("dead_letter_replayed", letter=letter.dead_letter_id, event_id=event_id)
        return event_id

    async def drop(self, held: HeldLetter) -> None:
        """Removes a letter for good.

        Raises:
            StoreUnavailable: the bus does not answer.
        """
        try:
            await self._jetstream.delete_msg(DEAD_LETTER_STREAM.name, held.sequence)
        except (Error, OSError, TimeoutError) as error:
            raise _unavailable("Dropping", held.letter, error) from error

    async def _publish(self, letter: DeadLetter, event_id: EventId) -> None:
        await self._jetstream.publish(
            letter.subject,
            letter.data,
            stream=letter.stream,
            headers={
                **letter.headers,
                names.EVENT_ID: event_id,
                names.MESSAGE_ID: event_id,
                names.REPLAYED_FOR: letter.consumer,
            },
        )

    async def _mark(self, held: HeldLetter, event_id: EventId) -> None:
        """Puts a marked copy in the place of a letter; a crash between leaves both."""
        marked = replace(
            held.letter, replayed_time=self._clock.now(), replay_event_id=str(event_id)
        )
        await self._publisher.publish(
            Outgoing(
                message=marked,
                event_id=EventId(derived_id("replayed", marked.dead_letter_id, event_id)),
                organisation_id=marked.headers.get(names.ORGANISATION, "unknown"),
                lane=_lane(marked.subject),
            )
        )
        await self.drop(held)

    async def _read(self) -> tuple[HeldLetter, ...]:
        info = await self._jetstream.stream_info(DEAD_LETTER_STREAM.name)
        left = min(info.state.messages, LETTERS_MAX)
        reader = await self._jetstream.pull_subscribe(
            ">",
            stream=DEAD_LETTER_STREAM.name,
            config=api.ConsumerConfig(
                ack_policy=api.AckPolicy.NONE, inactive_threshold=READER_SECONDS
            ),
        )
        held: dict[str, HeldLetter] = {}
        while left > 0:
            messages = await reader.fetch(min(BATCH, left), timeout=FETCH_SECONDS)
            left -= len(messages)
            for message in messages:
                letter = wire.decode(DeadLetter, message.data)
                sequence = int(message.metadata.sequence.stream)
                # Of two copies of one letter the later one knows more.
                held[letter.dead_letter_id] = HeldLetter(sequence=sequence, letter=letter)
        await reader.unsubscribe()
        return tuple(sorted(held.values(), key=lambda one: one.sequence))


def chosen(
    letters: Sequence[HeldLetter], *, reason: str = "", consumer: str = "", replayed: bool = False
) -> list[HeldLetter]:
    """Returns the letters of a reason and a consumer; empty means any.

    Args:
        replayed: also those that were replayed.
    """
    return [
        held
        for held in letters
        if reason in ("", held.letter.reason)
        and consumer in ("", held.letter.consumer)
        and (replayed or held.letter.replayed_time is None)
    ]


def message_type(letter: DeadLetter) -> type[Any] | None:
    """Returns the type of the message in a letter by its subject, None where it is none of ours."""
    for entry in MESSAGES:
        if f".{entry.snake_name}." in letter.subject and entry.stream.name == letter.stream:
            return BY_TYPE[entry.message].message
    return None


def _lane(subject: str) -> Lane:
    lane = subject.split(".")[-2:-1]
    return Lane.NOW if lane == [Lane.NOW.value] else Lane.BULK


def _unavailable(doing: str, letter: DeadLetter, error: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        f"{doing} the dead letter {letter.dead_letter_id} failed: {error!r}. Try again.",
        reason="BUS_UNAVAILABLE",
    )
