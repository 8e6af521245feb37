"""Embedders on ONNX Runtime.

Every window is run alone, on one thread, several windows at once. That is faster than padded
batches on many threads, and it makes a vector depend on its own text only, which dynamic
quantisation over a batch would not.

Texts by the dozen are a crawl's, or as good as: they are computed at a lower priority than what a
person waits for and than the event loop, which would otherwise have what two busy threads leave.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
import onnxruntime

from scops.common.processes.child import NICENESS
from scops.libraries.embedder.calibration import calibration_of
from scops.libraries.embedder.graph import GraphPrecision
from scops.libraries.embedder.models import MINILM, EmbeddingModel
from scops.libraries.embedder.port import DIMENSIONS, FloatArray, TokenVectors, embedder_id
from scops.libraries.embedder.tokens import ModelTokens
from scops.libraries.embedder.weights import ensure_graph, ensure_tokenizer
from scops.libraries.embedder.windows import Window, pool_tokens, pool_windows

STEP_TOKENS = 512
"""Tokens that a thread works on before it turns to another request."""

SHORT_CHARACTERS = 400
"""A text of at most these, as a question is, is cut where it is asked for: that takes less than
handing it to a thread and back."""


class OnnxEmbedder:
    """Implements the embedder port; see there for the contract."""

    dimensions = DIMENSIONS

    def __init__(
        self,
        session: onnxruntime.InferenceSession,
        tokenizer: ModelTokens,
        *,
        model: EmbeddingModel,
        precision: GraphPrecision,
        threads: int,
    ) -> None:
        self.embedder_id = embedder_id(model, precision)
        self.max_tokens = tokenizer.max_tokens
        self.calibration = calibration_of(model.name)
        self._session = session
        self._tokenizer = tokenizer
        # Of the tokenizer itself: a child process counts without the model.
        self.count_tokens = tokenizer.count
        self._threads = threads
        self._prompt = ThreadPoolExecutor(threads, thread_name_prefix="embedder")
        self._patient = ThreadPoolExecutor(
            threads, thread_name_prefix="patient-embedder", initializer=_step_back
        )

    @classmethod
    def load(
        cls,
        precision: GraphPrecision = "int8",
        *,
        model: EmbeddingModel = MINILM,
        threads: int = 2,
        cache_dir: Path | None = None,
    ) -> Self:
        """Loads the model; fetches the weights and builds the graph first where they are missing.

        Args:
            precision: int8 is more than twice as fast, fp32 equals the published model.
            model: what is run.
            threads: windows that are computed at once; at least 1.
            cache_dir: where weights are kept; None is `weights.default_cache_dir()`.

        Raises:
            WheelUnavailableError: the weights cannot be had.
        """
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        graph = ensure_graph(precision, cache_dir, model=model)
        session = onnxruntime.InferenceSession(
            str(graph), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = ModelTokens(ensure_tokenizer(cache_dir, model=model), model)
        return cls(session, tokenizer, model=model, precision=precision, threads=threads)

    async def embed(self, texts: Sequence[str], *, as_queries: bool = False) -> FloatArray:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        loop = asyncio.get_running_loop()
        executor = self._prompt if as_queries or len(texts) == 1 else self._patient
        if len(texts) == 1 and len(texts[0]) <= SHORT_CHARACTERS:
            windows = self._tokenizer.windows(texts, as_queries=as_queries)
        else:
            cut = partial(self._tokenizer.windows, texts, as_queries=as_queries)
            windows = await loop.run_in_executor(executor, cut)
        vectors = np.empty((len(windows), self.dimensions), dtype=np.float32)

        def compute(place: int) -> None:
            vectors[place] = self._run(windows[place], "embedding")[0]

        await self._each(windows, compute, executor)
        return pool_windows(windows, vectors, texts=len(texts))

    async def embed_tokens(
        self, texts: Sequence[str], *, as_queries: bool = False
    ) -> list[TokenVectors]:
        loop = asyncio.get_running_loop()
        cut = partial(self._tokenizer.placed_windows, texts, as_queries=as_queries)
        windows, placed = await loop.run_in_executor(self._prompt, cut)
        vectors = np.empty((len(windows), self.dimensions), dtype=np.float32)
        states = [np.empty((0, self.dimensions), dtype=np.float32) for _ in windows]

        def compute(place: int) -> None:
            vectors[place], rows = self._run(windows[place], "embedding", "states")
            states[place] = self._tokenizer.own_tokens(rows, as_queries=as_queries)

        await self._each(windows, compute, self._prompt)
        return pool_tokens(windows, vectors, states, placed)

    def close(self) -> None:
        for executor in (self._prompt, self._patient):
            executor.shutdown(wait=True, cancel_futures=True)

    async def _each(
        self,
        windows: Sequence[Window],
        compute: Callable[[int], None],
        executor: ThreadPoolExecutor,
    ) -> None:
        """Computes every window by its place, some at once."""
        loop = asyncio.get_running_loop()
        if len(windows) == 1:
            await loop.run_in_executor(executor, compute, 0)
            return
        steps = _steps(windows)

        def compute_step(step: Sequence[int]) -> None:
            for place in step:
                compute(place)

        async def work() -> None:
            for step in steps:
                await loop.run_in_executor(executor, compute_step, step)

        # A request has at most one step a thread in the queue, so that a query does not wait
        # until the many texts of an indexing request are done.
        async with asyncio.TaskGroup() as group:
            for _ in range(self._threads):
                group.create_task(work())

    def _run(self, window: Window, *outputs: str) -> list[FloatArray]:
        """Returns outputs of the graph for a window."""
        inputs = {"input_ids": window.tokens[np.newaxis]}
        return [found[0] for found in self._session.run(list(outputs), inputs)]


def _step_back() -> None:
    """Lowers the priority of the thread; where it is the process that has one, leaves it."""
    if sys.platform == "linux":
        os.nice(NICENESS)


def _steps(windows: Sequence[Window]) -> Iterator[list[int]]:
    """Yields the places of the windows, longest first, in steps of about `STEP_TOKENS`.

    Longest first, so that no thread is left with a long window at the end.
    """
    step: list[int] = []
    tokens = 0
    for index in sorted(range(len(windows)), key=lambda i: len(windows[i]), reverse=True):
        if step and tokens + len(windows[index]) > STEP_TOKENS:
            yield step
            step, tokens = [], 0
        step.append(index)
        tokens += len(windows[index])
    yield step
