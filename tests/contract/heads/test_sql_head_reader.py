"""The SQL head reader keeps the port's contract."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import MetaData

from scops.common.contract.ids import ChunkId, PageId, VersionId, WordingId
from scops.common.contract.messages.change import VersionRow
from scops.common.contract.messages.types import BodyRef, OrderKey
from scops.common.db.database import Database
from scops.libraries.index.ports import Head, HeadReader, ListedChunk
from scops.libraries.index.rows.head_reader import SqlHeadReader
from scops.libraries.index.rows.tables import CHUNK, HEAD, PAGE_VERSION, read_metadata

START = datetime(2026, 1, 1, tzinfo=UTC)
PAGE = PageId("page-1")


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def version_columns(
    name: str,
    *,
    begin: float,
    end: float | None = None,
    revision: int = 0,
    page: str = PAGE,
    first: float | None = None,
) -> dict[str, Any]:
    return {
        "version_id": name,
        "page_id": page,
        "observed_from": day(begin),
        "revision": revision,
        "first_observed": None if first is None else day(first),
        "manifest_digest": f"digest-{name}",
        "manifest_size": 7,
        "manifest_media_type": "application/x-protobuf",
        "observed_to": None if end is None else day(end),
        "row_revision": 1,
    }


def head_columns(page: str = PAGE, *, closed: bool = False) -> dict[str, Any]:
    return {
        "page_id": page,
        "observed_from": day(1),
        "revision": 2,
        "version_id": "" if closed else "v1",
        "closed": closed,
        "closed_reason": "gone" if closed else "",
        "manifest_digest": None if closed else "d",
        "manifest_size": 0 if closed else 5,
        "manifest_media_type": "" if closed else "m",
        "canonical_url": "https://example.org/",
        "access_context": "public",
        "verified_time": day(3),
        "visible_time": day(2),
        "prefix_ticket": 0,
        "prefixes_stale": False,
    }


def chunk_columns(
    name: str, *, page: str = PAGE, unlisted: float | None = None, wording: str | None = None
) -> dict[str, Any]:
    return {
        "chunk_id": name,
        "page_id": page,
        "incarnation": 1,
        "state": "live",
        "stored": True,
        "unlisted_since": None if unlisted is None else day(unlisted),
        "observed_from": day(1),
        "wording_id": wording,
    }


@pytest.fixture
async def database(
    open_pair: Callable[[str, MetaData], Awaitable[tuple[Database, Database]]],
) -> Database:
    database, _ = await open_pair("indexer", read_metadata)
    return database


@pytest.fixture
def reader(database: Database) -> HeadReader:
    return SqlHeadReader(database)


async def standing(
    database: Database, reader: HeadReader, at: float, *versions: dict[str, Any]
) -> dict[str, str]:
    """Stores versions and returns which one stands, by page."""
    async with database.transaction() as connection:
        for version in versions:
            await connection.execute(PAGE_VERSION.insert().values(version))
    found = await reader.standing([PAGE, PageId("page-2"), PageId("absent")], day(at))
    return {page_id: row.version_id for page_id, row in found.items()}


async def test_heads_returns_every_field(database: Database, reader: HeadReader) -> None:
    """A head is read as it was written; a page without one is left out."""
    async with database.transaction() as connection:
        await connection.execute(HEAD.insert().values(head_columns()))

    expected = Head(
        page_id=PAGE,
        order_key=OrderKey(observed_from=day(1), revision=2),
        version_id=VersionId("v1"),
        closed=False,
        closed_reason="",
        manifest=BodyRef(digest="d", size=5, media_type="m"),
        canonical_url="https://example.org/",
        access_context="public",
        verified_time=day(3),
        visible_time=day(2),
    )
    assert {PAGE: expected} == await reader.heads([PAGE, PageId("absent"), PAGE])
    assert {} == await reader.heads([])


async def test_closed_head_has_no_manifest(database: Database, reader: HeadReader) -> None:
    """A closed page names why and lists nothing."""
    async with database.transaction() as connection:
        await connection.execute(HEAD.insert().values(head_columns(closed=True)))

    head = (await reader.heads([PAGE]))[PAGE]
    assert (True, "gone", None) == (head.closed, head.closed_reason, head.manifest)


async def test_listed_chunks_come_with_their_heads(database: Database, reader: HeadReader) -> None:
    """A chunk that no head lists, of a closed page or of none, is left out."""
    async with database.transaction() as connection:
        await connection.execute(HEAD.insert(), [head_columns(), head_columns("gone", closed=True)])
        chunks = [
            chunk_columns("listed", wording="w"),
            chunk_columns("unsaid"),
            chunk_columns("unlisted", unlisted=2),
            chunk_columns("closed", page="gone"),
            chunk_columns("headless", page="page-3"),
        ]
        await connection.execute(CHUNK.insert(), chunks)
    asked = [ChunkId(chunk["chunk_id"]) for chunk in chunks]
    head = (await reader.heads([PAGE]))[PAGE]

    expected = {
        name: ListedChunk(chunk_id=name, head=head, wording_id=wording)
        for name, wording in ((ChunkId("listed"), WordingId("w")), (ChunkId("unsaid"), None))
    }
    assert expected == await reader.listed([*asked, ChunkId("absent")])
    assert {} == await reader.listed([])


@pytest.mark.parametrize(
    ("at", "expected"),
    [(0.9, {}), (1, {PAGE: "v1"}), (4.9, {PAGE: "v1"}), (5, {PAGE: "v2"}), (99, {PAGE: "v2"})],
)
async def test_interval_is_closed_below_and_open_above(
    database: Database, reader: HeadReader, at: float, expected: dict[str, str]
) -> None:
    """A version stands from its first observation up to its successor's."""
    versions = (version_columns("v1", begin=1, end=5), version_columns("v2", begin=5))

    assert expected == await standing(database, reader, at, *versions)


async def test_greatest_revision_of_a_stay_stands(database: Database, reader: HeadReader) -> None:
    """Of several revisions of one stay the greatest counts."""
    versions = (
        version_columns("r1", begin=1, revision=1),
        version_columns("r2", begin=1, revision=2),
        version_columns("r0", begin=1, revision=0),
    )

    assert {PAGE: "r2"} == await standing(database, reader, 3, *versions)


@pytest.mark.parametrize(("at", "expected"), [(2.9, "v1"), (3, "v2"), (6, "v2")])
async def test_late_observation_moves_the_beginning(
    database: Database, reader: HeadReader, at: float, expected: str
) -> None:
    """A version stands from its first observation, though its order key is later."""
    versions = (version_columns("v1", begin=1, end=3), version_columns("v2", begin=5, first=3))

    assert {PAGE: expected} == await standing(database, reader, at, *versions)


async def test_nothing_stands_while_a_page_is_gone(database: Database, reader: HeadReader) -> None:
    """Between the end of one version and the beginning of the next there is none."""
    versions = (version_columns("v1", begin=1, end=3), version_columns("v2", begin=6))

    assert {} == await standing(database, reader, 4, *versions)


async def test_pages_are_kept_apart(database: Database, reader: HeadReader) -> None:
    """Each page has its own timeline."""
    versions = (
        version_columns("a", begin=1),
        version_columns("b", begin=2, page="page-2"),
    )

    assert {PAGE: "a", "page-2": "b"} == await standing(database, reader, 3, *versions)


async def test_row_is_returned_whole(database: Database, reader: HeadReader) -> None:
    """The row names manifest and interval."""
    await standing(database, reader, 1, version_columns("v1", begin=1, end=5))

    expected = VersionRow(
        version_id=VersionId("v1"),
        order_key=OrderKey(observed_from=day(1), revision=0),
        manifest=BodyRef(digest="digest-v1", size=7, media_type="application/x-protobuf"),
        observed_to=day(5),
        row_revision=1,
    )
    assert {PAGE: expected} == await reader.standing([PAGE], day(2))
