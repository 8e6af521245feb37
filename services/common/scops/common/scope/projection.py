"""The scopes' projection: a key-value bucket that the gateway writes and everybody else watches.

Truth is the gateway's table. It writes each change, and all of them at its start, so that a
lost bucket fills itself. A key is `<organisation>.<scope_id>`; a deleted scope keeps its key with
its mark. Watchers hold the newest revision that they saw, whatever the order of arrival.
"""

from typing import Any

from nats.aio.client import Client
from nats.errors import Error
from nats.js import JetStreamContext
from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue

from scops.common.bus.admin.topology import SCOPE_BUCKET
from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput, MessageTooLarge, StoreUnavailable
from scops.common.contract.ids import monotonic_seconds
from scops.common.contract.messages.types import Scope
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock
from scops.common.scope.book import ScopeBook

log = get_logger(__name__)
# How soon a watcher notices that its connection was replaced.
POLL_SECONDS = 2.0
# A watcher reads everything anew this often, whatever it may have missed.
SNAPSHOT_SECONDS = 15.0
SCOPE_BYTES_MAX = 512 * 1024
PUT_ATTEMPTS = 4
PUT_DELAY_SECONDS = 0.2


class ScopeProjection:
    """Writes scopes to the bucket; only the gateway does, each of its instances.

    A write names the revision of the entry that it replaces, so that of two instances none puts
    an older scope over a newer one, whichever is slower.
    """

    def __init__(self, jetstream: JetStreamContext, *, clock: Clock) -> None:
        self._jetstream = jetstream
        self._clock = clock
        self._bucket: KeyValue | None = None

    async def publish_scope(self, scope: Scope) -> None:
        """Stores a revision of a scope; returns once it is durable. May be repeated.

        Raises:
            StoreUnavailable: the bus does not answer, or the bucket is missing.
            MessageTooLarge: the scope has too many and too long rules.
        """
        data = wire.encode(scope)
        if len(data) > SCOPE_BYTES_MAX:
            raise MessageTooLarge(
                f"The scope {scope.name} has {len(data)} bytes; a scope holds {SCOPE_BYTES_MAX}. "
                "Use fewer or shorter rules.",
                scope_id=scope.scope_id,
            )
        for attempt in range(1, PUT_ATTEMPTS + 1):
            try:
                await self._put_newer(scope, data)
                return
            except (Error, OSError, TimeoutError) as error:
                # Also that another instance was faster: what it wrote is looked at anew.
                if attempt == PUT_ATTEMPTS:
                    raise _unavailable(error) from error
            await self._clock.sleep(PUT_DELAY_SECONDS * 2**attempt)

    async def _put_newer(self, scope: Scope, data: bytes) -> None:
        """Stores a scope unless its entry is as new.

        Raises:
            Error: the entry has changed meanwhile, or the bus does not answer.
        """
        bucket = await self._open()
        try:
            entry = await bucket.get(_key(scope))
        except KeyNotFoundError:
            await bucket.create(_key(scope), data)
            return
        held = _read(entry.value or b"")
        if held is None or held.revision < scope.revision:
            await bucket.update(_key(scope), data, last=entry.revision)

    async def generation(self) -> str:
        """Returns what changes when the bucket was lost and made anew.

        Raises:
            StoreUnavailable: the bus does not answer, or the bucket is missing.
        """
        try:
            info = await self._jetstream.stream_info(f"KV_{SCOPE_BUCKET}")
        except (Error, OSError, TimeoutError) as error:
            raise _unavailable(error) from error
        return str(info.created)

    async def _open(self) -> KeyValue:
        if self._bucket is None:
            self._bucket = await self._jetstream.key_value(SCOPE_BUCKET)
        return self._bucket


class ScopeWatch:
    """Fills a scope book from the bucket, for ever."""

    def __init__(
        self, client: Client, jetstream: JetStreamContext, book: ScopeBook, *, organisation_id: str
    ) -> None:
        self._client = client
        self._jetstream = jetstream
        self._book = book
        self._organisation_id = organisation_id

    async def run(self) -> None:
        """Watches until cancelled; the book is complete after the first snapshot.

        Raises:
            StoreUnavailable: the bucket is missing or the bus does not answer; run it again.
        """
        try:
            bucket = await self._jetstream.key_value(SCOPE_BUCKET)
            while True:
                await self._watch_one_connection(bucket)
        except (Error, OSError, TimeoutError) as error:
            raise _unavailable(error) from error

    async def problem(self) -> str | None:
        """Returns what is missing, as a readiness check."""
        if self._book.complete:
            return None
        return "The scopes have not arrived yet: the gateway writes them, `scops provision` first"

    async def _watch_one_connection(self, bucket: KeyValue) -> None:
        """Takes a snapshot and then changes, until the connection was replaced or time is up."""
        reconnects = self._client.stats["reconnects"]
        started = monotonic_seconds()
        # The library leaves its watcher untyped.
        watcher: Any = await bucket.watch(f"{self._organisation_id}.>")
        try:
            while (
                self._client.stats["reconnects"] == reconnects
                and monotonic_seconds() - started < SNAPSHOT_SECONDS
            ):
                try:
                    entry = await watcher.updates(timeout=POLL_SECONDS)
                except TimeoutError:
                    continue
                if entry is None:
                    self._book.complete = True
                elif entry.value:
                    self._apply(entry.value)
        finally:
            await watcher.stop()

    def _apply(self, data: bytes) -> None:
        scope = _read(data)
        if scope is not None:
            self._book.apply(scope)


def _read(data: bytes) -> Scope | None:
    try:
        return wire.decode(Scope, data)
    except InvalidInput as error:
        log.error("scope_unreadable", error=str(error))
        return None


def _key(scope: Scope) -> str:
    return f"{scope.organisation_id}.{scope.scope_id}"


def _unavailable(error: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        f"The bucket {SCOPE_BUCKET} does not answer: {error!r}. "
        "If it is missing, run `scops provision`.",
        reason="SCOPES_UNAVAILABLE",
    )
