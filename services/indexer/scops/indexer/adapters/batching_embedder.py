"""Embeds the texts of concurrent verdicts together, so that the embedder sets the pace.

While one call runs, the texts that arrive are collected; the next call takes them together. No
text waits for company: a first one is embedded at once. Who has much to embed has little of it in
each call, counted in characters as that is what takes time, so that it delays others little.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scops.indexer import metrics
from scops.libraries.embedder.port import Embedder
from scops.libraries.index.ports import FloatArray

# Enough to keep both threads of the embedder busy, little enough to answer in half a second.
BATCH_CHARACTERS_MAX = 8_000
# Of one caller, if its next text is no longer. A text costs as much in a small call as in a large.
PART_CHARACTERS_MAX = 1_000


@dataclass(slots=True, eq=False)
class _EmbeddingRequest:
    """The texts of one caller, and those of their vectors that are there."""

    texts: Sequence[str]
    vectors: list[FloatArray]
    done: asyncio.Future[None]

    @property
    def missing(self) -> int:
        """How many texts have no vector."""
        return len(self.texts) - sum(len(part) for part in self.vectors)

    def next_texts(self, characters: int) -> Sequence[str]:
        """Returns the first texts without a vector: one, and more if all are this short."""
        start = end = len(self.texts) - self.missing
        while end < len(self.texts) and (end == start or len(self.texts[end]) <= characters):
            characters -= len(self.texts[end])
            end += 1
        return self.texts[start:end]


class BatchingEmbedder:
    """Implements the vectors port around an embedder that is loaded on first use.

    Args:
        load: returns the embedder; called before every use, expected to remember it.
        characters_max: of the texts in one call for crawls, about; an urgent request is a call of
            its own.
    """

    def __init__(
        self,
        load: Callable[[], Awaitable[Embedder]],
        *,
        characters_max: int = BATCH_CHARACTERS_MAX,
    ) -> None:
        self._load = load
        self._characters_max = characters_max
        self._waiting: deque[_EmbeddingRequest] = deque()
        self._worker: asyncio.Task[None] | None = None

    async def embedder_id(self) -> str:
        return (await self._load()).embedder_id

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> FloatArray:
        metrics.EMBEDDED.inc(len(texts))
        if urgent or not texts:
            return await (await self._load()).embed(texts)
        request = _EmbeddingRequest(texts, [], asyncio.get_running_loop().create_future())
        self._waiting.append(request)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.get_running_loop().create_task(self._work())
        await request.done
        return np.concatenate(request.vectors)

    async def close(self) -> None:
        """Gives up what is waiting."""
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    async def _work(self) -> None:
        while self._waiting:
            batch = self._next_batch()
            try:
                embedder = await self._load()
                vectors = await embedder.embed([text for _, part in batch for text in part])
            except BaseException as error:
                # Whatever failed belongs to those who asked, who raise it; a stop ends the worker.
                self._fail(batch, error)
                if not isinstance(error, Exception):
                    raise
            else:
                _hand_out(batch, vectors)

    def _next_batch(self) -> list[tuple[_EmbeddingRequest, Sequence[str]]]:
        """Takes texts from the longest waiting requests; a long one is taken in parts."""
        batch: list[tuple[_EmbeddingRequest, Sequence[str]]] = []
        room = self._characters_max
        for request in tuple(self._waiting):
            part = request.next_texts(min(room, PART_CHARACTERS_MAX))
            room -= sum(map(len, part))
            batch.append((request, part))
            self._waiting.popleft()
            if len(part) < request.missing:
                # Behind those who have waited meanwhile.
                self._waiting.append(request)
            if room <= 0:
                break
        return batch

    def _fail(
        self, batch: Sequence[tuple[_EmbeddingRequest, Sequence[str]]], error: BaseException
    ) -> None:
        failed = [request for request, _ in batch]
        if not isinstance(error, Exception):
            failed += self._waiting
            self._waiting.clear()
        for request in failed:
            if request in self._waiting:
                self._waiting.remove(request)
            if not request.done.done():
                _give_up(request, error)


def _hand_out(
    batch: Sequence[tuple[_EmbeddingRequest, Sequence[str]]], vectors: FloatArray
) -> None:
    start = 0
    for request, part in batch:
        request.vectors.append(vectors[start : start + len(part)])
        start += len(part)
        # A caller that was cancelled no longer waits.
        if not request.missing and not request.done.done():
            request.done.set_result(None)


def _give_up(request: _EmbeddingRequest, error: BaseException) -> None:
    if isinstance(error, asyncio.CancelledError):
        request.done.cancel()
    else:
        request.done.set_exception(error)
