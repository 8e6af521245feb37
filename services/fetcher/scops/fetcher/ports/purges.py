"""Purges as the fetcher carries them out: it knows every page, and finds those that are meant."""

from datetime import datetime
from typing import Protocol

from scops.common.contract.messages.purge import (
    PurgePages,
    PurgePreviewRequest,
    PurgePreviewResponse,
)


class PurgeWalk(Protocol):
    """Purges that are under way; what they drop goes with the events that tell of it."""

    async def accept(self, command: PurgePages, *, organisation_id: str, now: datetime) -> None:
        """Records a purge; one that is known changes nothing, a later attempt begins anew."""
        ...

    async def step(self, *, now: datetime) -> bool:
        """Drops what was observed of some more pages; returns whether there may be more to do."""
        ...

    async def preview(
        self, request: PurgePreviewRequest, *, organisation_id: str
    ) -> PurgePreviewResponse:
        """Returns which of some pages a purge would cover, and what it would drop of them."""
        ...

    async def scrub(self) -> None:
        """Leaves nothing of deleted rows on the disk, as far as the database can be told to."""
        ...

    async def forget(self, *, now: datetime) -> None:
        """Forgets purges that were done longer ago than any command can come again."""
        ...
