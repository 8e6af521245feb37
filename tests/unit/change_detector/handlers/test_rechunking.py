"""Chunking anew: revisions, no news, and nothing twice."""

from dataclasses import replace

from scops.change_detector.adapters.sql_addresses import SqlAddresses
from scops.change_detector.adapters.sql_compaction import SqlCompaction
from scops.change_detector.adapters.sql_histories import SqlHistories
from scops.change_detector.adapters.sql_memories import SqlPageMemories
from scops.change_detector.adapters.sql_purges import SqlPurgeStore
from scops.change_detector.adapters.sql_rechunks import SqlRechunks
from scops.change_detector.adapters.sql_retention import SqlRetention
from scops.change_detector.adapters.sql_seen_pages import SqlSeenPages
from scops.change_detector.adapters.sql_templates import SqlTemplates
from scops.change_detector.adapters.sql_timelines import SqlTimelines
from scops.change_detector.handlers.queries import answer_history
from scops.change_detector.handlers.rechunking import answer_rechunk, rechunk_asked
from scops.change_detector.handlers.what_changed import answer_what_changed
from scops.change_detector.settings import ChangeDetectorSettings
from scops.change_detector.timeline.records import PageAddress
from scops.change_detector.timeline.verdicts import VerdictEvent
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.change import (
    HistoryRequest,
    RechunkRequest,
    VersionUnchanged,
    WhatChangedRequest,
)
from scops.common.contract.messages.types import ScopeRef
from tests.fakes.worlds.change import (
    PAGE,
    SMALL_CHUNKS,
    ChangeWorld,
    at,
    scope_of,
    sql_world,
    world_on,
)

SCOPE = ScopeRef(scope_id=ScopeId("docs"), revision=1)
TEXT = "\n".join(f"Sentence number {i} of the page has some words." for i in range(12))


def upgraded(world: ChangeWorld) -> ChangeWorld:
    """Returns a change-detector with other chunk sizes on the same state and archive."""
    assert world.database is not None
    settings = ChangeDetectorSettings.model_validate(SMALL_CHUNKS | {"chunk_tokens_max": 40})
    newer = world_on(
        SqlTimelines(world.database),
        SqlSeenPages(world.database),
        SqlHistories(world.database),
        SqlAddresses(world.database),
        SqlRechunks(world.database),
        SqlTemplates(world.database),
        SqlPageMemories(world.database),
        SqlRetention(world.database),
        SqlCompaction(world.database),
        SqlPurgeStore(world.database),
        settings=settings,
        database=world.database,
    )
    newer.archive = world.archive
    newer.ports = replace(newer.ports, archive=world.archive)
    newer.ports.scopes.apply(scope_of())
    return newer


async def worked_off(world: ChangeWorld) -> list[VerdictEvent]:
    """Works off what was asked for and returns what was published."""
    published: list[VerdictEvent] = []

    async def publish(verdict: VerdictEvent, address: PageAddress) -> None:
        published.append(verdict)

    await rechunk_asked(world.ports, publish)
    return published


async def test_a_page_is_chunked_anew_as_a_revision_of_its_version() -> None:
    """The verdict carries the new manifest and says that the pipeline changed."""
    old = await sql_world()
    before = await old.see("one", TEXT, 0)
    newer = upgraded(old)
    answer = await answer_rechunk(RechunkRequest(scope=SCOPE), newer.ports)
    (verdict,) = await worked_off(newer)
    manifest = await newer.manifest(verdict)

    assert (1, 1, 1) == (answer.outdated, answer.asked, answer.waiting)
    assert isinstance(verdict, VersionUnchanged)
    assert verdict.verdict.pipeline_changed
    assert verdict.verdict.order_key == replace(before.verdict.order_key, revision=1)
    assert len(manifest.chunks) < len((await old.manifest(before)).chunks)


async def test_chunking_anew_is_no_news_of_the_page() -> None:
    """Same text, same run; the summary says that nothing changed."""
    old = await sql_world()
    await old.see("one", TEXT, 0)
    newer = upgraded(old)
    await answer_rechunk(RechunkRequest(scope=SCOPE), newer.ports)
    await worked_off(newer)
    history = await answer_history(HistoryRequest(page_id=PAGE), newer.ports)
    news = await answer_what_changed(WhatChangedRequest(scope=SCOPE, since=at(1)), newer.ports)

    assert 1 == len({entry.text_digest for entry in history.versions})
    assert [True, False] == [entry.pipeline_changed for entry in history.versions]
    assert history.versions[0].summary is not None
    assert not history.versions[0].summary.semantic
    assert () == news.changes


async def test_nothing_is_left_to_do_afterwards() -> None:
    """Asking again finds nothing, and a lost publish gives the same verdict again."""
    old = await sql_world()
    await old.see("one", TEXT, 0)
    newer = upgraded(old)
    await answer_rechunk(RechunkRequest(scope=SCOPE), newer.ports)
    (first,) = await worked_off(newer)
    await newer.ports.rechunks.ask([PAGE])
    (again,) = await worked_off(newer)
    answer = await answer_rechunk(RechunkRequest(scope=SCOPE), newer.ports)

    assert (0, 0, 0) == (answer.outdated, answer.asked, answer.waiting)
    assert first.verdict.manifest == again.verdict.manifest
    assert first.verdict.order_key == again.verdict.order_key


async def test_a_dry_run_only_counts() -> None:
    """And pages that are gone are not outdated."""
    old = await sql_world()
    await old.see("one", TEXT, 0)
    newer = upgraded(old)
    counted = await answer_rechunk(RechunkRequest(scope=SCOPE, dry_run=True), newer.ports)
    await newer.gone("two", 10)
    gone = await answer_rechunk(RechunkRequest(scope=SCOPE, dry_run=True), newer.ports)

    assert (1, 0, 0) == (counted.outdated, counted.asked, counted.waiting)
    assert 0 == gone.outdated
