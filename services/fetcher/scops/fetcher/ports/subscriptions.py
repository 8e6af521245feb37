"""Subscriptions at hubs: which listings of which scopes, and how far each has come."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import ScopeRef
from scops.fetcher.discovery.hubs import NamedHub
from scops.fetcher.discovery.listing import Listing
from scops.fetcher.frontier.leases import TaskLease

SUBSCRIPTIONS_MAX = 100
"""Of a scope; of its other listings no hub is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A listing of a scope at a hub.

    Attributes:
        subscription_id: stands in the address that the hub calls, and cannot be guessed.
        listing_url: canonical.
        topic_url: as the hub knows the listing.
        secret: signs what the hub delivers.
        wanted: False where the hub is to deliver no more.
        attempts: requests in a row that led to no confirmation.
        asked_time: of the last request; None before the first.
        lease_until: until when the hub delivers; None where it has not confirmed.
    """

    subscription_id: str
    organisation_id: str
    scope_id: ScopeId
    listing_url: str
    hub_url: str
    topic_url: str
    secret: str = field(repr=False)
    wanted: bool
    attempts: int
    asked_time: datetime | None
    lease_until: datetime | None

    @property
    def scope(self) -> ScopeRef:
        """The scope, in whichever revision is the newest."""
        return ScopeRef(scope_id=self.scope_id)

    def delivers(self, now: datetime) -> bool:
        """Says whether what the hub delivers now is taken."""
        return self.wanted and self.lease_until is not None and now < self.lease_until


class Subscriptions(Protocol):
    """Keeps subscriptions; each call is one transaction. May raise `StoreUnavailable`."""

    async def named(self, lease: TaskLease, hub: NamedHub | None, *, now: datetime) -> None:
        """Notes which hub a listing names that was read for a crawl; None where it names none.

        Another hub or topic than before is another subscription; one that is not named any more
        is to be ended.
        """
        ...

    async def seen(self, lease: TaskLease, *, now: datetime) -> None:
        """Notes that a crawl came across a listing, whether or not it could be read."""
        ...

    async def leave_dropped(self, *, now: datetime) -> int:
        """Ends those whose scope is deleted or has dropped the listing; returns how many.

        It has where it named the listing itself and does no more, or where a crawl was completed
        that did not come across it.
        """
        ...

    async def due(self, *, now: datetime, limit: int) -> Sequence[Subscription]:
        """Returns some whose hub is to be asked now, the oldest first."""
        ...

    async def begin(self, one: Subscription, *, due_time: datetime, now: datetime) -> bool:
        """Notes a request before it is sent, and when to ask again should nothing come of it.

        Returns:
            False where another process was faster.
        """
        ...

    async def find(self, subscription_id: str) -> Subscription | None:
        """Returns a subscription."""
        ...

    async def confirm(
        self, one: Subscription, *, lease_until: datetime, due_time: datetime
    ) -> None:
        """Notes until when the hub delivers, and when to ask it to go on."""
        ...

    async def deny(self, one: Subscription, *, due_time: datetime) -> None:
        """Notes that the hub does not deliver, and when to ask it again."""
        ...

    async def drop(self, one: Subscription) -> None:
        """Forgets a subscription that has ended."""
        ...

    async def changed(
        self, one: Subscription, listing: Listing, *, limit: int, now: datetime
    ) -> tuple[str, ...]:
        """Returns the first pages of a listing that may have changed since they were fetched."""
        ...
