"""Watches, how far each has looked, and what was sent, as a port; a method is one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import NewsPlace
from scops.gateway.watches.watch import (
    AlertDelivery,
    DeliveryState,
    EndReason,
    PageFailure,
    Watch,
    WatchId,
    WatchTurn,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptOutcome:
    """How an attempt changes a delivery and its watch.

    Attributes:
        due_time: of the next attempt of an open one; else of the watch's next look.
        ends: why the watch ends with it.
        counts: whether the attempt counts as one of the receiver's.
    """

    state: DeliveryState
    at: datetime
    failure: str = ""
    due_time: datetime | None = None
    ends: EndReason = EndReason.NONE
    counts: bool = True


class WatchStore(Protocol):
    """Several gateways work on one."""

    async def create(self, watch: Watch, *, limit: int) -> bool:
        """Keeps a new watch; False where its owner has as many as `limit`, 0 being no bound."""
        ...

    async def get(self, watch_id: WatchId) -> Watch | None:
        """Returns a watch."""
        ...

    async def newest(
        self, organisation_id: str, principal_id: str, *, before: str, limit: int
    ) -> tuple[Watch, ...]:
        """Returns somebody's watches, newest first, before another one; empty begins."""
        ...

    async def change(self, watch: Watch, *, paused: bool | None, place: NewsPlace) -> Watch | None:
        """Stores what its owner may change, and returns it as it is then; None where it is gone.

        One that was paused looks on from the place given; one that had ended from where it was,
        and has attempted anew what was given up.

        Args:
            paused: whether it is to be; None leaves that.
        """
        ...

    async def delete(self, watch_id: WatchId) -> bool:
        """Deletes a watch with all that belongs to it; False where there is none."""
        ...

    async def waits_for_news(self) -> bool:
        """Returns whether any active watch looks at each change at once."""
        ...

    async def claim(
        self, *, now: datetime, until: datetime, newest: datetime | None, limit: int
    ) -> tuple[WatchTurn, ...]:
        """Takes active watches that are due, for nobody else before `until`.

        Args:
            newest: when the last news was recorded; who waits for news is due if behind it.
        """
        ...

    async def begin(self, delivery: AlertDelivery) -> bool:
        """Keeps a delivery, and moves its watch behind it; False where it has moved already."""
        ...

    async def pass_by(self, watch: Watch, place: NewsPlace, *, due_time: datetime | None) -> None:
        """Moves a watch behind news that it does not tell of, unless it has moved already."""
        ...

    async def postpone(self, watch_id: WatchId, *, due_time: datetime, failure: str = "") -> None:
        """Has a watch taken up again later.

        Args:
            failure: why, for its owner; of its open delivery.
        """
        ...

    async def settle(self, delivery: AlertDelivery, outcome: AttemptOutcome) -> None:
        """Records an attempt; a delivery that has been settled meanwhile stays."""
        ...

    async def end(self, watch_id: WatchId, reason: EndReason, *, at: datetime) -> None:
        """Ends a watch by itself."""
        ...

    async def deliveries(self, watch_id: WatchId, *, limit: int) -> tuple[AlertDelivery, ...]:
        """Returns the newest deliveries of a watch."""
        ...

    async def note_failure(self, failure: PageFailure) -> bool:
        """Keeps a failure where an active watch tells of such; once a day for one reason."""
        ...

    async def newest_failure(self, organisation_id: str) -> datetime | None:
        """Returns when the last failure was recorded."""
        ...

    async def failures(
        self,
        organisation_id: str,
        *,
        after: datetime,
        until: datetime,
        page_id: PageId | None,
        limit: int,
    ) -> Sequence[PageFailure]:
        """Returns failures that were recorded behind an instant, in that order."""
        ...

    async def release(self) -> None:
        """Lets go of every claim: their holder is known not to live."""
        ...

    async def forget(self, *, before: datetime, limit: int) -> int:
        """Forgets deliveries that ended, and failures recorded, before an instant.

        Returns:
            How many of the one or the other, whichever are more; as many as the limit means that
            there may be more.
        """
        ...
