"""Searches indexes of sites in child processes, one at a time, so that none can hurt anybody."""

import asyncio
from collections.abc import Sequence

from scops.common.contract.errors import InvalidInput
from scops.common.processes.pool import ChildPool
from scops.common.processes.tasks import ChildTask, Parts
from scops.fetcher.discovery.search_index import SearchHit, unpacked

# By name: what it imports is only for the child.
SEARCH_INDEX = ChildTask("scops.fetcher.discovery.search_task", "search")

SEARCH_SECONDS = 6.0
"""16 MiB of sections take three seconds."""


class ChildSearches:
    """An `IndexSearcher` on the child processes of this process."""

    def __init__(self, children: ChildPool) -> None:
        self._children = children
        # Indexes leave the other children to pages, and only one stands in memory twice.
        self._turn = asyncio.Lock()

    async def search(
        self, body: bytes, *, url: str, question: str, seen: Sequence[str]
    ) -> Sequence[SearchHit]:
        """Has a child process search the index."""
        parts = parts_of(body, url=url, question=question, seen=seen)
        async with self._turn:
            return hits_of(await self._children.run(SEARCH_INDEX, parts, seconds=SEARCH_SECONDS))


def parts_of(body: bytes, *, url: str, question: str, seen: Sequence[str]) -> Parts:
    """Returns what the task is given."""
    return (url.encode(), question.encode(), "\n".join(seen).encode(), body)


def hits_of(answer: Parts) -> Sequence[SearchHit]:
    """Returns the pages in the answer of the task.

    Raises:
        InvalidInput: the file is no index that can be read.
    """
    outcome, said = answer
    if outcome != b"found":
        raise InvalidInput(said.decode("utf-8", "replace"), reason="INVALID_SEARCH_INDEX")
    return unpacked(said)
