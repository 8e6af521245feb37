"""Publishes to JetStream: always to a named stream, always with a confirmed PubAck."""

from collections import Counter

from nats.errors import Error, MaxPayloadError
from nats.js import JetStreamContext
from nats.js.errors import APIError

from scops.common.bus.ports import Outgoing, Sealed
from scops.common.bus.publish.headers import EVENT_SUBJECT, ORGANISATION
from scops.common.bus.publish.sealing import producing, seal, sealed_bytes
from scops.common.contract import service_table
from scops.common.contract.errors import MessageTooLarge, StoreUnavailable
from scops.common.contract.organisations import MAIN, check_mine
from scops.common.observe.log import get_logger
from scops.common.observe.metrics import PUBLICATIONS, PUBLISH_SECONDS, PUBLISHED
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
        with producing(outgoing):
            await self.send(seal(outgoing, now=self._clock.now()))

    async def send(self, sealed: Sealed) -> None:
        check_mine(
            sealed.headers.get(ORGANISATION, ""),
            organisation_id=self._organisation_id,
            what="What is published",
        )
        labels = (sealed.contract.snake_name, sealed.lane.value)
        _check_size(sealed)
        with PUBLISH_SECONDS.labels(*labels).time():
            try:
                duplicate = await self._until_stored(sealed)
            except (StoreUnavailable, MessageTooLarge):
                PUBLISHED.labels(*labels, "failed").inc(sealed.count)
                raise
        PUBLISHED.labels(*labels, "duplicate" if duplicate else "stored").inc(sealed.count)
        PUBLICATIONS.labels(*labels).inc()

    def problem(self) -> str | None:
        """Returns which streams have no room for what waits to be published, for readiness."""
        full = sorted(+self._held)
        if not full:
            return None
        return f"{', '.join(full)}: full. {MORE_ROOM}"

    async def _until_stored(self, sealed: Sealed) -> bool:
        """Publishes with a bounded number of attempts; returns whether it was a duplicate."""
        subject, stream = sealed.subject, sealed.contract.stream.name
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._when_there_is_room(sealed, stream)
            except (Error, OSError, TimeoutError) as error:
                _raise_if_final(error, subject, stream)
                if attempt == ATTEMPTS:
                    raise _no_pub_ack(error, subject, stream) from error
            await self._clock.sleep(RETRY_DELAY_SECONDS * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    async def _when_there_is_room(self, sealed: Sealed, stream: str) -> bool:
        """Publishes, and holds the message while the stream is full.

        Its handler waits with it and so pulls nothing more: that is how a stage that is behind
        slows down the one before it. A nak instead would only use up deliveries.
        """
        delay, waited = ROOM_POLL_SECONDS, 0.0
        while True:
            try:
                ack = await self._jetstream.publish(
                    sealed.subject,
                    sealed.data,
                    timeout=PUB_ACK_SECONDS,
                    stream=stream,
                    headers=dict(sealed.headers),
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


def _check_size(sealed: Sealed) -> None:
    """Refuses here what would make the server close the connection."""
    size = sealed_bytes(sealed)
    limit = MESSAGE_BYTES_MAX
    if sealed.contract.stream is service_table.DEAD_LETTER_STREAM:
        limit += DEAD_LETTER_EXTRA_BYTES
    if size > limit:
        raise MessageTooLarge(
            f"The {sealed.contract.message.__name__} of "
            f"{sealed.headers.get(EVENT_SUBJECT, 'nothing')} "
            f"has {size} bytes with its headers; the bus takes {limit}. "
            "Put the body into the archive and publish its reference.",
            size=str(size),
            limit=str(limit),
        )


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
