"""What each service tells of a page's rows, on every database."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Column, MetaData, Table, insert

from scops.change_detector.adapters import tables as change_tables
from scops.change_detector.adapters.sql_page_trace import trace_versions
from scops.common.contract import wire
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import BlockMemory, MemoryKind, PageMemory
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef, ChangeClass, ChangeSummary
from scops.common.db.database import Database
from scops.common.db.types import ForeignText, UtcDateTime
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.adapters.sql import tables as fetcher_tables
from scops.fetcher.adapters.sql.pages.page_trace import trace_fetches
from scops.indexer.adapters import tables as index_tables
from scops.indexer.adapters.sql_page_trace import trace_index

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
PAGE = PageId("page-1")
URL = "https://a.test/"
OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]


async def put(database: Database, table: Table, **values: Any) -> None:
    """Inserts a row, with something of the right type in every column that is not named."""
    filled = {column.name: blank(column) for column in table.c if not column.nullable}
    async with database.transaction() as connection:
        await connection.execute(insert(table), filled | values)


def blank(column: Column[Any]) -> Any:
    """Returns a value that a column takes."""
    if isinstance(column.type, UtcDateTime):
        return NOW
    return "" if isinstance(column.type, ForeignText) else column.type.python_type()


async def test_a_fetch_is_told_with_its_event_and_its_outcome(open_pair: OpenPair) -> None:
    """A page is found by any of its URLs or by its id."""
    database, _ = await open_pair("fetcher", fetcher_tables.metadata)
    event = PageFetched(
        page_id=PAGE, observed_time=NOW, body=BodyRef(digest="ab", size=1, media_type="text/html")
    )
    fetched = {"event_type": "PageFetched", "event_data": wire.encode(event)}
    await put(database, fetcher_tables.page, page_id=PAGE, canonical_url=URL, status="fetched")
    named = {"organisation_id": "main", "access_context": PUBLIC, "url": f"{URL}index"}
    await put(database, fetcher_tables.alias, **named, page_id=PAGE)
    await put(
        database,
        fetcher_tables.fetch,
        fetch_id="fetch-1",
        page_id=PAGE,
        observed_time=NOW,
        published_time=NOW + SECOND,
        **fetched,
    )
    await put(
        database,
        fetcher_tables.job_page,
        page_id=PAGE,
        fetch_id="fetch-1",
        outcome="indexed",
        closed_time=NOW + 2 * SECOND,
    )

    by_url = await trace_fetches(database, f"{URL}index", organisation_id="main")

    assert by_url is not None
    assert by_url == await trace_fetches(database, PAGE, organisation_id="main")
    assert None is await trace_fetches(database, f"{URL}other", organisation_id="main")
    assert ("fetched", (URL, f"{URL}index")) == (by_url.status, by_url.urls)
    assert [("leased", {}), ("PageFetched", {"body": "ab"}), ("outcome", {})] == [
        (entry.what, entry.blobs) for entry in by_url.entries
    ]
    assert {"fetch-1"} == {entry.fetch_id for entry in by_url.entries}


async def test_an_observation_is_told_with_its_verdict(open_pair: OpenPair) -> None:
    """One without a verdict says so; a version names its blobs."""
    database, _ = await open_pair("change_detector", change_tables.metadata)
    summary = ChangeSummary(change_class=ChangeClass.CRITICAL)
    for fetch_id in ("fetch-1", "fetch-2"):
        await put(database, change_tables.observation, fetch_id=fetch_id, page_id=PAGE)
    await put(
        database, change_tables.verdict, fetch_id="fetch-1", page_id=PAGE, kind="added", opened="v1"
    )
    await put(
        database,
        change_tables.version,
        version_id="v1",
        page_id=PAGE,
        text_digest="cd",
        manifest_digest="ef",
        summary=wire.encode(summary),
    )

    *observed, version = await trace_versions(database, PAGE)

    assert {"fetch-1": "added", "fetch-2": "none yet"} == {
        entry.fetch_id: entry.facts["verdict"] for entry in observed
    }
    assert ChangeClass.CRITICAL == version.facts["change"]
    assert {"text": "cd", "manifest": "ef"} == version.blobs


async def test_a_volatile_block_is_told_with_since_when_and_how_to_turn_it(
    open_pair: OpenPair,
) -> None:
    """One that a person made loud is told too; others that a page remembers are not."""
    database, _ = await open_pair("change_detector", change_tables.metadata)
    since, last = NOW - 4 * SECOND, NOW
    known = {"kind": MemoryKind.TEXT, "flips": 3, "look": 5, "flipped_time": last}
    blocks = (
        BlockMemory(key=1, volatile_time=since, **known),
        BlockMemory(key=2, loud=True, **known),
        BlockMemory(key=3, **known),
    )
    memory = wire.encode(PageMemory(blocks=blocks))
    await put(database, change_tables.page, page_id=PAGE)
    await put(database, change_tables.page_memory, page_id=PAGE, memory=memory)

    quiet, loud = await trace_versions(database, PAGE)

    assert ("volatile block", since) == (quiet.what, quiet.time)
    assert f"scops page volatile {PAGE} --loud {1:016x}" == quiet.facts["reverse"]
    assert ("loud block", last) == (loud.what, loud.time)
    assert f"scops page volatile {PAGE} --quiet {2:016x}" == loud.facts["reverse"]


async def test_a_head_is_told_with_how_its_chunks_stand(open_pair: OpenPair) -> None:
    """A page without a head has none of its chunks told."""
    database, _ = await open_pair("indexer", index_tables.metadata)
    await put(database, index_tables.PAGE_VERSION, version_id="v1", page_id=PAGE)
    (interval,) = await trace_index(database, PAGE)
    await put(database, index_tables.HEAD, page_id=PAGE, version_id="v1", manifest_digest="ef")
    await put(database, index_tables.CHUNK, chunk_id="c1", page_id=PAGE, stored=True)
    await put(
        database,
        index_tables.CHUNK,
        chunk_id="c2",
        page_id=PAGE,
        stored=True,
        unlisted_since=NOW,
    )

    again, head = await trace_index(database, PAGE)

    assert ("interval", "interval") == (interval.what, again.what)
    assert (1, 1) == (head.facts["chunks_listed"], head.facts["chunks_unlisted"])
    assert {"manifest": "ef"} == head.blobs
