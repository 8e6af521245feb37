"""What the gateway's state must hold with two replicas, on SQLite and PostgreSQL."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import MetaData, select

from scops.common.access.principal import Principal
from scops.common.contract.errors import AlreadyExists, InvalidInput
from scops.common.contract.ids import JobId, ScopeId
from scops.common.contract.messages.crawl import JobCounts
from scops.common.contract.messages.types import ScopeRef
from scops.common.db.database import Database
from scops.gateway.adapters.sql.jobs import SqlJobs
from scops.gateway.adapters.sql.scopes import SqlScopes
from scops.gateway.adapters.sql.secrets import IDENTITY_KEY, secret_key
from scops.gateway.adapters.sql.tables import metadata, outbox
from scops.gateway.jobs.job import (
    BYTES_SPENT,
    SCOPE_DELETED,
    ApiJobState,
    Job,
    cancel_command,
    start_command,
)
from scops.gateway.ports import JobFilter
from scops.gateway.requests.request_keys import request_key
from scops.gateway.scopes.revisions import ScopeChange
from scops.gateway.scopes.stored_scope import StoredScope, new_scope, next_revision
from tests.fakes.worlds.gateway import docs_fields

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
MADE = ScopeChange(principal="ada", reason="as agreed")
ADA = Principal(principal_id="ada", organisation_id="main")
KEY = request_key(ADA, "0d9f2b5a-6f6e-4c0e-9b54-3f1c2f6d7a11", "arguments")
OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]
Stores = tuple[SqlScopes, SqlScopes, SqlJobs, SqlJobs, Database]


@pytest.fixture
async def stores(open_pair: OpenPair) -> Stores:
    """The stores of two replicas on one state."""
    first, second = await open_pair("gateway", metadata)
    jobs = [SqlJobs(database) for database in (first, second)]
    return SqlScopes(first), SqlScopes(second), jobs[0], jobs[1], first


def docs(name: str = "docs") -> StoredScope:
    scope = new_scope(ScopeId(name), docs_fields(), organisation_id="main", owner="ada")
    return StoredScope(scope=scope, created_time=AT, updated_time=AT)


def job(name: str = "job") -> Job:
    return Job(
        job_id=JobId(name),
        organisation_id="main",
        owner="ada",
        scope=ScopeRef(scope_id=ScopeId("docs"), revision=1),
        urls=("https://docs.example.org/ü",),
        created_time=AT,
        sent_time=AT,
    )


async def sent(database: Database) -> list[str]:
    """Returns the types of the commands in the outbox, in order."""
    statement = select(outbox.c.message_type).order_by(outbox.c.position)
    async with database.reading() as connection:
        return [row.message_type for row in await connection.execute(statement)]


async def outcome(work: Awaitable[Any]) -> str:
    try:
        return str(await work)
    except AlreadyExists:
        return "taken"


async def test_an_id_is_given_to_one_of_two_scopes(stores: Stores) -> None:
    """Two replicas create one scope at once: one of them is told that it exists."""
    first, second, *_ = stores
    made = await asyncio.gather(
        outcome(first.create(docs(), key=None, now=AT, change=MADE)),
        outcome(second.create(docs(), key=None, now=AT, change=MADE)),
    )

    assert 1 == made.count("taken")
    assert await first.get("main", ScopeId("docs")) == docs()


async def test_one_revision_is_replaced_once(stores: Stores) -> None:
    """Of two changes to the same revision one is refused, and nothing of it is kept."""
    first, second, *_ = stores
    stored = await first.create(docs(), key=None, now=AT, change=MADE)
    changed = [
        replace(stored, scope=replace(next_revision(stored.scope), page_limit=limit))
        for limit in (1, 2)
    ]
    done = await asyncio.gather(
        first.replace(changed[0], expected_revision=1, change=MADE),
        second.replace(changed[1], expected_revision=1, change=MADE),
    )

    assert [False, True] == sorted(done)
    assert await second.get("main", ScopeId("docs")) == changed[done.index(True)]


async def test_a_repeated_request_creates_one_job_and_one_command(stores: Stores) -> None:
    """A caller that repeats itself to two replicas at once gets the same job from both."""
    _, _, first, second, database = stores
    jobs = [job("one"), job("two")]
    got = await asyncio.gather(
        first.accept(jobs[0], start_command(jobs[0]), key=KEY),
        second.accept(jobs[1], start_command(jobs[1]), key=KEY),
    )

    assert got[0] == got[1]
    assert ["FetchPage"] == await sent(database)


async def test_a_request_id_of_another_request_is_refused(stores: Stores) -> None:
    """The id names what was asked, too."""
    _, _, first, second, _ = stores
    await first.accept(job(), start_command(job()), key=KEY)
    assert KEY is not None

    with pytest.raises(InvalidInput):
        await second.accept(job("two"), start_command(job("two")), key=replace(KEY, digest="x"))


async def test_a_deleted_scope_cancels_each_open_job_once(stores: Stores) -> None:
    """However deleting and cancelling meet, a job gets one cancellation."""
    scopes, _, first, second, database = stores
    stored = await scopes.create(docs(), key=None, now=AT, change=MADE)
    await first.accept(job(), start_command(job()), key=None)
    gone = replace(stored, scope=replace(next_revision(stored.scope), deleted=True))

    await asyncio.gather(
        scopes.replace(gone, expected_revision=1, change=MADE),
        second.request_cancel(job().job_id, cancel_command(job()), now=AT),
    )

    assert ["FetchPage", "CancelJob"] == await sent(database)
    assert (await second.open_jobs(after=JobId(""), limit=9))[0].cancel_requested


async def test_a_job_says_why_it_is_cancelled(stores: Stores) -> None:
    """The first reason stays, and a caller's is none."""
    scopes, _, first, second, _ = stores
    stored = await scopes.create(docs(), key=None, now=AT, change=MADE)
    names = ("by-caller", "by-quota", "by-scope")
    for name in names:
        await first.accept(job(name), start_command(job(name)), key=None)
    for name, reason in (("by-caller", ""), ("by-quota", BYTES_SPENT), ("by-quota", "")):
        await first.request_cancel(JobId(name), cancel_command(job(name)), now=AT, reason=reason)
    gone = replace(stored, scope=replace(next_revision(stored.scope), deleted=True))
    await scopes.replace(gone, expected_revision=1, change=MADE)
    found = [await second.get(JobId(name)) for name in names]

    assert ["", BYTES_SPENT, SCOPE_DELETED] == [one and one.cancel_reason for one in found]


async def test_late_news_never_overwrites_newer_ones(stores: Stores) -> None:
    """Counts move on by the ledger's time; a finished job stays finished."""
    _, _, first, second, _ = stores
    await first.accept(job(), start_command(job()), key=None)
    later = AT + timedelta(seconds=9)
    await second.progress(job().job_id, JobCounts(open=1, indexed=5), at=later)
    await first.progress(job().job_id, JobCounts(open=6), at=AT + timedelta(seconds=1))
    running = await first.get(job().job_id)
    await asyncio.gather(
        first.finish(job().job_id, ApiJobState.COMPLETED, JobCounts(indexed=6), at=later),
        second.progress(job().job_id, JobCounts(open=1, indexed=5), at=later),
    )
    finished = await second.get(job().job_id)

    assert running is not None
    assert finished is not None
    assert (ApiJobState.RUNNING, 5) == (running.state, running.counts.indexed)
    assert (ApiJobState.COMPLETED, 6) == (finished.state, finished.counts.indexed)
    assert job().urls == finished.urls


async def test_a_job_ends_once_and_whoever_ended_it_is_told(stores: Stores) -> None:
    """The first end returns the job as it ended; later ones, and unknown jobs, return nothing."""
    _, _, first, second, _ = stores
    await first.accept(job(), start_command(job()), key=None)
    at = AT + timedelta(seconds=9)
    ends = await asyncio.gather(
        first.finish(job().job_id, ApiJobState.COMPLETED, JobCounts(indexed=6), at=at),
        second.finish(job().job_id, ApiJobState.COMPLETED, JobCounts(indexed=6), at=at),
    )
    (ended,) = [end for end in ends if end is not None]

    assert await first.get(job().job_id) == ended
    assert (AT, at) == (ended.created_time, ended.finished_time)
    assert await first.finish(JobId("unknown"), ApiJobState.FAILED, JobCounts(), at=at) is None


async def test_jobs_are_forgotten_by_their_end_some_at_a_time(stores: Stores) -> None:
    """Open ones never, however old."""
    _, _, jobs, other, _ = stores
    for name in ("old", "older", "young", "open"):
        await jobs.accept(job(name), start_command(job(name)), key=None)
    for name, days in (("old", 2), ("older", 1), ("young", 9)):
        at = AT + timedelta(days=days)
        await jobs.finish(JobId(name), ApiJobState.COMPLETED, JobCounts(), at=at)
    left = []
    for _ in range(3):
        await other.forget(ended_before=AT + timedelta(days=3), limit=1)
        visible = JobFilter(organisation_id="main", owner="ada", scope_ids=())
        left.append(len(await jobs.newest(visible, before=JobId(""), limit=9)))

    assert [3, 2, 2] == left
    assert await jobs.get(JobId("open"))
    assert await jobs.get(JobId("young"))


async def test_scopes_come_in_the_order_of_code_points(stores: Stores) -> None:
    """Pages of a list go on after an id, whatever the language of the server."""
    first, second, *_ = stores
    names = ["a-b", "ab", "a1", "b", "a-c", "aa"]
    for name in names:
        await first.create(docs(name), key=None, now=AT, change=MADE)

    assert sorted(names) == [stored.scope.scope_id for stored in await second.all("main")]


async def test_some_scopes_are_read_by_id(stores: Stores) -> None:
    """Those that are absent, deleted or of another organisation are left out."""
    first, second, *_ = stores
    for name in ("a", "b", "c"):
        await first.create(docs(name), key=None, now=AT, change=MADE)
    gone = docs("b")
    gone = replace(gone, scope=replace(gone.scope, revision=2, deleted=True))
    assert await first.replace(gone, expected_revision=1, change=MADE)
    wanted = {ScopeId("c"), ScopeId("b"), ScopeId("a"), ScopeId("other")}

    assert ["a", "c"] == [one.scope.scope_id for one in await second.some("main", wanted)]
    assert () == await second.some("elsewhere", wanted)
    assert () == await second.some("main", set())


async def test_replicas_share_the_key_of_page_tokens(open_pair: OpenPair) -> None:
    """A token of one replica is good at the other."""
    first, second = await open_pair("gateway", metadata)
    keys = await asyncio.gather(
        secret_key(first, random.Random(1), name=IDENTITY_KEY),
        secret_key(second, random.Random(2), name=IDENTITY_KEY),
    )

    assert keys[0] == keys[1]


async def test_a_scope_s_history_is_kept_with_who_and_why(stores: Stores) -> None:
    """Newest first, each with what was before it; a scope of the same id begins anew."""
    first, second, *_ = stores
    stored = await first.create(docs(), key=None, now=AT, change=MADE)
    renamed = replace(stored, scope=replace(next_revision(stored.scope), name="New name"))
    why = ScopeChange(principal="bob", reason="a better name")
    assert await second.replace(renamed, expected_revision=1, change=why)
    history = await first.revisions("main", ScopeId("docs"), before=9, limit=9)
    gone = replace(renamed, scope=replace(next_revision(renamed.scope), deleted=True))
    assert await second.replace(gone, expected_revision=2, change=why)
    await first.create(docs(), key=None, now=AT, change=MADE)
    anew = await first.revisions("main", ScopeId("docs"), before=9, limit=9)

    assert [(2, why, stored.scope), (1, MADE, None)] == [
        (one.scope.revision, one.change, one.before) for one in history
    ]
    assert [(4, MADE, None)] == [(one.scope.revision, one.change, one.before) for one in anew]
