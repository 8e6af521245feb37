"""What one of our embedders costs beside another, on paragraphs of each language.

    python -m benchmarks.embed_cost --data ../shared/data/qa [--embedder e5-int8] --json

Every subfolder of paragraphs and questions is embedded by both in turns, two threads each, so that
other work on the machine hits both; the median of the rounds counts.

Keys, each of `<folder>`: `cost` (seconds ÷ those of `onnx-int8`), `query_cost` (of single
questions), `tokens` (÷ its tokens). `cost`, `query_cost`, `tokens`: geometric means over folders.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.languages.folders import folder_names, read_folder
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from scops.common.config.settings import EmbedderName
from scops.libraries.embedder.port import Embedder
from scops.libraries.embedder.registry import load_embedder

BASE: EmbedderName = "onnx-int8"
PARAGRAPHS = 24
QUESTIONS = 12


def main() -> None:
    parser = command_parser(__doc__, data="folder of folders of paragraphs and questions")
    add_embedder(parser, default="e5-int8")
    parser.add_argument("--folders", default="", help="names, with commas; all where empty")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    print_result(measure(args.data, args), args)


def measure(data: Path, args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    pair = load_embedder(BASE), load_embedder(args.embedder)
    result: dict[str, object] = {}
    ratios: dict[str, list[float]] = {"cost": [], "query_cost": [], "tokens": []}
    with asyncio.Runner() as runner:
        for name in args.folders.split(",") if args.folders else folder_names(data):
            folder = read_folder(data / name, questions=QUESTIONS)
            texts = [one.text for one in folder.paragraphs[:PARAGRAPHS]]
            asked = [one.text for one in folder.questions]
            base, other = runner.run(_seconds(pair, texts, args.rounds, alone=False))
            base_query, other_query = runner.run(_seconds(pair, asked, args.rounds, alone=True))
            tokens = [sum(map(embedder.count_tokens, texts)) for embedder in pair]
            found = {
                "cost": other / base,
                "query_cost": other_query / base_query,
                "tokens": tokens[1] / tokens[0],
            }
            for key, value in found.items():
                ratios[key].append(value)
            result[name] = {key: round(value, 2) for key, value in found.items()}
            progress(f"{name}: {result[name]}")
    for embedder in pair:
        embedder.close()
    means = {key: round(statistics.geometric_mean(found), 2) for key, found in ratios.items()}
    return result | means


async def _seconds(
    embedders: Sequence[Embedder], texts: Sequence[str], rounds: int, *, alone: bool
) -> list[float]:
    """Returns the median seconds of each embedder; queries are embedded one by one."""
    seconds: list[list[float]] = [[] for _ in embedders]
    for _ in range(rounds):
        for embedder, found in zip(embedders, seconds, strict=True):
            started = time.perf_counter()
            if alone:
                for text in texts:
                    await embedder.embed([text], as_queries=True)
            else:
                await embedder.embed(texts)
            found.append(time.perf_counter() - started)
    return [statistics.median(found) for found in seconds]


if __name__ == "__main__":
    main()
