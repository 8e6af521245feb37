"""Pages that showed again what the index has: recorded many at a time, with one event.

What is not as plain is named, so that it comes again alone and is placed like any observation.
"""

from collections.abc import Sequence

from scops.change_detector import metrics
from scops.change_detector.ports import ChangeDetectorPorts
from scops.common.bus.ports import Cause
from scops.common.contract.messages.change import VersionsVerified
from scops.common.contract.messages.crawl import PagesVerified


async def handle_pages_verified(
    event: PagesVerified, cause: Cause, ports: ChangeDetectorPorts
) -> Sequence[VersionsVerified]:
    """Records that texts were seen again; a redelivery finds them recorded and says the same."""
    versions = tuple(await ports.seen_pages.record(event.pages))
    recorded = {version.fetch_id for version in versions}
    metrics.count_verified(len(versions))
    return (
        VersionsVerified(
            versions=versions,
            unsettled_fetch_ids=tuple(
                seen.fetch_id for seen in event.pages if seen.fetch_id not in recorded
            ),
        ),
    )
