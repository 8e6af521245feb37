"""Windows of passages: made when a question first needs them, then kept.

Passages come back: questions of one scope share the likely ones.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date

from scops.common.config.settings import MEBIBYTE
from scops.common.contract.ids import ChunkId
from scops.common.processes.compute import Compute, compute_at_once
from scops.common.runtime.sized_cache import SizedCache
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.time.event_times import TextWindow, text_windows

WINDOWS_BYTES_MAX = 16 * MEBIBYTE
# What a window and one of its times take in memory.
WINDOW_BYTES, TIME_BYTES = 120, 160
# Times are read from a text as slowly as from one so many times as long without any.
READING_PASSES = 8


class PassageWindows:
    """A cache that never goes stale: windows depend on the passage alone."""

    def __init__(
        self, compute: Compute = compute_at_once, *, bytes_max: int = WINDOWS_BYTES_MAX
    ) -> None:
        self._compute = compute
        self._kept: SizedCache[tuple[str, str, date | None], tuple[TextWindow, ...]]
        self._kept = SizedCache(bytes_max)

    async def of(self, candidates: Sequence[Candidate]) -> Mapping[ChunkId, tuple[TextWindow, ...]]:
        """Returns the windows of each candidate's passage.

        Raises:
            TaskFailed: a passage takes longer than one may.
        """
        found: dict[ChunkId, tuple[TextWindow, ...]] = {}
        for candidate in candidates:
            hit = candidate.hit
            found[hit.chunk_id] = await self._windows(
                hit.header, hit.text, candidate.page.stated_day
            )
        return found

    async def _windows(
        self, header: str, text: str, reference: date | None
    ) -> tuple[TextWindow, ...]:
        key = (header, text, reference)
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        passes = READING_PASSES * (len(header) + len(text))
        windows = await self._compute(text_windows, header, text, reference, characters=passes)
        times = sum(len(window.times) for window in windows)
        size = WINDOW_BYTES * len(windows) + TIME_BYTES * times + 4 * (len(header) + len(text))
        self._kept.keep(key, windows, size=size)
        # Whoever else asks has a turn after each passage that is read.
        await asyncio.sleep(0)
        return windows
