"""Where research runs are kept; every method is one transaction."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from scops.common.contract.ids import PageId, ScopeId
from scops.gateway.chats.chat import ChatId
from scops.gateway.requests.request_keys import RequestKey
from scops.gateway.research.keeping import ScopeKeeping
from scops.gateway.research.research import PassedPage, Research, ResearchId


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchFilter:
    """Whose runs are wanted.

    Attributes:
        before: id of a run; those created before it follow. Empty begins with the newest.
    """

    organisation_id: str
    principal_id: str
    before: str = ""


class ResearchStore(Protocol):
    """Runs with their pages and steps."""

    async def create(
        self, run: Research, *, key: RequestKey | None, open_max: int, is_own: bool = False
    ) -> Research:
        """Keeps a new run; the one that the key made before, where there is one.

        Args:
            is_own: whether its scope is kept as long as the run says, or a run before it, if that
                is longer.

        Raises:
            Conflict: the key was used for another request.
            QuotaReached: the owner has `open_max` runs that have not ended.
        """
        ...

    async def get(self, research_id: ResearchId) -> Research | None:
        """Returns a run."""
        ...

    async def of_chat(self, chat_id: ChatId) -> Research | None:
        """Returns the run whose answer a chat keeps."""
        ...

    async def newest(self, wanted: ResearchFilter, *, limit: int) -> tuple[Research, ...]:
        """Returns runs, newest first."""
        ...

    async def claim(self, *, now: datetime, until: datetime, limit: int) -> tuple[Research, ...]:
        """Takes runs that go on and that nobody works on, for nobody else before `until`."""
        ...

    async def save(self, run: Research, *, until: datetime | None) -> bool:
        """Keeps how far a run is, and claims it further, or lets go of it.

        Returns:
            Whether it still went on; if not, nothing is kept.
        """
        ...

    async def cancel(self, research_id: ResearchId, *, now: datetime) -> None:
        """Ends a run as cancelled; one that has ended stays."""
        ...

    async def delete(self, research_id: ResearchId) -> None:
        """Deletes a run; its scope and chat stay."""
        ...

    async def release(self) -> None:
        """Lets go of every claim."""
        ...

    async def wish(self, wanted: ScopeKeeping) -> bool:
        """Notes how long a scope is kept that is about to be made; returns whether it is new."""
        ...

    async def hold(
        self, organisation_id: str, scope_id: ScopeId, *, until: datetime
    ) -> ScopeKeeping | None:
        """Has a scope not be dropped for a while, unless that has begun; None where it is kept."""
        ...

    async def keepings(
        self, organisation_id: str, scope_ids: Collection[ScopeId]
    ) -> Mapping[ScopeId, ScopeKeeping]:
        """Returns which of some scopes are to be dropped."""
        ...

    async def due(self, *, now: datetime, limit: int) -> tuple[ScopeKeeping, ...]:
        """Returns scopes whose time is over and that nobody is dropping, oldest first."""
        ...

    async def begin_drop(self, due: ScopeKeeping, *, now: datetime, until: datetime) -> bool:
        """Takes a scope to be dropped, for nobody else before `until`.

        Returns:
            Whether it is to be dropped: none of its runs goes on, and its time is over.
        """
        ...

    async def end_drop(self, dropped: ScopeKeeping, *, now: datetime) -> None:
        """Notes in the runs of a scope that it was dropped; done again it changes nothing."""
        ...

    async def let_stand(self, kept: ScopeKeeping) -> None:
        """Has a scope kept for good, as far as its runs go."""
        ...

    async def fruitless(
        self, scope_id: ScopeId, *, now: datetime, remembered: timedelta
    ) -> Mapping[str, PassedPage]:
        """Returns by URL what runs of a scope fetched in vain and remember: no page was there."""
        ...

    async def purge(
        self, organisation_id: str, page_ids: Sequence[PageId], *, before: datetime
    ) -> int:
        """Takes the words of pages out of runs that began before; returns of how many."""
        ...

    async def forget(self, *, created_before: datetime, limit: int) -> int:
        """Deletes some runs that ended; returns how many."""
        ...
