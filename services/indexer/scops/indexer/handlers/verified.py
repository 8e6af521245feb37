"""Versions that were seen again: the verified times of their heads move, many with one event.

Nothing is recorded of the answer: a redelivery finds each head at its version, or beyond it, and
what stands elsewhere by then is looked at alone.
"""

from collections.abc import Sequence

from scops.common.bus.ports import Cause
from scops.common.contract.messages.change import VersionsVerified
from scops.common.contract.messages.index import HeadsVerified
from scops.indexer import metrics
from scops.indexer.ports import IndexerPorts


async def handle_versions_verified(
    event: VersionsVerified, cause: Cause, ports: IndexerPorts
) -> Sequence[HeadsVerified]:
    """Renews the verified times of heads, and names the pages that need a verdict."""
    standing = await ports.rows.verify(event.versions)
    verified = tuple(version.fetch_id for version in standing)
    metrics.count_verified(len(verified))
    others = set(verified)
    missed = (each.fetch_id for each in event.versions if each.fetch_id not in others)
    return (
        HeadsVerified(
            fetch_ids=verified, unsettled_fetch_ids=(*event.unsettled_fetch_ids, *missed)
        ),
    )
