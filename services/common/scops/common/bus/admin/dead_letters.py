"""The dead letters: read, delivered again to the consumer that gave up, or dropped.

A replay publishes the message with a new `ce-id`, so that the stream and whoever counts events
take it for a new one, and names the one durable that it is for: the others have handled it and
acknowledge it unread. The letter stays, marked as replayed, until it is dropped or its time is
up. The job of that time keeps its outcome; the first one counts.

A letter is the word of the role that wrote it, and permissions bind its subject to that role. So
it counts for a durable of that role alone; subject and stream are those of the contract. The
message is the one that the stream holds at the sequence; where everybody has acknowledged it, the
stream has forgotten it, and the copy in the letter goes to the durable of whoever made the copy.
What cannot be such a letter is listed as malformed, and can be dropped.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from nats.errors import Error
from nats.js import JetStreamContext, api
from nats.js.errors import NotFoundError as JetStreamNotFound

from scops.common.bus.admin.topology import Durable, durables_of
from scops.common.bus.ports import Outgoing, Publisher
from scops.common.bus.publish import headers as names
from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput, NotFound, StoreUnavailable
from scops.common.contract.ids import EventId, derived_id, uuid7
from scops.common.contract.messages.crawl import DeadLetter
from scops.common.contract.organisations import MAIN
from scops.common.contract.service_table import (
    BY_TYPE,
    DEAD_LETTER_STREAM,
    MESSAGES,
    Lane,
    Role,
    author_of,
    is_of,
)
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock

log = get_logger(__name__)
BATCH = 200
FETCH_SECONDS = 2.0
# The server forgets the reader after this.
READER_SECONDS = 30.0
LETTERS_MAX = 100_000
DURABLES = {durable.name: durable for durable in durables_of(Role)}
ID_FORM = re.compile(r"[0-9a-f-]{36}")
MALFORMED = "MALFORMED"
# Then its sequence.
MALFORMED_ID = "malformed-"
UNKNOWN_CONSUMER = "No consumer of this version has its name."


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLetter:
    """A dead letter and its place in the stream.

    Attributes:
        author: the role that wrote it; none where permissions bound no role to its subject.
        fault: why it cannot be replayed; a malformed letter has an id of its place.
    """

    sequence: int
    letter: DeadLetter
    author: Role | None = None
    fault: str = ""


class DeadLetters:
    """The stream of dead letters, as whoever mends things sees it."""

    def __init__(
        self,
        jetstream: JetStreamContext,
        publisher: Publisher,
        *,
        clock: Clock,
        organisation_id: str = MAIN,
    ) -> None:
        self._jetstream = jetstream
        self._organisation_id = organisation_id
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

    async def replay(self, held: HeldLetter, *, unbound: bool = False) -> EventId:
        """Delivers a message again to the consumer that gave it up; returns its new `ce-id`.

        Args:
            unbound: also a copy that any role may have written; see `HeldLetter.author`.

        Raises:
            InvalidInput: the letter is malformed, or not bound to its author.
            NotFound: that consumer does not exist any more: nobody would take the message.
            StoreUnavailable: the bus does not answer; the message may be delivered.
        """
        letter = held.letter
        event_id = EventId(uuid7(self._clock.now()))
        try:
            await self._publish(held, event_id, unbound=unbound)
            await self._mark(held, event_id)
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

    async def _publish(self, held: HeldLetter, event_id: EventId, *, unbound: bool) -> None:
        durable = DURABLES.get(held.letter.consumer)
        if held.fault or durable is None:
            raise InvalidInput(
                f"The dead letter {held.letter.dead_letter_id} cannot be replayed: "
                f"{held.fault or 'its consumer is unknown'}. Drop it.",
                reason="DEAD_LETTER_MALFORMED",
            )
        await self._check_consumer(durable)
        data, headers = await self._message(held, durable, unbound=unbound)
        last = held.letter.subject.rpartition(".")[2]
        await self._jetstream.publish(
            f"{durable.filter.removesuffix('*')}{last}",
            data,
            stream=durable.stream,
            headers={
                # The server obeys some headers of its own kind.
                **{name: value for name, value in headers.items() if name in names.REPLAYABLE},
                names.EVENT_ID: event_id,
                names.MESSAGE_ID: event_id,
                names.REPLAYED_FOR: durable.name,
            },
        )

    async def _check_consumer(self, durable: Durable) -> None:
        try:
            await self._jetstream.consumer_info(durable.stream, durable.name)
        except JetStreamNotFound as error:
            raise NotFound(
                f"The consumer {durable.name} of {durable.stream} does not exist any more, so "
                "nobody would take the message. Run `scops provision`, or drop the letter.",
                reason="CONSUMER_NOT_FOUND",
            ) from error

    async def _message(
        self, held: HeldLetter, durable: Durable, *, unbound: bool
    ) -> tuple[bytes, Mapping[str, str]]:
        """Returns body and headers: the stream's own, else the copy of whoever wrote the letter."""
        letter = held.letter
        with suppress(JetStreamNotFound):
            found = await self._jetstream.get_msg(durable.stream, seq=letter.stream_sequence)
            headers = found.headers or {}
            # A stream that was made anew counts from one again.
            is_it = headers.get(names.EVENT_ID, "") == letter.headers.get(names.EVENT_ID, "")
            if is_it and durable.takes(str(found.subject)):
                return found.data or b"", headers
        if held.author is None and not unbound:
            raise InvalidInput(
                f"The stream holds the message of {letter.dead_letter_id} no more, and any user "
                "of the bus of that time could have written its copy. Look at it with "
                "`scops deadletters show`, then replay it with --unbound, or drop it.",
                reason="DEAD_LETTER_UNBOUND",
            )
        return letter.data, letter.headers

    async def _mark(self, held: HeldLetter, event_id: EventId) -> None:
        """Puts a marked copy in the place of a letter; a crash between leaves both."""
        marked = replace(
            held.letter, replayed_time=self._clock.now(), replay_event_id=str(event_id)
        )
        await self._publisher.publish(
            Outgoing(
                message=marked,
                event_id=EventId(derived_id("replayed", marked.dead_letter_id, event_id)),
                organisation_id=self._organisation_id,
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
        held: dict[tuple[Role | None, str], HeldLetter] = {}
        while left > 0:
            messages = await reader.fetch(min(BATCH, left), timeout=FETCH_SECONDS)
            left -= len(messages)
            for message in messages:
                one = held_letter(
                    message.subject,
                    message.data,
                    sequence=int(message.metadata.sequence.stream),
                    stored=message.metadata.timestamp,
                )
                # Of two copies of one letter the later one knows more.
                held[one.author, one.letter.dead_letter_id] = one
        await reader.unsubscribe()
        return tuple(sorted(held.values(), key=lambda one: one.sequence))


def held_letter(subject: str, data: bytes, *, sequence: int, stored: datetime) -> HeldLetter:
    """Returns a letter as the stream holds it; never raises, whatever the bytes are."""
    author = author_of(subject)
    try:
        letter = wire.decode(DeadLetter, data)
    except InvalidInput as error:
        fault = str(error)
    else:
        fault = _fault(letter, subject, author)
        # A letter that an older contract knew is whole, but nobody takes its message any more.
        if not fault or fault == UNKNOWN_CONSUMER:
            return HeldLetter(sequence=sequence, letter=letter, author=author, fault=fault)
    return HeldLetter(
        sequence=sequence,
        author=author,
        fault=fault,
        letter=DeadLetter(
            dead_letter_id=f"{MALFORMED_ID}{sequence}",
            consumer="",
            stream=DEAD_LETTER_STREAM.name,
            stream_sequence=sequence,
            subject=subject,
            headers={},
            data=data,
            reason=MALFORMED,
            detail=fault,
            dead_time=stored,
        ),
    )


def _fault(letter: DeadLetter, subject: str, author: Role | None) -> str:
    """Returns why a letter is not what its author may write, or nothing."""
    if not any(is_of(subject, BY_TYPE[DeadLetter], lane) for lane in Lane):
        return f"It came as {subject}, which is no subject of dead letters."
    if ID_FORM.fullmatch(letter.dead_letter_id) is None:
        return "Its id is none that a consumer gives."
    durable = DURABLES.get(letter.consumer)
    if durable is None:
        return UNKNOWN_CONSUMER
    if author is not None and author is not durable.role:
        return f"The {author} wrote it in the name of {letter.consumer}."
    if letter.stream != durable.stream or not durable.takes(letter.subject):
        return f"It tells of {letter.subject} in {letter.stream}, which {durable.name} never gets."
    return ""


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
