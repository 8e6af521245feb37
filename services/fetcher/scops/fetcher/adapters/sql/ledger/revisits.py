"""What a crawl looks at again of the last one of its scope, some pages in a transaction.

A page that nothing links to any more changes and vanishes all the same. Pages that the rules or
the limits no longer hold are left out in silence: nobody asked for them by name.

A row of `revisit` says how far it has come, and the job's `revisits` that there is one: until it
is through, the job goes on. Who works on a row holds its job's.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum

from sqlalchemy import bindparam, delete, func, select, update

from scops.common.contract.messages.crawl import JobState
from scops.fetcher.adapters.sql.ledger.admitting import admit_urls
from scops.fetcher.adapters.sql.ledger.jobs import CRAWL, JOB, is_ending, report_job
from scops.fetcher.adapters.sql.tables import job, job_page, page, revisit
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.ports.ledger import NewJob

# Pages taken up in a transaction; others have their turn between two of them.
REVISITED_AT_ONCE = 500
ANY_DEPTH = 2**31 - 1
# Pages that a crawl looks at again although nothing may link to them.
STANDING = ("fetched", "unmodified", "failed")
LINKS_KEPT = timedelta(days=7)
"""How long crawls rest on one that took up all links itself, for each of them looks again at pages
that are gone, whether or not something links to them still."""


class Stage(IntEnum):
    """Which pages are taken up, in this order."""

    STANDING = 0
    # Where the limit does not leave room for all: of the first depth that does not fit as a whole.
    STANDING_DEEP = 1
    # Pages that are as they were may link to one that is gone, and do not give it again.
    ALL = 2


_OF_JOB = job_page.c.job_id == bindparam("of_job")
_STANDS = page.c.status.in_(STANDING) & page.c.last_observed_time.is_not(None)
_PAGES = job_page.join(page, page.c.page_id == job_page.c.page_id)
# By the primary key, so that however long the list is, each part of it is read once.
_NEXT_ROWS = (
    select(
        job_page.c.page_id,
        job_page.c.depth,
        page.c.canonical_url,
        page.c.last_observed_time,
        _STANDS.label("stands"),
    )
    .select_from(job_page.outerjoin(page, page.c.page_id == job_page.c.page_id))
    .where(_OF_JOB, job_page.c.page_id > bindparam("after"))
    .order_by(job_page.c.page_id)
    .limit(bindparam("at_most"))
)
_STANDING_BY_DEPTH = (
    select(job_page.c.depth, func.count().label("pages"))
    .select_from(_PAGES)
    .where(_OF_JOB, _STANDS)
    .group_by(job_page.c.depth)
    .order_by(job_page.c.depth)
)
_REVISITS = (
    update(job)
    .where(job.c.job_id == bindparam("of_job"))
    .values(revisits=bindparam("is_at_it"))
    .returning(*job.c)
)
RESTS = (
    update(job)
    .where(job.c.job_id == bindparam("of_job"))
    .values(rests_on=bindparam("base"), links_time=bindparam("base_time"))
)
NEXT_TO_TAKE_UP = select(revisit.c.job_id).order_by(revisit.c.turn_time, revisit.c.job_id).limit(1)
_LAST = select(job).where(job.c.job_id == bindparam("of_job"))
_REVISIT = select(revisit).where(revisit.c.job_id == bindparam("of_job"))
_SET_REVISIT = update(revisit).where(revisit.c.job_id == bindparam("of_job"))
_END_REVISIT = delete(revisit).where(revisit.c.job_id == bindparam("of_job"))


async def last_crawl(tx: Transaction, new: NewJob) -> Row | None:
    """Returns the newest crawl of a job's scope that has pages, and all that it looks at again."""
    return await tx.first(
        select(job)
        .where(
            job.c.organisation_id == new.organisation_id,
            job.c.scope_id == new.scope.scope_id,
            job.c.kind == CRAWL,
            job.c.job_id != new.job_id,
            job.c.admitted_count > 0,
            ~select(revisit.c.job_id).where(revisit.c.job_id == job.c.job_id).exists(),
        )
        .order_by(job.c.accepted_time.desc(), job.c.job_id.desc())
        .limit(1)
    )


def may_rest_on(tx: Transaction, last: Row, key: str) -> bool:
    """Says whether what a crawl was given of links still holds: it is whole, and not old."""
    same_rules = bool(key) and last.rules_key == key
    recent = last.links_time is not None and abs(tx.now - last.links_time) < LINKS_KEPT
    return last.state == JobState.COMPLETED and same_rules and recent


async def begin_revisit(tx: Transaction, job_id: str, last: Row) -> None:
    """Takes up the first pages of a scope's last crawl; `take_up` does the others."""
    row = await tx.first(_REVISITS, of_job=job_id, is_at_it=True)
    assert row is not None
    values = {
        "job_id": job_id,
        "base_job_id": last.job_id,
        "stage": int(Stage.STANDING),
        "after_page_id": "",
        "depth_first": await _depth_first(tx, row, last),
        "standing": 0,
        "whole": True,
        "begin_time": tx.now,
        "turn_time": tx.now,
    }
    await tx.execute(revisit.insert(), **values)
    await take_up(tx, job_id)


async def take_up(tx: Transaction, job_id: str) -> None:
    """Takes up some pages of the stage that a job is in; where it ends, also of the next one."""
    row = await tx.first(JOB, of_job=job_id)
    state = await tx.first(_REVISIT, of_job=job_id)
    if row is None or state is None:
        # Another process was quicker.
        return
    last = await tx.first(_LAST, of_job=state.base_job_id)
    is_full = not state.whole and row.admitted_count >= row.page_limit
    if last is None or is_ending(row) or is_full:
        await _end(tx, job_id)
        return
    rows = await tx.all(
        _NEXT_ROWS, of_job=last.job_id, after=state.after_page_id, at_most=REVISITED_AT_ONCE
    )
    is_cut = state.stage == Stage.STANDING_DEEP
    wanted = [found for found in rows if _is_wanted(found, state)]
    done = _Progress(
        whole=await _admit(tx, job_id, wanted) and state.whole and not is_cut,
        standing=state.standing + (0 if state.stage == Stage.ALL else len(wanted)),
    )
    if len(rows) == REVISITED_AT_ONCE:
        await _note(tx, job_id, done, stage=state.stage, after=rows[-1].page_id)
    elif state.stage == Stage.STANDING and state.depth_first < ANY_DEPTH:
        await _note(tx, job_id, done, stage=Stage.STANDING_DEEP, after="")
        await take_up(tx, job_id)
    elif state.stage != Stage.ALL and await _may_take_rest(tx, job_id, last, done):
        await _note(tx, job_id, done, stage=Stage.ALL, after="")
        await take_up(tx, job_id)
    else:
        if state.stage == Stage.ALL:
            base = last.job_id if done.whole else None
            await tx.execute(RESTS, of_job=job_id, base=base, base_time=last.links_time)
        await _end(tx, job_id)


async def _depth_first(tx: Transaction, row: Row, last: Row) -> int:
    """Returns down to which depth all pages that stand fit, so that the nearest are held."""
    if last.admitted_count <= row.page_limit:
        return ANY_DEPTH
    room = row.page_limit - row.admitted_count
    for found in await tx.all(_STANDING_BY_DEPTH, of_job=last.job_id):
        if found.pages > room:
            return int(found.depth) - 1
        room -= found.pages
    return ANY_DEPTH


@dataclass(frozen=True, slots=True)
class _Progress:
    """What is known of the pages so far.

    Attributes:
        whole: all of them are in.
        standing: how many still stand.
    """

    whole: bool
    standing: int


def _is_wanted(found: Row, state: Row) -> bool:
    if found.canonical_url is None:
        return False
    if state.stage == Stage.ALL:
        # Of those that stand, all are in but what came to stand again behind the mark.
        return not found.stands or bool(found.last_observed_time >= state.begin_time)
    if state.stage == Stage.STANDING:
        return bool(found.stands and found.depth <= state.depth_first)
    return bool(found.stands and found.depth == state.depth_first + 1)


async def _admit(tx: Transaction, job_id: str, wanted: Sequence[Row]) -> bool:
    """Adds pages at the depth they were found, nearest first; returns whether all are in."""
    by_depth: dict[int, dict[str, None]] = defaultdict(dict)
    for found in sorted(wanted, key=lambda one: (one.depth, one.canonical_url)):
        by_depth[found.depth][found.canonical_url] = None
    whole = True
    for depth, urls in by_depth.items():
        admitted = await admit_urls(tx, job_id, list(urls), depth=depth)
        whole = whole and admitted.whole and not admitted.refused
    return whole


async def _may_take_rest(tx: Transaction, job_id: str, last: Row, done: _Progress) -> bool:
    """Says whether links need not be given again once the rest is in, which must leave room."""
    row = await tx.first(JOB, of_job=job_id)
    assert row is not None
    rest = last.admitted_count - done.standing
    has_room = 2 * rest <= row.page_limit - row.admitted_count
    return done.whole and has_room and may_rest_on(tx, last, row.rules_key)


async def _note(tx: Transaction, job_id: str, done: _Progress, *, stage: int, after: str) -> None:
    await tx.execute(
        _SET_REVISIT,
        of_job=job_id,
        stage=int(stage),
        after_page_id=after,
        standing=done.standing,
        whole=done.whole,
        turn_time=tx.now,
    )


async def _end(tx: Transaction, job_id: str) -> None:
    await tx.execute(_END_REVISIT, of_job=job_id)
    row = await tx.first(_REVISITS, of_job=job_id, is_at_it=False)
    assert row is not None
    if not is_ending(row):
        await report_job(tx, row)
