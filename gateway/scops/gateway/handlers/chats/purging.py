"""Chats let go of what was purged, and go when nothing was asked in them for long."""

from collections.abc import Sequence
from datetime import timedelta

from scops.common.bus.ports import Cause
from scops.common.contract.messages.purge import PagesPurged, PurgeApplied, PurgeCount
from scops.gateway.ports import GatewayPorts
from scops.gateway.purges.purge import CHATS

KIND, RESEARCH_KIND = "chat_turns", "researches"
FORGOTTEN_AT_ONCE = 100


async def handle_pages_purged(
    event: PagesPurged, cause: Cause, ports: GatewayPorts
) -> Sequence[object]:
    """Takes what these pages said out of answers and researches, and notes that it is done."""
    of, pages, before = cause.organisation_id, event.page_ids, event.before_time
    turns = await ports.chats.purge(of, pages, before=before)
    runs = await ports.research.purge(of, pages, before=before)
    counts = ((KIND, turns), (RESEARCH_KIND, runs))
    now = ports.clock.now()
    report = PurgeApplied(
        purge_id=event.purge_id,
        attempt=event.attempt,
        batch=event.batch,
        owner=CHATS,
        counts=tuple(PurgeCount(kind=kind, count=count) for kind, count in counts if count),
        applied_time=now,
    )
    await ports.purges.note(report, now=now)
    return ()


async def forget_chats(ports: GatewayPorts, *, days: int) -> bool:
    """Deletes some of the chats and researches that have had their time.

    Returns:
        Whether there may be more.
    """
    before = ports.clock.now() - timedelta(days=days)
    chats = await ports.chats.forget(asked_before=before, limit=FORGOTTEN_AT_ONCE)
    runs = await ports.research.forget(created_before=before, limit=FORGOTTEN_AT_ONCE)
    return FORGOTTEN_AT_ONCE in (chats, runs)
