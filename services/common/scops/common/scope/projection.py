"""The scopes' projection: a key-value bucket that the gateway writes and everybody else watches.

Truth is the gateway's table. It writes each change, and all of them at its start, so that a
lost bucket fills itself. A key is `<organisation>.<scope_id>`; a deleted scope keeps its key with
its mark. Watchers hold what the bucket held last, in its order: a bucket made anew counts.

A table that was put back from a backup is behind its projection. The gateway sees that when it
writes, and goes on above what the projection holds.
"""

import asyncio
import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error
from nats.js import JetStreamContext
from nats.js.errors import KeyNotFoundError, NotFoundError
from nats.js.kv import KeyValue

from scops.common.bus.admin.topology import SCOPE_BUCKET
from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput, MessageTooLarge, StoreUnavailable
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock
from scops.common.scope.book import ScopeBook
from scops.common.scope.rules import unusable_rules

log = get_logger(__name__)
# A watcher that hears nothing asks this often.
POLL_SECONDS = 0.5
# A hint may come before the write is stored: whoever heard one looks a second time.
SOON_SECONDS = 0.05
# The entry by which the gateway says that all scopes are there; no scope has such an id.
WHOLE = "_whole"
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

    async def publish_scope(self, scope: Scope) -> int | None:
        """Stores a revision of a scope; returns once it is durable. May be repeated.

        Returns:
            None where it is stored; else the revision of the entry that stays, which is later, or
            says something else under the same revision.

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
                return await self._put_newer(scope, data)
            except (Error, OSError, TimeoutError) as error:
                # Also that another instance was faster: what it wrote is looked at anew.
                if attempt == PUT_ATTEMPTS:
                    raise _unavailable(error) from error
            await self._clock.sleep(PUT_DELAY_SECONDS * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    async def scope_ids(self) -> Collection[tuple[str, ScopeId]]:
        """Returns organisation and id of every scope that the bucket holds.

        Raises:
            StoreUnavailable: the bus does not answer, or the bucket is missing.
        """
        stem = f"$KV.{SCOPE_BUCKET}."
        try:
            info = await self._jetstream.stream_info(f"KV_{SCOPE_BUCKET}", f"{stem}>")
        except (Error, OSError, TimeoutError) as error:
            raise _unavailable(error) from error
        keys = (subject.removeprefix(stem).split(".", 1) for subject in info.state.subjects or {})
        return [
            (organisation_id, ScopeId(scope_id))
            for organisation_id, scope_id in keys
            if scope_id != WHOLE
        ]

    async def vouch(
        self, organisation_id: str, generation: str, *, identity_keys: Mapping[str, str]
    ) -> None:
        """Stores that a generation holds every scope of the table as of now; see the port."""
        mark = {
            "generation": generation,
            "time": self._clock.now().isoformat(),
            "identity_keys": dict(identity_keys),
        }
        try:
            bucket = await self._open()
            mark["unsigned_time"] = await self._unsigned_time(bucket, organisation_id)
            await bucket.put(f"{organisation_id}.{WHOLE}", json.dumps(mark).encode())
        except (Error, OSError, TimeoutError) as error:
            raise _unavailable(error) from error

    async def _unsigned_time(self, bucket: KeyValue, organisation_id: str) -> str:
        """Returns when a gateway that signs nothing gave its word last; empty where none did.

        A word takes the place of the one before it, which who starts now would not see.
        """
        try:
            entry = await bucket.get(f"{organisation_id}.{WHOLE}")
        except KeyNotFoundError:
            return ""
        return _unsigned_time(_mark(entry.value or b""))

    async def retract_scope(self, organisation_id: str, scope_id: ScopeId) -> None:
        """Stores that a scope which no table knows is deleted; may be repeated.

        Raises:
            StoreUnavailable: the bus does not answer, or the entry has changed meanwhile.
        """
        try:
            bucket = await self._open()
            entry = await bucket.get(f"{organisation_id}.{scope_id}")
            held = _read(entry.value or b"")
            if held is None or not held.deleted:
                revision = (held.revision if held else 0) + 1
                gone = Scope(
                    scope_id=scope_id,
                    organisation_id=organisation_id,
                    revision=revision,
                    deleted=True,
                )
                await bucket.update(_key(gone), wire.encode(gone), last=entry.revision)
        except (Error, OSError, TimeoutError) as error:
            raise _unavailable(error) from error

    async def _put_newer(self, scope: Scope, data: bytes) -> int | None:
        """Stores a scope unless its entry is as new; returns the revision of one that is not it.

        Raises:
            Error: the entry has changed meanwhile, or the bus does not answer.
        """
        bucket = await self._open()
        try:
            entry = await bucket.get(_key(scope))
        except KeyNotFoundError:
            await bucket.create(_key(scope), data)
            return None
        held = _read(entry.value or b"")
        if held is None or held.revision < scope.revision:
            await bucket.update(_key(scope), data, last=entry.revision)
            return None
        return None if held == scope else held.revision

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
    """Fills a scope book from the bucket, for ever.

    It asks how far the bucket is and reads what came since, message by message: a watch of the
    client library is a consumer that each user would have to be allowed to make, without bound.
    Writes are heard as they are published, which is a hint to read and nothing more: whether the
    bucket took one is seen there.
    """

    def __init__(
        self, client: Client, jetstream: JetStreamContext, book: ScopeBook, *, organisation_id: str
    ) -> None:
        self._client = client
        self._jetstream = jetstream
        self._book = book
        self._subject = f"$KV.{SCOPE_BUCKET}.{organisation_id}.>"
        self._heard = asyncio.Event()

    async def run(self) -> None:
        """Watches until cancelled; the book is complete after the first snapshot.

        Raises:
            StoreUnavailable: the bucket is missing or the bus does not answer; run it again.
        """
        hearing = None
        try:
            hearing = await self._client.subscribe(self._subject, cb=self._hear)
            await self._watch()
        except (Error, OSError, TimeoutError) as error:
            raise _unavailable(error) from error
        finally:
            if hearing is not None:
                with suppress(Error, OSError):
                    await hearing.unsubscribe()

    async def problem(self) -> str | None:
        """Returns what is missing, as a readiness check."""
        if self._book.complete:
            return None
        return "The scopes have not arrived yet: the gateway writes them, `scops provision` first"

    async def _hear(self, _: Msg) -> None:
        self._heard.set()

    async def _watch(self) -> None:
        created, sequence, is_first = "", 0, True
        while True:
            heard = self._heard.is_set()
            self._heard.clear()
            info = await self._jetstream.stream_info(f"KV_{SCOPE_BUCKET}")
            # A bucket that was lost or restored is read from its beginning.
            if str(info.created) != created or info.state.last_seq < sequence:
                created, sequence, is_first = str(info.created), 0, True
                self._book.vouched_time, self._book.vouched_before = None, False
            if sequence < info.state.last_seq:
                await self._read_since(sequence, generation=created, is_first=is_first)
                sequence = info.state.last_seq
            is_first = False
            self._book.complete = True
            with suppress(TimeoutError):
                await asyncio.wait_for(self._heard.wait(), SOON_SECONDS if heard else POLL_SECONDS)

    async def _read_since(self, sequence: int, *, generation: str, is_first: bool) -> None:
        """Takes in every entry above a sequence; one a scope is kept.

        They come in the order in which they were written: what the gateway vouches for is here.
        """
        while True:
            try:
                entry = await self._jetstream.get_msg(
                    f"KV_{SCOPE_BUCKET}", seq=sequence + 1, subject=self._subject, next=True
                )
            except NotFoundError:
                return
            sequence = int(entry.seq or sequence + 1)
            if str(entry.subject).endswith(f".{WHOLE}"):
                mark = _mark(entry.data or b"")
                time = _vouched_time(mark, generation)
                self._book.vouched_before = time is not None
                self._book.vouched_time = None if is_first else time
                self._take_keys(mark)
                continue
            scope = _read(entry.data) if entry.data else None
            if scope is not None and self._book.replace(scope):
                _tell_unusable_rules(scope)

    def _take_keys(self, mark: Mapping[str, Any]) -> None:
        """Takes in how the gateway that gave its word signs; an earlier version does not."""
        keys, unsigned = mark.get("identity_keys"), _unsigned_time(mark)
        if keys:
            self._book.identity_keys = keys
        if unsigned:
            self._book.unsigned_time = datetime.fromisoformat(unsigned)


def _mark(data: bytes) -> dict[str, Any]:
    """Returns the gateway's word on a bucket; nothing for one that cannot be read."""
    try:
        mark: dict[str, Any] = json.loads(data)
        datetime.fromisoformat(mark["time"])
    except (ValueError, KeyError, TypeError) as error:
        log.error("scope_mark_unreadable", error=repr(error))
        return {}
    return mark


def _unsigned_time(mark: Mapping[str, Any]) -> str:
    if mark and "identity_keys" not in mark:
        return str(mark["time"])
    return str(mark.get("unsigned_time", ""))


def _vouched_time(mark: Mapping[str, Any], generation: str) -> datetime | None:
    """Returns when a bucket was whole by the gateway's word; None for the word of another one."""
    return datetime.fromisoformat(mark["time"]) if mark.get("generation") == generation else None


def _tell_unusable_rules(scope: Scope) -> None:
    for error in () if scope.deleted else unusable_rules(scope.rules):
        log.warning("scope_rule_unusable", scope_id=scope.scope_id, detail=error.message)


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
