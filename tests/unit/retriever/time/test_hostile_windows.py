"""Windows of passages that are made at once take milliseconds; longer ones are made elsewhere."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from scops.common.contract.ids import ChunkId
from scops.common.processes.compute import ChildCompute
from scops.common.processes.pool import ChildPool
from scops.retriever.service import INLINE_CHARACTERS_MAX
from scops.retriever.time.event_times import text_windows
from scops.retriever.time.passage_windows import READING_PASSES, PassageWindows
from tests.fakes.stalls import cpu_seconds, hostile_texts, measured_stalls
from tests.unit.common.processes.children import limits
from tests.unit.retriever.time.test_evidence import PASSAGES

# A free core takes less than 50 ms; one that seven others share is slower.
SECONDS_MAX = 0.2
TODAY = date(2026, 11, 22)


@pytest.fixture
async def children() -> AsyncIterator[ChildPool]:
    pool = ChildPool(processes=1, limits=limits())
    yield pool
    await pool.close()


def test_windows_are_made_at_once() -> None:
    """Of any text that is not handed to a child."""
    for text in hostile_texts(INLINE_CHARACTERS_MAX // READING_PASSES, seed=5, count=10):

        def read() -> None:
            text_windows("1999 to 2005", text, TODAY)  # noqa: B023 (run before the next one)

        assert cpu_seconds(read, enough=SECONDS_MAX) < SECONDS_MAX, repr(text[:20])


async def test_long_passages_stall_nobody(children: ChildPool) -> None:
    """Passages of 64 KiB are read in a child, and their windows are those that are made here."""
    candidate, _ = PASSAGES[0]
    long = [
        replace(candidate, hit=replace(candidate.hit, chunk_id=ChunkId(str(place)), text=text))
        for place, text in enumerate(hostile_texts(64 * 1024, seed=6, count=0)[-8:])
    ]
    compute = ChildCompute(children, inline_characters_max=INLINE_CHARACTERS_MAX)
    await PassageWindows(compute).of(long[:1])
    async with measured_stalls() as stalls:
        found = await PassageWindows(compute).of(long[:2])

    assert (
        text_windows(long[0].hit.header, long[0].hit.text, candidate.page.stated_day)
        == (found[long[0].hit.chunk_id])
    )
    assert stalls.longest < 2 * SECONDS_MAX


async def test_kept_windows_are_bounded_in_bytes() -> None:
    """One passage of many windows takes the room of many."""
    candidate, _ = PASSAGES[0]
    read: list[str] = []

    async def compute(work: Callable[..., Any], *arguments: Any, characters: int) -> Any:
        read.append(arguments[1])
        return work(*arguments)

    windows = PassageWindows(compute, bytes_max=100_000)
    for text in ("Owls in 1990.", "It. " * 3_000, "It. " * 3_000, "Owls in 1990."):
        await windows.of([replace(candidate, hit=replace(candidate.hit, text=text))])

    assert ["Owls in 1990.", "It. " * 3_000, "Owls in 1990."] == read
