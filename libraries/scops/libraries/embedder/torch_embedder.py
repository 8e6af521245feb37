"""MiniLM on sentence-transformers, for machines with a GPU; needs the extra `[torch]`.

Texts are tokenised and cut by our own code, so that both backends see the same windows. In fp32 its
vectors equal those of the ONNX embedder in fp32 and share its `embedder_id`; batches are padded, so
the last bits of a vector may depend on its neighbours.
"""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from scops.libraries.embedder.calibration import calibration_of
from scops.libraries.embedder.models import MINILM
from scops.libraries.embedder.port import DIMENSIONS, FloatArray, TokenVectors, embedder_id
from scops.libraries.embedder.tokens import ModelTokens
from scops.libraries.embedder.weights import ensure_tokenizer, published_file
from scops.libraries.embedder.windows import Window, pool_tokens, pool_windows

TorchPrecision = Literal["fp32", "bf16"]

BATCH_WINDOWS = 32


class TorchMissingError(RuntimeError):
    """The extra `[torch]` is not installed."""


class TorchEmbedder:
    """Implements the embedder port; see there for the contract."""

    dimensions = DIMENSIONS
    calibration = calibration_of(MINILM.name)

    def __init__(self, model: Any, tokenizer: ModelTokens, *, precision: TorchPrecision) -> None:
        self.embedder_id = embedder_id(MINILM, precision)
        self.max_tokens = tokenizer.max_tokens
        self._model = model
        self._tokenizer = tokenizer
        # Of the tokenizer itself: a child process counts without the model.
        self.count_tokens = tokenizer.count
        # One thread: torch spreads a batch over the cores, or the GPU, by itself.
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="embedder")

    @classmethod
    def load(
        cls,
        precision: TorchPrecision = "fp32",
        *,
        threads: int = 2,
        cache_dir: Path | None = None,
    ) -> Self:
        """Loads the model on the GPU where there is one, else on the CPU.

        Args:
            precision: bf16 halves the memory and is faster on hardware made for it.
            threads: threads of torch on the CPU; at least 1. Holds for the whole process.
            cache_dir: where weights are kept; None is `weights.default_cache_dir()`.

        Raises:
            TorchMissingError: torch or sentence-transformers is not installed.
            WheelUnavailableError: the weights cannot be had.
        """
        try:
            torch = import_module("torch")
            sentence_transformers = import_module("sentence_transformers")
        except ImportError as error:
            raise TorchMissingError(
                "loading the torch embedder: sentence-transformers is not installed; "
                "run `pip install 'scops[torch]'` or choose the embedder backend `onnx`"
            ) from error
        folder = published_file("model.safetensors", cache_dir).parent
        torch.set_num_threads(threads)
        device = "cuda" if torch.cuda.is_available() else "cpu"
        model = sentence_transformers.SentenceTransformer(str(folder), device=device)
        if precision == "bf16":
            model = model.to(torch.bfloat16)
        tokenizer = ModelTokens(ensure_tokenizer(cache_dir), MINILM)
        return cls(model.eval(), tokenizer, precision=precision)

    async def embed(self, texts: Sequence[str], *, as_queries: bool = False) -> FloatArray:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        loop = asyncio.get_running_loop()
        cut = partial(self._tokenizer.windows, texts, as_queries=as_queries)
        windows = await loop.run_in_executor(self._executor, cut)
        vectors, _ = await self._each(windows)
        return pool_windows(windows, vectors, texts=len(texts))

    async def embed_tokens(
        self, texts: Sequence[str], *, as_queries: bool = False
    ) -> list[TokenVectors]:
        loop = asyncio.get_running_loop()
        cut = partial(self._tokenizer.placed_windows, texts, as_queries=as_queries)
        windows, placed = await loop.run_in_executor(self._executor, cut)
        vectors, states = await self._each(windows)
        own = [self._tokenizer.own_tokens(rows, as_queries=as_queries) for rows in states]
        return pool_tokens(windows, vectors, own, placed)

    def close(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    async def _each(self, windows: Sequence[Window]) -> tuple[FloatArray, list[FloatArray]]:
        """Returns vector and states of every window, by its place."""
        loop = asyncio.get_running_loop()
        vectors = np.empty((len(windows), self.dimensions), dtype=np.float32)
        states = [vectors[:0]] * len(windows)
        # Batch by batch, so that a query finds its turn between two batches of a long request.
        for batch in _batches(windows):
            chosen = [windows[index] for index in batch]
            vectors[batch], rows = await loop.run_in_executor(self._executor, self._run, chosen)
            for place, padded in zip(batch, rows, strict=True):
                states[place] = padded[: len(windows[place])]
        return vectors, states

    def _run(self, windows: Sequence[Window]) -> tuple[FloatArray, FloatArray]:
        torch = import_module("torch")
        ids, mask = _padded(windows)
        device = self._model.device
        features = {
            "input_ids": torch.from_numpy(ids).to(device),
            "attention_mask": torch.from_numpy(mask).to(device),
            "token_type_ids": torch.zeros(ids.shape, dtype=torch.int64, device=device),
        }
        with torch.inference_mode():
            found = self._model(features)
            unit = torch.nn.functional.normalize(found["sentence_embedding"].float(), dim=1)
            states = found["token_embeddings"].float()
        return (
            np.asarray(unit.cpu().numpy(), dtype=np.float32),
            np.asarray(states.cpu().numpy(), dtype=np.float32),
        )


def _batches(windows: Sequence[Window]) -> Iterator[list[int]]:
    """Yields the places of windows of like length, so that little is padded."""
    order = sorted(range(len(windows)), key=lambda i: len(windows[i]), reverse=True)
    for start in range(0, len(order), BATCH_WINDOWS):
        yield order[start : start + BATCH_WINDOWS]


def _padded(
    windows: Sequence[Window],
) -> "tuple[np.ndarray[tuple[int, int], np.dtype[np.int64]], ...]":
    shape = (len(windows), max(len(window) for window in windows))
    ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, window in enumerate(windows):
        ids[row, : len(window)] = window.tokens
        mask[row, : len(window)] = 1
    return ids, mask
