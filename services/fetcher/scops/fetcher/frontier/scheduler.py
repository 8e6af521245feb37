"""The scheduler's step: lease what is next, do it, record it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from scops.common.contract.errors import TransientError
from scops.common.contract.service_table import Lane, Role
from scops.fetcher.discovery.sitemap_read import read_task
from scops.fetcher.fetch.page_fetch import fetch_page
from scops.fetcher.frontier.leases import Idle, Leased, LeaseLost, Settled, TaskLease
from scops.fetcher.ports.fetcher import Ports

BOTH_LANES = (Lane.NOW, Lane.BULK)
DOWNSTREAM = (Role.EXTRACTOR, Role.CHANGE_DETECTOR, Role.INDEXER)


class StepKind(StrEnum):
    """What a step did."""

    PAGE = "page"
    SITEMAP = "sitemap"
    # Rows ended without a request.
    SETTLED = "settled"
    # The lease ran out under our hands; the page waits again.
    LOST = "lost"
    IDLE = "idle"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchStep:
    """What a step did.

    Attributes:
        host_key: the host that was asked; empty where none was.
        next_time: when an idle frontier has work again by itself; None if it has none.
    """

    kind: StepKind
    host_key: str = ""
    next_time: datetime | None = None


async def fetch_next(ports: Ports, *, lanes: Sequence[Lane] = BOTH_LANES) -> FetchStep:
    """Does the next thing that politeness allows: lane `now` first, then what is oldest due.

    The lease is committed before any request is sent; what the request brings is recorded in
    one transaction with its event.

    Raises:
        TransientError: state or archive do not answer; the page waits again.
    """
    return await work_on(await lease_next(ports, lanes=lanes), ports)


async def lease_next(ports: Ports, *, lanes: Sequence[Lane] = BOTH_LANES) -> Leased:
    """Takes what is next, without doing it; crawls wait while a stage downstream is behind."""
    return (await lease_some(ports, lanes=lanes, count=1))[0]


async def lease_some(
    ports: Ports, *, lanes: Sequence[Lane] = BOTH_LANES, count: int
) -> Sequence[Leased]:
    """Takes what is next on up to `count` hosts; see `Frontier.lease_some` for what comes back."""
    if Lane.BULK in lanes and await _is_congested(ports):
        lanes = tuple(lane for lane in lanes if lane is not Lane.BULK)
    lease_ids = [ports.new_id() for _ in range(count)]
    return await ports.frontier.lease_some(lanes=lanes, lease_ids=lease_ids, now=ports.clock.now())


async def work_on(leased: Leased, ports: Ports) -> FetchStep:
    """Does what was leased, and records what came of it."""
    if isinstance(leased, Idle):
        return FetchStep(kind=StepKind.IDLE, next_time=leased.next_time)
    if isinstance(leased, Settled):
        return FetchStep(kind=StepKind.SETTLED)
    host_key = leased.host.host_key
    try:
        if isinstance(leased, TaskLease):
            await read_task(leased, ports)
            return FetchStep(kind=StepKind.SITEMAP, host_key=host_key)
        await fetch_page(leased, ports)
    except LeaseLost:
        return FetchStep(kind=StepKind.LOST, host_key=host_key)
    return FetchStep(kind=StepKind.PAGE, host_key=host_key)


async def _is_congested(ports: Ports) -> bool:
    """Says whether a stage downstream is behind, or cannot be asked."""
    try:
        for role in DOWNSTREAM:
            if await ports.backlog(role) > ports.settings.pending_max:
                return True
    except TransientError:
        return True
    return False
