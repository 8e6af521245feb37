"""Reads the files of a system from outside, read-only: what it holds, by URL."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

HEADS = """
SELECT canonical_url, closed, manifest_digest, version_id FROM head ORDER BY canonical_url
"""
LISTED = """
SELECT chunk.chunk_id, head.canonical_url FROM chunk JOIN head ON head.page_id = chunk.page_id
WHERE chunk.state = 'live' AND chunk.unlisted_since IS NULL
"""
CHUNKS = """
SELECT passage.chunk_id, payload.header, payload.text FROM passage
JOIN payload ON payload.id = passage.id WHERE passage.history = 0
"""
CHUNK_OBJECTS = "SELECT object_id, chunk_id FROM passage WHERE history = 0 ORDER BY object_id"

Head = tuple[str, int, str, str]
Chunk = tuple[str, str, str]


def heads(data: Path) -> list[Head]:
    """Returns every head: URL, closed, manifest, version."""
    with _reading(data / "state" / "indexer.db") as connection:
        return connection.execute(HEADS).fetchall()


def chunk_objects(data: Path) -> list[tuple[str, str]]:
    """Returns every live object of the store with its chunk."""
    with _reading(data / "index" / "chunks.db") as connection:
        return connection.execute(CHUNK_OBJECTS).fetchall()


def chunks_by_url(data: Path) -> list[Chunk]:
    """Returns every chunk that a head lists, as URL, header and text: equal in two systems.

    Chunks that no head lists stay in the store for ten minutes; they are left out.
    """
    with _reading(data / "state" / "indexer.db") as connection:
        urls = dict(connection.execute(LISTED))
    with _reading(data / "index" / "chunks.db") as connection:
        found = connection.execute(CHUNKS).fetchall()
    return sorted((urls[one], header, text) for one, header, text in found if one in urls)


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as connection:
        yield connection
