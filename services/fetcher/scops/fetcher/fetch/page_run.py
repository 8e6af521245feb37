"""Fetches the pages of a run in turn, and records them together."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from scops.common.contract.errors import StoreBusy, StoreRefusal
from scops.common.observe.log import get_logger
from scops.common.observe.trail import Trail, current
from scops.fetcher.fetch.page_fetch import (
    answer_of,
    judged,
    new_blob,
    record_alone,
    release_after,
    visit_of,
    watched,
    what_came,
)
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.frontier.leases import HostLease, LeaseLost, PageLease, PageRun, Release
from scops.fetcher.frontier.outcomes import Ending
from scops.fetcher.frontier.runs import BYTES_MAX, PAUSE_SECONDS_MAX, RUN_SECONDS
from scops.fetcher.metrics import BODY_BYTES
from scops.fetcher.politeness.politeness import untouched
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.frontier import KeptBody, PageResult
from scops.fetcher.ports.page_source import Fetched, FetchResult

log = get_logger("fetcher.run")


@dataclass(frozen=True, slots=True)
class _Body:
    """A body that is not in the archive yet, with when it came and what its effects inherit."""

    lease: PageLease
    time: datetime
    answer: Fetched
    trail: Trail = field(default_factory=current)


@dataclass(slots=True)
class _Course:
    """How far a run has come.

    Attributes:
        host: the lease, with how the host is left by what was sent so far.
        started: when its first page was begun.
        begun: how many pages have been begun.
        last: the visit of the newest page.
        results: by the order of the answers.
        bodies: those that are not in the archive yet.
    """

    host: HostLease
    release: Release
    started: datetime
    begun: int = 0
    last: Visit | None = None
    results: list[PageResult] = field(default_factory=list)
    bodies: list[_Body] = field(default_factory=list)


async def fetch_run(run: PageRun, ports: FetcherPorts) -> None:
    """Fetches pages until the run ends, frees the host, and records them in one transaction.

    Pages that it does not come to wait again. It ends when a person wants something of the host,
    when the host is to rest for longer, or when its time is up. What was answered before an error
    is recorded; a page that was begun and fails with a bug is given up by the watchdog, so that
    it counts as an attempt.

    Raises:
        LeaseLost: the host was taken over.
        TransientError: state or archive do not answer; all its pages wait again.
    """
    course = _Course(host=run.host, release=untouched(run.host), started=ports.clock.now())
    try:
        await _ask(run, course, ports)
    except StoreRefusal:
        await return_run(run, ports, release=course.release)
        raise
    except Exception:
        await _finish(run, course, ports)
        raise
    await _finish(run, course, ports)


async def return_run(run: PageRun, ports: FetcherPorts, *, release: Release) -> None:
    """Frees the host of a run, and lets those of its pages wait again that are not recorded."""
    now = ports.clock.now()
    await ports.results.record((), rest=run.pages, release=release, now=now)


async def _ask(run: PageRun, course: _Course, ports: FetcherPorts) -> None:
    """Asks for pages until the run is over."""
    for lease in run.pages:
        if course.begun and await _is_over(run, course, ports):
            return
        await _fetch(replace(lease, host=course.host), course, ports)


async def _is_over(run: PageRun, course: _Course, ports: FetcherPorts) -> bool:
    """Says whether the next page is left to another lease."""
    now = ports.clock.now()
    rests = max(course.release.next_allowed_time - now, timedelta())
    held = sum(len(body.answer.body) for body in course.bodies)
    if rests > timedelta(seconds=PAUSE_SECONDS_MAX) or held > BYTES_MAX:
        return True
    if now + rests - course.started > timedelta(seconds=RUN_SECONDS) or not ports.may_ask_hosts:
        return True
    left = [lease.page_id for lease in run.pages[course.begun :]]
    return await ports.frontier.is_wanted(run.host.host_key, page_ids=left, now=now)


async def _fetch(lease: PageLease, course: _Course, ports: FetcherPorts) -> None:
    visit = visit_of(lease, ports)
    if course.last is not None:
        visit.policies = {**course.last.policies, **visit.policies}
        visit.delay_seconds = course.last.delay_seconds
    course.begun += 1
    with watched(lease, ports) as note:
        answer = await _answer(lease, visit, course)
        note(answer)
        now = ports.clock.now()
        course.release = release_after(visit, answer, now)
        course.host = _left(course.host, course.release)
        course.last = visit
        seen = judged(lease, answer)
        if isinstance(seen, Fetched):
            course.bodies.append(_Body(lease, now, seen))
        else:
            what = await what_came(lease, visit, seen, now)
            course.results.append(PageResult(lease=lease, time=now, what=what))


async def _answer(lease: PageLease, visit: Visit, course: _Course) -> FetchResult | Ending:
    """Returns what came of a page; without an answer the host rests from now, if it was asked."""
    try:
        return await answer_of(lease, visit)
    except Exception as error:
        course.release = visit.release(None, visit.ports.clock.now())
        if isinstance(error, LeaseLost) and not visit.requested:
            # It waits where it stood.
            course.begun -= 1
        raise


def _left(host: HostLease, release: Release) -> HostLease:
    """Returns a lease as the next page of a run has it."""
    return replace(
        host,
        free_before=release.next_allowed_time,
        backoff=release.backoff,
        response_seconds=release.response_seconds,
    )


async def _finish(run: PageRun, course: _Course, ports: FetcherPorts) -> None:
    """Frees the host, and beside that keeps the bodies; then records what came.

    Raises:
        TransientError: state or archive do not answer; what is not recorded waits again.
    """
    freeing = asyncio.create_task(_free(run, course, ports))
    try:
        try:
            await _keep(course, ports)
        finally:
            await freeing
        await _record(run, course, ports)
    except StoreRefusal:
        await return_run(run, ports, release=course.release)
        raise


async def _free(run: PageRun, course: _Course, ports: FetcherPorts) -> None:
    """Frees the host, together with the pages that the run did not come to."""
    rest, now = run.pages[course.begun :], ports.clock.now()
    if rest:
        await ports.results.record((), rest=rest, release=course.release, now=now)
    else:
        await ports.frontier.give_back(run.host, release=course.release, now=now)


async def _keep(course: _Course, ports: FetcherPorts) -> None:
    """Puts the bodies into the archive, all at once."""
    if not course.bodies:
        return
    blobs = [new_blob(body.answer) for body in course.bodies]
    stored = await ports.archive.put_many(blobs, patient=True)
    for body, ref in zip(course.bodies, stored, strict=True):
        BODY_BYTES.inc(len(body.answer.body))
        kept = KeptBody(answer=body.answer, body=ref)
        course.results.append(
            PageResult(lease=body.lease, time=body.time, what=kept, trail=body.trail)
        )
    course.bodies.clear()
    course.results.sort(key=lambda result: result.time)


async def _record(run: PageRun, course: _Course, ports: FetcherPorts) -> None:
    """Records what came in one transaction; each page in its own where somebody is in the way."""
    if not course.results:
        return
    try:
        if await ports.results.record(course.results, release=None, now=ports.clock.now()):
            return
    except StoreBusy:
        log.info("run_gives_way", host=run.host.host_key)
    for result in course.results:
        await record_alone(result, ports, release=None, now=ports.clock.now())
