"""How much faster our embedder is than `SentenceTransformer.encode`, on the same real chunks.

    bash benchmarks/reference/setup_torch.sh
    python -m benchmarks.embed [--data DIR] --json

Both get the same texts, 512 tokens at most, and two threads; sentence-transformers runs in
processes and an environment of its own, with its own defaults (batches of 32, sorted by length): in
fp32 by torch, and in int8 by its ONNX backend with weights that it quantises itself. Tokenising
counts on all sides, loading on none. The contenders take turns, so that other work on the machine
hits all of them, and the median of the rounds counts.

Keys: `speedup_int8`, `speedup_fp32`, `speedup_best` (times; above 1 we are faster), `cosine_mean`
and `cosine_min` (int8 against the reference in fp32), `speedup_int8_onnx` (int8 against its own
int8), `cosine_mean_onnx` (its int8 against its fp32), `query_ms` and `query_reference_ms` (median
of single queries of at most 32 tokens, ours in int8), `texts_per_second_*`, `n` (chunks).
"""

import asyncio
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import numpy as np
from lxml import html

from benchmarks.shared.child import Child, running_child
from benchmarks.shared.command import command_parser, print_result, progress
from scops.libraries.embedder.graph import GraphPrecision
from scops.libraries.embedder.onnx_embedder import OnnxEmbedder
from scops.libraries.embedder.port import FloatArray
from scops.libraries.embedder.weights import default_cache_dir, ensure_model

DEFAULT_DATA = Path("/usr/share/doc/postgresql-doc-15/html")
THREADS = 2
CHUNK_TOKENS_MIN = 200
CHUNK_TOKENS_MAX = 400
QUERY_TOKENS_MAX = 32
QUERY_WORDS = 14
QUERIES = 40
SEED = 7
PRECISIONS: tuple[GraphPrecision, ...] = ("int8", "fp32")

_BLOCKS = "//p | //li | //dt | //pre | //h1 | //h2 | //h3 | //h4 | //td"


def main() -> None:
    parser = command_parser(__doc__, data="folder of HTML files", default=DEFAULT_DATA)
    parser.add_argument("--chunks", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    result = measure(args.data, chunks=args.chunks, rounds=args.rounds)
    print_result(result, args)


def measure(data: Path, *, chunks: int, rounds: int) -> dict[str, float]:
    """Returns the figures that the module's docstring names."""
    embedders = {name: OnnxEmbedder.load(name, threads=THREADS) for name in PRECISIONS}
    texts = read_chunks(data, embedders["int8"], limit=chunks)
    queries = queries_of(texts, embedders["int8"])
    progress(f"{len(texts)} chunks, {len(queries)} queries from {data}")
    places = list(range(len(texts)))
    with (
        asyncio.Runner() as runner,
        Reference.start([*texts, *queries]) as reference,
        Reference.start(texts, backend="onnx-int8") as quantised,
    ):
        contenders = ("reference", "reference_int8", *PRECISIONS)
        seconds: dict[str, list[float]] = {name: [] for name in contenders}
        vectors: FloatArray = np.empty((0, 0), dtype=np.float32)
        for number in range(rounds):
            seconds["reference"].append(reference.seconds(places))
            seconds["reference_int8"].append(quantised.seconds(places))
            for name, embedder in embedders.items():
                taken, embedded = _timed(runner, embedder, texts)
                seconds[name].append(taken)
                vectors = embedded if name == "int8" else vectors
            last = {name: round(values[-1], 2) for name, values in seconds.items()}
            progress(f"round {number + 1}: seconds {last}")
        ours, theirs = [], []
        for place, query in enumerate(queries, start=len(texts)):
            theirs.append(reference.seconds([place]) * 1000)
            ours.append(_timed(runner, embedders["int8"], [query])[0] * 1000)
        plain = reference.vectors[: len(texts)]
        found = figures(
            {name: statistics.median(values) for name, values in seconds.items()},
            ours=np.einsum("ij,ij->i", vectors, plain),
            theirs=np.einsum("ij,ij->i", quantised.vectors, plain),
        )
    return {
        **found,
        "query_ms": round(statistics.median(ours), 2),
        "query_reference_ms": round(statistics.median(theirs), 2),
        "n": len(texts),
    }


def figures(
    seconds: Mapping[str, float], *, ours: FloatArray, theirs: FloatArray
) -> dict[str, float]:
    """Returns the keys of texts that the module's docstring names.

    Args:
        seconds: of all texts, by contender.
        ours, theirs: cosine of each text in int8 with the reference in fp32, shape (texts,).
    """
    speedups = {name: seconds["reference"] / seconds[name] for name in PRECISIONS}
    return {
        **{f"speedup_{name}": round(value, 2) for name, value in speedups.items()},
        "speedup_best": round(max(speedups.values()), 2),
        "cosine_mean": round(float(ours.mean()), 4),
        "cosine_min": round(float(ours.min()), 4),
        "speedup_int8_onnx": round(seconds["reference_int8"] / seconds["int8"], 2),
        "cosine_mean_onnx": round(float(theirs.mean()), 4),
        **{f"texts_per_second_{k}": round(len(ours) / v, 1) for k, v in seconds.items()},
    }


def read_chunks(folder: Path, embedder: OnnxEmbedder, *, limit: int) -> list[str]:
    """Returns chunks of 200 to 400 tokens, the same ones for the same folder."""
    files = sorted(folder.rglob("*.html"))
    if not files:
        raise SystemExit(f"benchmarks.embed: no HTML files in {folder}; name a folder with --data")
    random.Random(SEED).shuffle(files)
    chunks: list[str] = []
    for file in files:
        chunks.extend(_pack(_blocks(file), embedder))
        if len(chunks) >= limit:
            break
    return chunks[:limit]


def queries_of(texts: Sequence[str], embedder: OnnxEmbedder) -> list[str]:
    """Returns the beginnings of some chunks, short enough for a query."""
    beginnings = (" ".join(text.split()[:QUERY_WORDS]) for text in texts)
    short = [text for text in beginnings if embedder.count_tokens(text) <= QUERY_TOKENS_MAX]
    return short[:QUERIES]


class Reference:
    """sentence-transformers in a child process."""

    def __init__(self, child: Child, vectors: FloatArray) -> None:
        self._child = child
        self.vectors = vectors

    @classmethod
    @contextmanager
    def start(cls, texts: Sequence[str], *, backend: str = "torch") -> Iterator[Self]:
        python = default_cache_dir() / "venv-torch" / "bin" / "python"
        if not python.exists():
            raise SystemExit("benchmarks.embed: run benchmarks/reference/setup_torch.sh first")
        script = Path(__file__).parent / "reference" / "encode.py"
        with tempfile.TemporaryDirectory() as scratch:
            inputs, outputs = Path(scratch, "texts.json"), Path(scratch, "vectors.npy")
            inputs.write_text(json.dumps(list(texts)))
            paths = (python, script, ensure_model(), inputs, outputs)
            command = [*map(str, paths), str(THREADS), backend]
            with running_child(command, quiet=True) as child:
                child.told()
                yield cls(child, np.load(outputs))

    def seconds(self, places: Sequence[int]) -> float:
        """Returns how long the texts at these places take."""
        self._child.tell(json.dumps(list(places)))
        return float(self._child.told())


def _timed(
    runner: asyncio.Runner, embedder: OnnxEmbedder, texts: Sequence[str]
) -> tuple[float, FloatArray]:
    async def timed() -> tuple[float, FloatArray]:
        # Inside the loop: on its way out `Runner.run` renders the result, for 6 ms.
        started = time.perf_counter()
        vectors = await embedder.embed(texts)
        return time.perf_counter() - started, vectors

    return runner.run(timed())


def _blocks(file: Path) -> Iterator[str]:
    for element in html.parse(str(file)).getroot().xpath(_BLOCKS):
        text = " ".join(element.text_content().split())
        if text:
            yield text


def _pack(blocks: Iterator[str], embedder: OnnxEmbedder) -> Iterator[str]:
    """Yields whole blocks put together up to 400 tokens; what stays under 200 is dropped."""
    packed: list[str] = []
    tokens = 0
    for block in blocks:
        count = embedder.count_tokens(block)
        if tokens + count > CHUNK_TOKENS_MAX:
            if tokens >= CHUNK_TOKENS_MIN:
                yield "\n".join(packed)
            packed, tokens = [], 0
        if count <= CHUNK_TOKENS_MAX:
            packed.append(block)
            tokens += count


if __name__ == "__main__":
    main()
