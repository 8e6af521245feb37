"""The fetches of one process: leased in batches, done side by side, and ended without leftovers.

A pool is so many slots for fetches of some lanes. One loop a pool leases for all its free slots
in one transaction, and each lease is a task of its own; so the frontier is asked once for what has
become free meanwhile, however many hosts there are.
"""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from scops.common.contract.service_table import Lane
from scops.common.observe.log import get_logger
from scops.common.runtime.gate import Gate
from scops.common.runtime.service import Loop
from scops.common.runtime.tasks import cancel_all
from scops.common.runtime.wakeup import Wakeup
from scops.fetcher.fetch.page_run import return_run
from scops.fetcher.frontier.leases import Idle, PageLease, PageRun, Release, Settled, TaskLease
from scops.fetcher.frontier.outcomes import Retry
from scops.fetcher.frontier.runs import RUN_PAGES_MAX
from scops.fetcher.frontier.scheduler import BOTH_LANES, lease_some, work_on
from scops.fetcher.frontier.wakeup import WakeupSignals
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.frontier import Failure, PageResult

log = get_logger(__name__)
SNAPSHOT_POLL_SECONDS = 0.1
# Longest sleep of an idle loop; new work wakes it at once.
IDLE_SECONDS_MAX = 5.0
# A transaction that leases for longer than this many hosts holds up everybody else.
LEASES_AT_ONCE_MAX = 32
# Fetches that hold no slot any more because only their result is to be recorded.
RECORDED_LATER_MAX = 8


@dataclass(slots=True)
class WorkerPool:
    """Slots for fetches.

    Attributes:
        wakeup: somebody queued work for these lanes, or a slot has become free.
        fetching: what is in hand, by lease.
        asking: see `WakeupSignals`.
        failure: of a fetch that ended with an error, until the loop has raised it.
    """

    lanes: tuple[Lane, ...]
    slots: int
    wakeup: Wakeup
    asking: set[str]
    fetching: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    failure: BaseException | None = None

    @property
    def free(self) -> int:
        """Slots that hold no fetch, or one whose host has answered."""
        asking = len(self.fetching.keys() & self.asking)
        # Bodies that wait for the disk are held in memory.
        return min(self.slots - asking, self.slots + RECORDED_LATER_MAX - len(self.fetching))


class Workers:
    """What the settings ask for: slots for both lanes, and some for the lane `now` alone."""

    def __init__(self, ports: FetcherPorts, signals: WakeupSignals) -> None:
        self._ports = ports
        self._signals = signals
        self._stopping = False
        # Shut while the process should lease nothing; fetches in hand go on.
        self._gate = Gate()
        settings = ports.settings
        self._general = WorkerPool(BOTH_LANES, settings.workers, signals.general, signals.asking)
        self._reserved = WorkerPool(
            (Lane.NOW,), settings.now_workers, signals.reserved, signals.asking
        )
        self._inherited = False
        self._inheriting = asyncio.Lock()
        # Loops that are leasing, and fetches in hand.
        self._busy = 0
        self._at_rest = asyncio.Event()
        self._at_rest.set()

    def loops(self) -> tuple[Loop, ...]:
        """Returns a loop a pool."""
        return (
            Loop(name="workers", run=partial(self._work, self._general), gate=self._gate),
            Loop(
                name="now-workers",
                run=partial(self._work, self._reserved),
                gate=self._gate,
                is_prompt=True,
            ),
        )

    async def finish(self) -> None:
        """Lets every fetch in hand end, and takes no more; when cancelled, breaks them off."""
        self._stopping = True
        self._gate.open()
        self._general.wakeup.notify()
        self._reserved.wakeup.notify()
        try:
            await self._at_rest.wait()
        except asyncio.CancelledError:
            # A loop that failed a moment ago is not there to do it.
            await cancel_all({*self._general.fetching.values(), *self._reserved.fetching.values()})
            raise

    async def _work(self, pool: WorkerPool) -> None:
        """Leases for ever; sleeps until a host or a slot is free, or work is queued."""
        scopes = self._ports.scopes
        while not (scopes.complete and scopes.vouched_before):
            await self._ports.clock.sleep(SNAPSHOT_POLL_SECONDS)
        try:
            await self._inherit()
            while await self._may_go_on():
                _raise_failure(pool)
                wait_until: datetime | None = datetime.max
                if pool.free:
                    wait_until = await self._lease(pool)
                if wait_until is not None:
                    await pool.wakeup.wait(self._sleep_seconds(wait_until))
        except asyncio.CancelledError:
            await cancel_all(set(pool.fetching.values()))
            raise

    async def _may_go_on(self) -> bool:
        """Waits until the checks pass; says whether there is still something to be taken on."""
        if not self._stopping:
            await self._gate.passed()
        return not self._stopping

    async def _inherit(self) -> None:
        """Lets go, once, of what dead processes of this data folder have left held."""
        async with self._inheriting:
            if not self._inherited:
                count = await self._ports.frontier.inherit(now=self._ports.clock.now())
                self._inherited = True
                if count:
                    log.info("leases_inherited", count=count)

    async def _lease(self, pool: WorkerPool) -> datetime | None:
        """Fills free slots; returns until when to sleep at most, None where there may be more."""
        self._note_busy(1)
        try:
            count = min(pool.free, LEASES_AT_ONCE_MAX)
            found = await lease_some(
                self._ports, lanes=pool.lanes, count=count, run_max=RUN_PAGES_MAX
            )
            for leased in found:
                if isinstance(leased, Idle):
                    return leased.next_time or datetime.max
                if not isinstance(leased, Settled):
                    self._begin(pool, leased)
        finally:
            self._note_busy(-1)
        return None

    def _begin(self, pool: WorkerPool, leased: PageLease | PageRun | TaskLease) -> None:
        task = asyncio.create_task(self._fetch(leased), name=f"fetch {leased.host.host_key}")
        lease_id = leased.host.lease_id
        pool.fetching[lease_id] = task
        pool.asking.add(lease_id)
        self._note_busy(1)
        task.add_done_callback(partial(self._ended, pool, lease_id))

    async def _fetch(self, leased: PageLease | PageRun | TaskLease) -> None:
        try:
            await work_on(leased, self._ports)
        except asyncio.CancelledError:
            await give_back(leased, self._ports)
            raise

    def _ended(self, pool: WorkerPool, lease_id: str, task: "asyncio.Task[None]") -> None:
        announced = lease_id not in pool.asking
        held_up = len(pool.fetching) >= pool.slots + RECORDED_LATER_MAX
        del pool.fetching[lease_id]
        pool.asking.discard(lease_id)
        self._note_busy(-1)
        if not task.cancelled():
            pool.failure = task.exception() or pool.failure
        if held_up or pool is self._reserved or pool.failure is not None:
            pool.wakeup.notify()
        if not announced:
            # The host is free again for crawls, also where a person's request held it.
            self._signals.general.notify()

    def _note_busy(self, change: int) -> None:
        self._busy += change
        if self._busy:
            self._at_rest.clear()
        else:
            self._at_rest.set()

    def _sleep_seconds(self, next_time: datetime) -> float:
        if next_time is datetime.max:
            return IDLE_SECONDS_MAX
        left = next_time - self._ports.clock.now()
        return min(left.total_seconds(), IDLE_SECONDS_MAX)


def _raise_failure(pool: WorkerPool) -> None:
    """Raises what a fetch failed with: the loop begins again after a while, the others go on."""
    failure, pool.failure = pool.failure, None
    if failure is not None:
        raise failure


async def give_back(leased: PageLease | PageRun | TaskLease, ports: FetcherPorts) -> None:
    """Frees a host whose request was broken off, and lets its page or sitemap wait again.

    The host may have been asked: its pause is counted from now.
    """
    now, host = ports.clock.now(), leased.host
    release = Release(
        next_allowed_time=now + timedelta(seconds=host.delay_seconds),
        backoff=host.backoff,
        response_seconds=host.response_seconds,
    )
    log.info("lease_given_back", host=host.host_key)
    if isinstance(leased, TaskLease):
        await ports.frontier.retry_task(leased, due_time=now, release=release, now=now)
        return
    if isinstance(leased, PageRun):
        await return_run(leased, ports, release=release)
        return
    failure = Failure(
        reason="STOPPED",
        detail="The fetcher was stopped before the answer had come.",
        decision=Retry(due_time=now),
        counts=False,
    )
    result = PageResult(lease=leased, time=now, what=failure)
    await ports.results.record([result], release=release, now=now)
