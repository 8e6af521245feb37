"""Keys and memberships as they were a moment ago, so that not each call asks the database."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from scops.common.access.principal import Principal
from scops.common.runtime.clock import Clock
from scops.gateway.identity.api_key import ApiKey
from scops.gateway.identity.store import IdentityStore, Membership

# What is taken back counts that much longer, here and on every other replica.
RECENT = timedelta(seconds=2)
ENTRIES_MAX = 10_000
USE_NOTED_EVERY = timedelta(minutes=1)
PERSON_NOTED_EVERY = timedelta(minutes=10)
K = TypeVar("K")
V = TypeVar("V")


class _Recent(Generic[K, V]):
    """Values by key with their age; all go when there are too many."""

    def __init__(self, lasts: timedelta) -> None:
        self._lasts = lasts
        self._held: dict[K, tuple[datetime, V]] = {}

    async def get(self, key: K, now: datetime, load: Callable[[], Awaitable[V]]) -> V:
        """Returns a value that is recent, loaded where it is not."""
        known = self._held.get(key)
        if known is not None and abs(now - known[0]) < self._lasts:
            return known[1]
        value = await load()
        self.put(key, now, value)
        return value

    def put(self, key: K, now: datetime, value: V) -> None:
        """Keeps a value."""
        if len(self._held) >= ENTRIES_MAX:
            self._held.clear()
        self._held[key] = (now, value)

    def has(self, key: K, now: datetime, value: V) -> bool:
        """Returns whether this value is recent."""
        known = self._held.get(key)
        return known is not None and known[1] == value and abs(now - known[0]) < self._lasts


class RecentIdentity:
    """What the authenticator asks of the store, at most two seconds old."""

    def __init__(self, store: IdentityStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._keys = _Recent[str, ApiKey | None](RECENT)
        self._memberships = _Recent[Principal, Membership](RECENT)
        self._used = _Recent[str, bool](USE_NOTED_EVERY)
        self._people = _Recent[str, Principal](PERSON_NOTED_EVERY)

    async def key(self, key_id: str) -> ApiKey | None:
        """Returns a key, one that has ended too; None for one that is unknown."""
        return await self._keys.get(key_id, self._clock.now(), lambda: self._store.key(key_id))

    async def membership(self, principal: Principal) -> Membership:
        """Returns what is kept of a principal."""
        now = self._clock.now()
        return await self._memberships.get(
            principal, now, lambda: self._store.membership(principal, now=now)
        )

    async def note_use(self, key: ApiKey) -> None:
        """Records that a key was used, to the minute."""
        now = self._clock.now()
        if not self._used.has(key.key_id, now, True):
            await self._store.note_use(key.key_id, now=now)
            self._used.put(key.key_id, now, True)

    async def note_person(self, principal: Principal) -> None:
        """Records who came in by a token, with address and groups."""
        now = self._clock.now()
        if not self._people.has(principal.principal_id, now, principal):
            await self._store.note_person(principal, now=now)
            self._people.put(principal.principal_id, now, principal)
