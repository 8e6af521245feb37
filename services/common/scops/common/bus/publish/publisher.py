"""Publishes to JetStream: always to a named stream, always with a confirmed PubAck."""

from collections import Counter
from collections.abc import Mapping
from functools import partial

from nats.errors import Error, MaxPayloadError
from nats.js import JetStreamContext
from nats.js.errors import APIError

from scops.common.bus.ports import Outgoing
from scops.common.bus.publish.headers import headers_of
from scops.common.contract import service_table, wire
from scops.common.contract.errors import MessageTooLarge, StoreUnavailable
from scops.common.contract.messages.crawl import DeadLetter
from scops.common.contract.organisations import MAIN, check_mine
from scops.common.contract.service_table import MessageContract
from scops.common.observe.log import get_logger
from scops.common.observe.metrics import PUBLISH_SECONDS, PUBLISHED
from scops.common.observe.tracing import span
from scops.common.runtime.clock import Clock

log = get_logger(__name__)
# Body and headers of one message together; a body that may be larger goes to the archive.
MESSAGE_BYTES_MAX = 512 * 1024
# A dead letter holds a whole message with its headers once more, beside its own.
DEAD_LETTER_EXTRA_BYTES = 64 * 1024
# How long one publication waits for its PubAck, and how many there are of one message.
PUB_ACK_SECONDS = 5.0
ATTEMPTS = 4
RETRY_DELAY_SECONDS = 0.1
# How long a publication waits for room in a full stream before it is tried again later.
FULL_SECONDS_MAX = 900.0
# Between two attempts to publish to a full stream.
ROOM_POLL_SECONDS = 0.25
ROOM_POLL_SECONDS_MAX = 4.0
MORE_ROOM = "Run more of the roles that consume it, or raise SCOPS_BUS_STREAM_BYTES_MAX."
# The stream's own bound; the server's bound for all streams.
ERRORS_FULL = (10077, 10047, 10023)
ERROR_MESSAGE_SIZE = 10054


class JetStreamPublisher:
    """The `Publisher` port on JetStream.

    A publication without PubAck is repeated with the same `Nats-Msg-Id`, so that the server
    recognises it within its duplicate window.

    Args:
        organisation_id: whose messages it publishes; it refuses those of others.
    """

    def __init__(
        self, jetstream: JetStreamContext, *, clock: Clock, organisation_id: str = MAIN
    ) -> None:
        self._jetstream = jetstream
        self._organisation_id = organisation_id
        self._clock = clock
        # Publications that wait for room, by stream.
        self._held: Counter[str] = Counter()

    async def publish(self, outgoing: Outgoing) -> None:
        entry = service_table.BY_TYPE[type(outgoing.message)]
        attributes = partial(_attributes, outgoing, entry)
        with span(f"publish {entry.snake_name}", "producer", attributes):
            await self._publish(outgoing, entry)

    async def _publish(self, outgoing: Outgoing, entry: MessageContract) -> None:
        check_mine(
            outgoing.organisation_id,
            organisation_id=self._organisation_id,
            what="What is published",
        )
        labels = (entry.snake_name, outgoing.lane.value)
        data = outgoing.data or wire.encode(outgoing.message)
        headers = headers_of(outgoing, now=self._clock.now())
        self._check_size(outgoing, data, headers)
        subject = service_table.subject_of(
            outgoing.message, lane=outgoing.lane, organisation_id=outgoing.organisation_id
        )
        with PUBLISH_SECONDS.labels(*labels).time():
            try:
                duplicate = await self._until_stored(subject, data, headers, entry.stream.name)
            except (StoreUnavailable, MessageTooLarge):
                PUBLISHED.labels(*labels, "failed").inc()
                raise
        PUBLISHED.labels(*labels, "duplicate" if duplicate else "stored").inc()

    def problem(self) -> str | None:
        """Returns which streams have no room for what waits to be published, for readiness."""
        full = sorted(+self._held)
        if not full:
            return None
        return f"{', '.join(full)}: full. {MORE_ROOM}"

    async def _until_stored(
        self, subject: str, data: bytes, headers: Mapping[str, str], stream: str
    ) -> bool:
        """Publishes with a bounded number of attempts; returns whether it was a duplicate."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._when_there_is_room(subject, data, headers, stream)
            except (Error, OSError, TimeoutError) as error:
                _raise_if_final(error, subject, stream)
                if attempt == ATTEMPTS:
                    raise _no_pub_ack(error, subject, stream) from error
            await self._clock.sleep(RETRY_DELAY_SECONDS * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    async def _when_there_is_room(
        self, subject: str, data: bytes, headers: Mapping[str, str], stream: str
    ) -> bool:
        """Publishes, and holds the message while the stream is full.

        Its handler waits with it and so pulls nothing more: that is how a stage that is behind
        slows down the one before it. A nak instead would only use up deliveries.
        """
        delay, waited = ROOM_POLL_SECONDS, 0.0
        while True:
            try:
                ack = await self._jetstream.publish(
                    subject,
                    data,
                    timeout=PUB_ACK_SECONDS,
                    stream=stream,
                    headers=dict(headers),
                )
                return bool(ack.duplicate)
            except APIError as error:
                if error.err_code not in ERRORS_FULL:
                    raise
                if waited >= FULL_SECONDS_MAX:
                    raise _full(stream) from error
            await self._hold(stream, delay)
            waited += delay
            delay = min(delay * 2, ROOM_POLL_SECONDS_MAX)

    async def _hold(self, stream: str, seconds: float) -> None:
        if not self._held[stream]:
            log.warning("stream_full", stream=stream)
        self._held[stream] += 1
        try:
            await self._clock.sleep(seconds)
        finally:
            self._held[stream] -= 1

    def _check_size(self, outgoing: Outgoing, data: bytes, headers: Mapping[str, str]) -> None:
        """Refuses here what would make the server close the connection."""
        size = len(data) + header_bytes(headers)
        limit = MESSAGE_BYTES_MAX
        if isinstance(outgoing.message, DeadLetter):
            limit += DEAD_LETTER_EXTRA_BYTES
        if size > limit:
            raise MessageTooLarge(
                f"The {type(outgoing.message).__name__} of {headers.get('ce-subject', 'nothing')} "
                f"has {size} bytes with its headers; the bus takes {limit}. "
                "Put the body into the archive and publish its reference.",
                size=str(size),
                limit=str(limit),
            )


def _attributes(outgoing: Outgoing, entry: MessageContract) -> dict[str, str]:
    return {
        "messaging.system": "nats",
        "messaging.operation.type": "send",
        "messaging.destination.name": service_table.subject_stem(entry, outgoing.lane),
        "messaging.message.id": outgoing.event_id,
        "scops.subject_id": service_table.entity_of(outgoing.message),
    }


def header_bytes(headers: Mapping[str, str]) -> int:
    """Returns the size of headers on the wire (NATS/1.0, then `name: value` lines)."""
    lines = sum(len(name.encode()) + len(value.encode()) + 4 for name, value in headers.items())
    return len("NATS/1.0\r\n\r\n") + lines


def _raise_if_final(error: Exception, subject: str, stream: str) -> None:
    """Raises at once what another attempt within seconds cannot change."""
    code = error.err_code if isinstance(error, APIError) else None
    if code == ERROR_MESSAGE_SIZE or isinstance(error, MaxPayloadError):
        raise MessageTooLarge(
            f"The stream {stream} refused a message for {subject} by its size: {error}."
        ) from error


def _full(stream: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"The stream {stream} is full: its consumers are behind. The message is tried again "
        f"later. {MORE_ROOM}",
        reason="BUS_FULL",
    )


def _no_pub_ack(error: Exception, subject: str, stream: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"The bus did not confirm a message for {subject} in {stream}: {error!r}. "
        "It may be stored; it is tried again with the same id. "
        "If the stream is missing, run `scops provision`.",
        reason="BUS_UNAVAILABLE",
    )
