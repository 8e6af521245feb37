"""The workers of one process: each fetches for ever, and stops without leaving a host held."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial

from scops.common.contract import Lane
from scops.common.log import get_logger
from scops.common.service import Loop
from scops.fetcher.leases import Idle, PageLease, Release, Settled, TaskLease
from scops.fetcher.outcomes import Retry
from scops.fetcher.ports import Failure, Ports
from scops.fetcher.scheduler import BOTH_LANES, lease_next, work_on
from scops.fetcher.wakeup import Signals, Wakeup

log = get_logger(__name__)
SNAPSHOT_POLL_SECONDS = 0.1


class Workers:
    """What the settings ask for: workers of both lanes, and some of the lane `now` alone."""

    def __init__(self, ports: Ports, signals: Signals) -> None:
        self._ports = ports
        self._signals = signals
        self._stopping = False
        self._busy = 0
        self._at_rest = asyncio.Event()
        self._at_rest.set()

    def loops(self) -> tuple[Loop, ...]:
        """Returns the workers as loops."""
        settings, signals = self._ports.settings, self._signals
        general = partial(self._work, BOTH_LANES, signals.general)
        reserved = partial(self._work, (Lane.NOW,), signals.reserved)
        return (
            *(Loop(name=f"worker-{place}", run=general) for place in range(settings.workers)),
            *(
                Loop(name=f"now-worker-{place}", run=reserved)
                for place in range(settings.now_workers)
            ),
        )

    async def finish(self) -> None:
        """Lets every worker end what it has leased, and take no more."""
        self._stopping = True
        await self._at_rest.wait()

    async def _work(self, lanes: tuple[Lane, ...], own: Wakeup) -> None:
        """Fetches until it is to stop; sleeps until the next host is free, or work is queued."""
        while not self._ports.scopes.complete:
            await self._ports.clock.sleep(SNAPSHOT_POLL_SECONDS)
        last_host = ""
        while not self._stopping:
            with self._at_work():
                wait_until, last_host = await self._step(lanes, last_host)
            if wait_until is not None:
                await own.wait(self._sleep_seconds(wait_until))

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        self._busy += 1
        self._at_rest.clear()
        try:
            yield
        finally:
            self._busy -= 1
            if not self._busy:
                self._at_rest.set()

    async def _step(self, lanes: tuple[Lane, ...], last_host: str) -> tuple[datetime | None, str]:
        """Does one thing; returns until when to sleep at most, and the host that was asked."""
        signals = self._signals
        leased = await lease_next(self._ports, lanes=lanes)
        if isinstance(leased, Idle):
            return leased.next_time or datetime.max, ""
        if isinstance(leased, Settled):
            return None, last_host
        if leased.host.host_key != last_host:
            # Somebody else must set the alarm for the hosts that this worker leaves alone.
            signals.general.notify()
        try:
            step = await work_on(leased, self._ports)
        except asyncio.CancelledError:
            await give_back(leased, self._ports)
            raise
        if Lane.BULK not in lanes:
            # The host is free again for crawls, which this worker does not serve.
            signals.general.notify()
        return None, step.host_key

    def _sleep_seconds(self, next_time: datetime) -> float:
        longest = self._ports.settings.idle_seconds
        if next_time is datetime.max:
            return longest
        left = next_time - self._ports.clock.now()
        return min(left, timedelta(seconds=longest)).total_seconds()


async def give_back(leased: PageLease | TaskLease, ports: Ports) -> None:
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
    failure = Failure(
        reason="STOPPED",
        detail="The fetcher was stopped before the answer had come.",
        decision=Retry(due_time=now),
        counts=False,
    )
    await ports.results.record_failure(leased, failure, release=release, now=now)
