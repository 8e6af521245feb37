"""Pages that showed again what the index has: recorded many at a time, with one event.

What is not as plain is named, so that it comes again alone and is placed like any observation.
The event tells more of a page than the one that it follows: where it would be too long, several
do, each of the same pages however often the message comes.
"""

from collections.abc import Mapping, Sequence

from scops.change_detector import metrics
from scops.change_detector.ports import ChangeDetectorPorts
from scops.common.bus.ports import Cause
from scops.common.contract.gathered import gathered, page_bytes
from scops.common.contract.ids import FetchId
from scops.common.contract.messages.change import VerifiedVersion, VersionsVerified
from scops.common.contract.messages.crawl import ConfirmedPage, PagesVerified


async def handle_pages_verified(
    event: PagesVerified, cause: Cause, ports: ChangeDetectorPorts
) -> Sequence[VersionsVerified]:
    """Records that texts were seen again; a redelivery finds them recorded and says the same."""
    versions = await ports.seen_pages.record(event.pages)
    metrics.count_verified(len(versions))
    recorded = {version.fetch_id: version for version in versions}
    parts = gathered(event.pages, lambda seen: page_bytes(seen.canonical_url))
    return [_told(part, recorded) for part in parts]


def _told(
    pages: Sequence[ConfirmedPage], recorded: Mapping[FetchId, VerifiedVersion]
) -> VersionsVerified:
    # Named twice, a page is told of once.
    named = dict.fromkeys(seen.fetch_id for seen in pages)
    return VersionsVerified(
        versions=tuple(recorded[name] for name in named if name in recorded),
        unsettled_fetch_ids=tuple(seen.fetch_id for seen in pages if seen.fetch_id not in recorded),
    )
