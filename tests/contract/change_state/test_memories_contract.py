"""The contract of `PageMemories`: under the page's lock, told once, gone with a purge."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from scops.change_detector.adapters.sql_addresses import Noting, SqlAddresses, note_addresses
from scops.change_detector.adapters.sql_compaction import SqlCompaction
from scops.change_detector.adapters.sql_memories import SqlPageMemories, remember
from scops.change_detector.adapters.sql_purges import SqlPurgeStore
from scops.change_detector.adapters.tables import page, run
from scops.change_detector.handlers.compaction import NEWS_KEPT
from scops.change_detector.timeline.records import (
    OpenedRun,
    PageAddress,
    PurgeBatch,
    SettledNews,
)
from scops.change_detector.timeline.runs import ObservationKind
from scops.change_detector.volatile.memory import NO_MEMORY
from scops.common.contract.ids import PageId, PurgeId
from scops.common.contract.messages.change import (
    BlockMemory,
    MemoryKind,
    NewsPlace,
    PageMemory,
)
from scops.common.db.database import Database

PAGE = PageId("page-01")
AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
WAITING = BlockMemory(
    key=2**64 - 1, kind=MemoryKind.TEXT, flips=3, look=4, flipped_time=AT, stay_max=3, untold=True
)
MEMORY = PageMemory(blocks=(WAITING,), told_from_time=AT)
ADDRESS = PageAddress(
    page_id=PAGE,
    organisation_id="main",
    access_context="public",
    canonical_url="https://example.org/page",
)


async def placed(database: Database, *, sequence: int) -> SqlPageMemories:
    """Returns the memories, with a page of some looks that shows a text."""
    async with database.transaction() as connection:
        row = {"page_id": PAGE, "organisation_id": "main", "row_revision": 0}
        await connection.execute(page.insert(), row | {"sequence": sequence})
        stood = {"first_observed": AT, "last_observed": AT, "observed_to": None}
        named = {"page_id": PAGE, "observed_from": AT, "kind": ObservationKind.TEXT.value}
        await connection.execute(run.insert(), named | stood | {"row_revision": 1})
        await remember(connection, {PAGE: MEMORY})
        await note_addresses(connection, [Noting(ADDRESS, None)])
    return SqlPageMemories(database)


async def open_run(database: Database, opened: OpenedRun) -> None:
    """Notes a run as news."""
    async with database.transaction() as connection:
        await note_addresses(connection, [Noting(ADDRESS, opened)])


async def test_what_is_remembered_comes_back_with_the_look(database: Database) -> None:
    """Keys of 64 bits and times as they were; nothing is known of other pages."""
    memories = await placed(database, sequence=7)
    found = await memories.read(PAGE)
    other = await memories.read(PageId("other"))

    assert (MEMORY, 7) == (found.memory, found.look)
    assert (NO_MEMORY, 0) == (other.memory, other.look)


async def test_a_page_is_due_once_its_silent_change_has_stayed(database: Database) -> None:
    """By looks, and no more once that has been told."""
    memories = await placed(database, sequence=9)
    early = await memories.due(limit=10)
    looked = await memories.replace(PAGE, MEMORY, look=9)
    due = await memories.due(limit=10)
    told = replace(MEMORY, blocks=(replace(WAITING, untold=False),))
    settled = await memories.replace(PAGE, told, look=10)

    assert ([], True, True) == (early, looked, settled)
    assert [ADDRESS] == [replace(one, news=0) for one in due]
    assert [] == await memories.due(limit=10)


async def test_who_remembers_an_earlier_look_begins_again(database: Database) -> None:
    """Nothing is written of what was made of another state of the page."""
    memories = await placed(database, sequence=7)

    assert not await memories.replace(PAGE, NO_MEMORY, look=6)
    assert MEMORY == (await memories.read(PAGE)).memory


async def test_settled_changes_stand_among_the_news(database: Database) -> None:
    """By when they became known, beside the run's own news, and as long as these."""
    memories, addresses = await placed(database, sequence=12), SqlAddresses(database)
    later = AT + timedelta(hours=2)
    await open_run(database, OpenedRun(observed_from=AT, recorded_time=AT))
    news = SettledNews(observed_from=AT, since=AT - timedelta(days=1), recorded_time=later)
    await memories.replace(PAGE, MEMORY, look=12, news=news)
    place = NewsPlace(recorded_time=AT - timedelta(seconds=1))
    up_to = NewsPlace(recorded_time=later)
    found = await addresses.news_after("main", place, until=up_to, limit=10)
    rest = await addresses.news_after("main", found[0].place, until=up_to, limit=10)
    others = await addresses.news_after("other", place, until=up_to, limit=10)
    newest = await addresses.newest_news("main")
    much_later = later + NEWS_KEPT + timedelta(seconds=1)
    await open_run(database, OpenedRun(observed_from=later, recorded_time=much_later))
    await SqlCompaction(database).forget_news(recorded_before=much_later - NEWS_KEPT)
    whole = NewsPlace(recorded_time=much_later)
    kept = await addresses.news_after("main", place, until=whole, page_id=PAGE, limit=10)

    assert later == newest
    assert [(AT, None), (later, news.since)] == [
        (one.place.recorded_time, one.since) for one in found
    ]
    assert [later] == [one.place.recorded_time for one in rest]
    assert () == tuple(others)
    assert [much_later] == [one.place.recorded_time for one in kept]


async def test_a_purge_forgets_what_a_page_has_taught(database: Database) -> None:
    """Hashes of words are words of a kind."""
    memories = await placed(database, sequence=7)
    batch = PurgeBatch(purge_id=PurgeId("p"), attempt=1, number=1)
    before = AT + timedelta(days=1)
    await SqlPurgeStore(database).purge(
        PAGE, batch, organisation_id="main", before=before, now=before
    )

    assert NO_MEMORY == (await memories.read(PAGE)).memory
