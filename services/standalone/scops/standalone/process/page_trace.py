"""Gathers what the services have on record of a page, from their state, the archive and the bus."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from scops.change_detector.adapters.sql_page_trace import trace_versions
from scops.common.archive.opening import open_archive
from scops.common.bus.admin.dead_letters import DeadLetters, HeldLetter
from scops.common.bus.publish import headers
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput, NotFound, StoreUnavailable
from scops.common.contract.ids import PageId
from scops.common.contract.service_table import Role
from scops.common.db.address import state_address
from scops.common.db.database import Database
from scops.common.db.schema import schema_check
from scops.common.observe.page_trace import TraceEntry
from scops.common.runtime.clock import SystemClock
from scops.common.scope.urls import page_url
from scops.fetcher.adapters.sql.pages.page_trace import FetcherTrace, trace_fetches
from scops.indexer.adapters.sql_page_trace import trace_index
from scops.standalone.process.parts import parts_of
from scops.standalone.process.roles import load_common
from scops.standalone.process.running_bus import running_bus


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTrace:
    """A page's timeline.

    Attributes:
        urls: its canonical URL, then every other one that names it.
        entries: by time.
        missing: digests of blobs that entries refer to and the archive does not hold.
        bus_problem: why dead letters are not among the entries; empty where they are.
    """

    page_id: PageId
    urls: tuple[str, ...]
    status: str
    entries: tuple[TraceEntry, ...]
    missing: frozenset[str]
    bus_problem: str


async def trace_page(named: str) -> PageTrace:
    """Returns the timeline of a page by its id or URL; needs no service to run.

    Raises:
        NotFound: no page has this id or URL.
        StoreUnavailable: a state was not provisioned, or does not answer.
    """
    common = load_common()
    found = await _fetched(common, named)
    async with _state(common, Role.CHANGE_DETECTOR) as database:
        versions = await trace_versions(database, found.page_id)
    async with _state(common, Role.INDEXER) as database:
        indexed = await trace_index(database, found.page_id)
    letters, problem = await _dead_letters(found.page_id)
    entries = sorted((*found.entries, *versions, *indexed, *letters), key=lambda one: one.time)
    return PageTrace(
        page_id=found.page_id,
        urls=found.urls,
        status=found.status,
        entries=tuple(entries),
        missing=await _missing(common, entries),
        bus_problem=problem,
    )


async def _fetched(common: CommonSettings, named: str) -> FetcherTrace:
    name = page_url(named) if "://" in named else named
    async with _state(common, Role.FETCHER) as database:
        found = await trace_fetches(database, name, organisation_id=common.organisation_id)
    if found is None:
        raise NotFound(
            f"No page is known as {named}; `scops page list --scope SCOPE` lists those of a scope.",
            reason="PAGE_NOT_FOUND",
        )
    return found


@asynccontextmanager
async def _state(common: CommonSettings, role: Role) -> AsyncIterator[Database]:
    part = parts_of((role,))[0]
    assert part.migrations is not None, f"{role} keeps no state"
    database = Database(state_address(common, part.database), name=part.database)
    try:
        problem = await schema_check(database, part.migrations, name=part.database).probe()
        if problem is not None:
            raise StoreUnavailable(problem, reason="STATE_NOT_PROVISIONED")
        yield database
    finally:
        await database.close()


async def _dead_letters(page_id: PageId) -> tuple[list[TraceEntry], str]:
    try:
        async with running_bus() as bus:
            letters = await DeadLetters(bus.jetstream, bus.publisher, clock=SystemClock()).all()
    except (StoreUnavailable, InvalidInput) as error:
        return [], error.message
    about = [held for held in letters if held.letter.headers.get(headers.EVENT_SUBJECT) == page_id]
    return [_given_up(held) for held in about], ""


def _given_up(held: HeldLetter) -> TraceEntry:
    letter = held.letter
    return TraceEntry(
        time=letter.dead_time,
        service=letter.consumer,
        what="dead letter",
        fetch_id=letter.headers.get(headers.FETCH_ID, ""),
        facts={
            "letter": letter.dead_letter_id,
            "reason": letter.reason,
            "detail": letter.detail,
            "replayed": letter.replayed_time,
        },
    )


async def _missing(common: CommonSettings, entries: list[TraceEntry]) -> frozenset[str]:
    archive = open_archive(common.archive_url, common.organisation_id)
    digests = {digest for entry in entries for digest in entry.blobs.values()}
    return frozenset([one for one in sorted(digests) if await archive.touched(one) is None])
