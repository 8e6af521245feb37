"""Search indexes that cost whoever reads them: only a child process pays, and the next is read."""

import asyncio
import time
from collections.abc import Callable, Sequence

import pytest

from scops.common.contract.errors import InvalidInput, PermanentError
from scops.common.processes.pool import ChildPool
from scops.fetcher.adapters.child_searches import SEARCH_SECONDS, ChildSearches
from scops.fetcher.discovery.search_index import INDEX_BYTES_MAX, SearchHit
from scops.fetcher.discovery.search_task import HITS_MAX
from tests.unit.common.processes.children import MEBIBYTE, limits
from tests.unit.fetcher.discovery.test_hostile_listings import LOOP_SECONDS_MAX, Watched

SPHINX, MKDOCS = "https://a.example/searchindex.js", "https://a.example/search/search_index.json"
QUESTION = "owls of the deep"
HONEST = b'Search.setIndex({"docnames":["a"],"titles":["A"],"terms":{"owl":0},"titleterms":{}})'
# A body of 16 MiB, and its frame.
PARENT_BYTES_MAX = 64 * MEBIBYTE


def filled(piece: bytes, *, head: bytes = b"", tail: bytes = b"") -> bytes:
    """Returns as many pieces as an index holds."""
    return head + piece * ((INDEX_BYTES_MAX - len(head) - len(tail)) // len(piece)) + tail


def tables(piece: bytes, *, head: bytes, tail: bytes) -> bytes:
    """Returns an index of Sphinx with a value of many pieces."""
    return filled(piece, head=b"Search.setIndex(" + head, tail=tail + b")")


PAGES = b'{"titles":["A"],"titleterms":{},"docnames":["a"],"terms":{'
HOSTILE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "nothing": (SPHINX, lambda: filled(b" ")),
    "lists in lists": (SPHINX, lambda: tables(b"[", head=b"", tail=b"")),
    "empty lists": (SPHINX, lambda: tables(b"[],", head=b"[", tail=b"[]]")),
    "names without quotes": (SPHINX, lambda: tables(b"{a", head=b"{", tail=b"")),
    "escapes": (SPHINX, lambda: tables(b'\\"', head=b"{", tail=b"")),
    "quotes": (SPHINX, lambda: tables(b'"', head=b"{", tail=b"")),
    "spaces": (SPHINX, lambda: tables(b" ", head=b"{", tail=b"")),
    "numbers": (SPHINX, lambda: tables(b"9", head=b"", tail=b"")),
    "pages": (SPHINX, lambda: tables(b'"",', head=b'{"docnames":[', tail=b'""]}')),
    "pages of a term": (SPHINX, lambda: tables(b"0,", head=PAGES + b'"owl":[', tail=b"0]}}")),
    "terms": (SPHINX, lambda: tables(b'"owl":0,', head=PAGES, tail=b'"a":0}}')),
    "a title of tags": (
        SPHINX,
        lambda: tables(b"<", head=b'{"docnames":["a"],"terms":{},"titles":["', tail=b'"]}'),
    ),
    "sections": (MKDOCS, lambda: filled(b'{"location":""},', head=b'{"docs":[', tail=b"{}]}")),
    "a text of tags": (
        MKDOCS,
        lambda: filled(b"<", head=b'{"docs":[{"location":"","text":"', tail=b'"}]}'),
    ),
    "a text of references": (
        MKDOCS,
        lambda: filled(b"&a", head=b'{"docs":[{"location":"","text":"', tail=b'"}]}'),
    ),
    "a text of words": (
        MKDOCS,
        lambda: filled(b"owl ", head=b'{"docs":[{"location":"","text":"', tail=b'"}]}'),
    ),
    "a location": (MKDOCS, lambda: filled(b"../", head=b'{"docs":[{"location":"', tail=b'"}]}')),
}


async def search(pool: ChildPool, url: str, body: bytes) -> Sequence[SearchHit] | Exception:
    try:
        return await ChildSearches(pool).search(body, url=url, question=QUESTION, seen=())
    except (InvalidInput, PermanentError) as error:
        return error


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", list(HOSTILE))
async def test_hostile_index_costs_its_reader_little(name: str) -> None:
    """Memory and pauses of this process stay small, it ends in time, and the next one is read."""
    url, made = HOSTILE[name]
    body = made()
    pool = ChildPool(processes=1, limits=limits())
    await search(pool, SPHINX, HONEST)
    watched = Watched()
    watching = asyncio.create_task(watched.watch())
    begun = time.perf_counter()
    found = await search(pool, url, body)
    seconds = time.perf_counter() - begun
    watching.cancel()
    honest = await search(pool, SPHINX, HONEST)
    await pool.close()

    assert [("https://a.example/a.html", "A")] == [(hit.url, hit.title) for hit in honest]
    assert isinstance(found, Exception) or len(found) <= HITS_MAX
    assert watched.peak_bytes <= PARENT_BYTES_MAX
    assert watched.pause_seconds <= LOOP_SECONDS_MAX
    # A child that crashed is asked once more.
    assert seconds <= 2 * SEARCH_SECONDS + 5
