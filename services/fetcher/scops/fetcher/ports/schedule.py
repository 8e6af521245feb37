"""When each page is due again.

Each method is one transaction, but for `pool`; see `scops.fetcher.ports`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.contract.ids import EventId, PageId
from scops.common.contract.messages.crawl import (
    PageRisk,
    PageSchedule,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCheck:
    """What a verdict says about a page.

    Attributes:
        observed_time: of the fetch.
        semantic: it has changed in meaning since the version before.
        closed: the page is gone.
        pipeline_changed: the text may differ for reasons of ours; whether the page changed is
            not known.
        late: an observation older than one already recorded.
    """

    page_id: PageId
    observed_time: datetime
    semantic: bool
    closed: bool
    pipeline_changed: bool
    late: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledChange:
    """A change that was taken for none when it came.

    Attributes:
        change_time: of the check that showed it first.
        changed_after_time: of the check before; None where none is known.
    """

    page_id: PageId
    change_time: datetime
    changed_after_time: datetime | None


class Schedule(Protocol):
    """When each page is due, and what was learned about it."""

    async def observe(self, checks: Mapping[EventId, PageCheck], *, now: datetime) -> None:
        """Learns from checks of different pages, once for each event, and plans the pages anew."""
        ...

    async def observe_unchanged(self, fetch_ids: Sequence[str], *, now: datetime) -> None:
        """Learns that fetches showed their pages as they were, and plans the pages anew.

        What was learned of a page already, or of a later fetch, stays.
        """
        ...

    async def settle(self, change: SettledChange, *, event_id: EventId, now: datetime) -> None:
        """Learns that a check found a change after all, once for each event, and plans anew."""
        ...

    async def cite(
        self, citations: Mapping[PageId, int], *, event_id: EventId, now: datetime
    ) -> None:
        """Counts citations of pages, once for each event, and plans them anew."""
        ...

    async def take_due(self, *, now: datetime) -> int:
        """Takes up the pages that are due and that the budgets pay for, a job for each scope.

        Returns:
            How many were taken up.
        """
        ...

    async def pool(self, *, now: datetime) -> None:
        """Sums up what all pages of a site, of all sites and of a budget have taught.

        It is a transaction for some pages at a time.
        """
        ...

    async def read(self, page_id: PageId, *, now: datetime) -> PageSchedule | None:
        """Returns a page's place in the recrawl; None before its first check."""
        ...

    async def risks(self, page_ids: Sequence[PageId], *, now: datetime) -> Sequence[PageRisk]:
        """Returns how likely pages have changed; those that nobody has checked are left out."""
        ...
