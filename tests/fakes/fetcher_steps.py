"""One step of the fetcher's scheduler at a time, as tests drive it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from scops.common.contract.service_table import Lane
from scops.fetcher.frontier.leases import Idle, Leased, Settled, TaskLease
from scops.fetcher.frontier.scheduler import BOTH_LANES, lease_some, work_on
from scops.fetcher.ports.fetcher import FetcherPorts


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
    """What a step did, to which host, and when an idle frontier has work again by itself."""

    kind: StepKind
    host_key: str = ""
    next_time: datetime | None = None


async def lease_next(ports: FetcherPorts, *, lanes: Sequence[Lane] = BOTH_LANES) -> Leased:
    """Takes what is next, without doing it."""
    return (await lease_some(ports, lanes=lanes, count=1))[0]


async def fetch_next(
    ports: FetcherPorts, *, lanes: Sequence[Lane] = BOTH_LANES, run_max: int = 1
) -> FetchStep:
    """Takes what is next, pages of a host together up to a number, and does it."""
    (leased, *_) = await lease_some(ports, lanes=lanes, count=1, run_max=run_max)
    if isinstance(leased, Idle):
        return FetchStep(kind=StepKind.IDLE, next_time=leased.next_time)
    if isinstance(leased, Settled):
        return FetchStep(kind=StepKind.SETTLED)
    held = await work_on(leased, ports)
    done = StepKind.SITEMAP if isinstance(leased, TaskLease) else StepKind.PAGE
    return FetchStep(kind=done if held else StepKind.LOST, host_key=leased.host.host_key)
