"""A purge as it is recorded: what was asked for, by whom, and what its owners have reported."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from scops.common.bus.ports import Outgoing
from scops.common.contract.ids import PageId, PurgeId, ScopeId, event_id
from scops.common.contract.messages.purge import (
    PurgeApplied,
    PurgeCount,
    PurgePages,
    PurgeSelector,
)
from scops.common.contract.service_table import Lane, Role
from scops.common.scope.selection import selects

# In the order in which they take their turns; the fetcher says how many batches there are.
FETCHER, CHATS = "fetcher", "chats"
OWNERS = (FETCHER, "change-detector", "index", "archive", CHATS)


class PurgeState(StrEnum):
    """How far a purge has got."""

    RUNNING = "running"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerProgress:
    """What an owner of a part has dropped so far."""

    owner: str
    done: bool
    counts: tuple[PurgeCount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """An accepted purge.

    Attributes:
        scope_id: the scope whose rules are in the selector; empty for none.
        before_time: what was observed before it goes; never later than `created_time`, the mark.
        attempt: how often its command was sent, from 1.
        sent_time: when it was last sent, or last heard of.
    """

    purge_id: PurgeId
    organisation_id: str
    principal: str
    selector: PurgeSelector
    scope_id: ScopeId
    before_time: datetime
    reason: str
    created_time: datetime
    sent_time: datetime
    attempt: int = 1
    finished_time: datetime | None = None
    progress: tuple[OwnerProgress, ...] = ()

    @property
    def state(self) -> PurgeState:
        """Whether every owner has dropped its part."""
        return PurgeState.RUNNING if self.finished_time is None else PurgeState.DONE

    def covers(self, page_id: PageId, url: str, *, observed: datetime | None) -> bool:
        """Returns whether something of a page is purged.

        Args:
            observed: when it was last known to stand; None where nobody knows.
        """
        is_old = observed is None or observed < self.before_time
        return is_old and selects(self.selector, page_id=page_id, canonical_url=url, names=())


def start_command(purge: Purge) -> Outgoing:
    """Returns the command that starts a purge."""
    # Sent again after a loss, it is a new message.
    cause = f"{purge.purge_id}:{purge.attempt}"
    return Outgoing(
        message=PurgePages(
            purge_id=purge.purge_id,
            attempt=purge.attempt,
            selector=purge.selector,
            before_time=purge.before_time,
            until_taken=purge.before_time >= purge.created_time,
        ),
        event_id=event_id(Role.GATEWAY, cause, 0),
        organisation_id=purge.organisation_id,
        lane=Lane.NOW,
    )


def with_progress(purge: Purge, reports: Sequence[PurgeApplied]) -> Purge:
    """Returns a purge with what its owners have reported for its newest attempt."""
    mine = [report for report in reports if report.attempt == purge.attempt]
    batches = next((r.batch for r in mine if r.owner == FETCHER and r.last), None)
    progress = tuple(_progress(owner, mine, batches) for owner in OWNERS)
    return replace(purge, progress=progress)


def is_done(purge: Purge) -> bool:
    """Returns whether every owner has reported everything."""
    return bool(purge.progress) and all(one.done for one in purge.progress)


def _progress(owner: str, reports: Sequence[PurgeApplied], batches: int | None) -> OwnerProgress:
    told = [report for report in reports if report.owner == owner]
    wanted = 1 if owner == FETCHER else batches
    counts: dict[str, int] = {}
    for report in told:
        for one in report.counts:
            counts[one.kind] = counts.get(one.kind, 0) + one.count
    return OwnerProgress(
        owner=owner,
        done=batches is not None and len(told) == wanted,
        counts=tuple(PurgeCount(kind=kind, count=count) for kind, count in counts.items()),
    )
