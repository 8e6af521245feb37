"""Purges: the fetcher finds the pages that are meant, lets go of its part, and tells of them.

It mints pages and knows every name of each, so that nobody else has to decide who is meant.
"""

from collections.abc import Sequence
from typing import Any

from scops.common.bus.ports import Cause
from scops.common.contract.messages.purge import (
    PurgePages,
    PurgePreviewRequest,
    PurgePreviewResponse,
)
from scops.fetcher.ports.fetcher import FetcherPorts


async def handle_purge_pages(
    command: PurgePages, cause: Cause, ports: FetcherPorts
) -> Sequence[Any]:
    """Takes up a purge; one that is known changes nothing, a later attempt begins anew."""
    await ports.purges.accept(command, organisation_id=cause.organisation_id, now=ports.clock.now())
    return ()


async def purge_preview(request: PurgePreviewRequest, ports: FetcherPorts) -> PurgePreviewResponse:
    """Returns which of some pages a purge would cover, and what it would drop of them here."""
    return await ports.purges.preview(request, organisation_id=ports.organisation_id)


async def purge_some(ports: FetcherPorts) -> bool:
    """Goes on with a purge; returns whether there may be more to do."""
    if not await ports.purges.step(now=ports.clock.now()):
        return False
    await ports.purges.scrub()
    return True
