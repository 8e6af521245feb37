"""Keyphrases of texts against those that people chose, beside YAKE, TextRank and KeyBERT.

    python -m benchmarks.keyphrases [--data DIR] [--documents 60] [--json]

DIR holds a folder a set (or is one) with `documents.jsonl.gz`: `title`, `text`, `keyphrases`, and
where it has them `uncontrolled`, the freely chosen ones, which count then. Texts are a title and
what follows. Phrases are the same where their words have the same stems (Porter), F1 is that of
the first five and ten of each text, then the mean over texts. The other libraries run in
`~/.cache/scops/venv-torch` (`reference/setup_torch.sh`), by their own defaults (`keyphrase_sides`).

Keys, means over the sets, and of each set in `sets`:
    SIDE.f1@5, SIDE.f1@10: of `ours`, `yake`, `textrank`, `keybert`; null where a side did not run;
        `…_interval`, the 95 % interval of a bootstrap over texts, in `sets`.
    ours_above_best.f1@5, ours_above_best.f1@10: `ours` less the best of the others.
    documents: of all sets.
"""

import argparse
import asyncio
import json
import random
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import Stemmer

from benchmarks.shared.child import running_child
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.figures import f1_of, rounded_mean
from benchmarks.shared.json_lines import json_lines
from scops.common.config.settings import CommonSettings
from scops.libraries.embedder.opening import open_embedder
from scops.libraries.embedder.port import Embedder
from scops.libraries.embedder.weights import default_cache_dir, ensure_model
from scops.libraries.keyphrases.choosing import keyphrases

DATA = Path("../shared/data/keyphrases")
FILE = "documents.jsonl.gz"
SIDES = ("ours", "yake", "textrank", "keybert")
BOUNDS = (5, 10)
# KeyBERT takes four seconds a text.
DOCUMENTS, PROGRESS_DOCUMENTS = 60, 20
SCRIPT = Path(__file__).parents[1] / "reference" / "keyphrase_sides.py"
RESAMPLES, LEVEL = 2000, 0.95
_STEMMER = Stemmer.Stemmer("porter")
_WORD = re.compile(r"\w+")


def main() -> None:
    parser = command_parser(__doc__, data="a folder of sets, or one set", default=DATA)
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of a set; 0 for all")
    add_embedder(parser)
    options = parser.parse_args()
    print_result(measure(options), options)


def measure(options: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    embedder = open_embedder(CommonSettings(embedder=options.embedder))
    sets: dict[str, dict[str, Any]] = {}
    documents = 0
    for folder in folders_of(options.data):
        rows = list(json_lines(folder / FILE))[: options.documents or None]
        texts = [text_of(row) for row in rows]
        gold = [row.get("uncontrolled") or row["keyphrases"] for row in rows]
        chosen = asyncio.run(_ours(texts, embedder, folder.name)) | _others(texts, folder.name)
        sets[folder.name] = figures_of(chosen, gold)
        documents += len(rows)
    keys = [f"{side}.f1@{bound}" for side in SIDES for bound in BOUNDS]
    means = {key: _mean([one[key] for one in sets.values()]) for key in keys}
    return {**means, **_above(means), "documents": documents, "sets": sets}


def folders_of(data: Path) -> list[Path]:
    """Returns the folders of sets.

    Raises:
        SystemExit: there is none.
    """
    if (data / FILE).is_file():
        return [data]
    found = sorted(one.parent for one in data.glob(f"*/{FILE}"))
    if not found:
        raise SystemExit(
            f"benchmarks.keyphrases: there is no {FILE} in {data} or a folder of it; "
            "name one with --data"
        )
    return found


def text_of(row: dict[str, Any]) -> str:
    """Returns what keyphrases are taken from."""
    title = row.get("title", "").strip()
    return f"{title}. {row['text']}" if title else row["text"]


def figures_of(chosen: dict[str, list[list[str]]], gold: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Returns each side's F1 of a set, with its interval."""
    told: dict[str, Any] = {}
    for side in SIDES:
        for bound in BOUNDS:
            key = f"{side}.f1@{bound}"
            phrases = chosen.get(side, [])
            values = [f1_at(bound, one, right) for one, right in zip(phrases, gold, strict=False)]
            told |= {key: rounded_mean(values), f"{key}_interval": _interval(values)}
    return told


def f1_at(bound: int, phrases: Sequence[str], gold: Sequence[str]) -> float:
    """Returns the F1 of the first phrases of a text."""
    right = {_stems(phrase) for phrase in gold} - {""}
    first = [_stems(phrase) for phrase in phrases[:bound]]
    if not first or not right:
        return 0.0
    hits = len(right.intersection(first))
    return f1_of(hits / len(first), hits / len(right))


async def _ours(texts: Sequence[str], embedder: Embedder, name: str) -> dict[str, list[list[str]]]:
    found: list[list[str]] = []
    for text in texts:
        phrases = await keyphrases(text, embedder, limit=max(BOUNDS))
        found.append([one.text for one in phrases])
        _tell(name, "ours", len(found))
    return {"ours": found}


def _others(texts: Sequence[str], name: str) -> dict[str, list[list[str]]]:
    """Returns what the other libraries choose; nothing where they are not installed."""
    python = default_cache_dir() / "venv-torch" / "bin" / "python"
    found: dict[str, list[list[str]]] = {}
    if not python.exists():
        progress("The other libraries are missing: run benchmarks/reference/setup_torch.sh first.")
        return found
    with running_child([str(python), str(SCRIPT), str(ensure_model())], quiet=True) as child:
        for number, text in enumerate(texts):
            child.tell(json.dumps(text))
            for side, phrases in child.told().items():
                found.setdefault(side, []).append(phrases)
            _tell(name, "others", number + 1)
    return found


def _above(means: dict[str, float | None]) -> dict[str, float | None]:
    told: dict[str, float | None] = {}
    for bound in BOUNDS:
        others = [one for side in SIDES[1:] if (one := means[f"{side}.f1@{bound}"]) is not None]
        ours = means[f"ours.f1@{bound}"]
        above = round(ours - max(others), 4) if ours is not None and others else None
        told[f"ours_above_best.f1@{bound}"] = above
    return told


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return rounded_mean(known)


def _interval(values: Sequence[float]) -> list[float] | None:
    """Returns the interval of a bootstrap."""
    if not values:
        return None
    chance = random.Random(0)
    means = sorted(
        statistics.fmean(chance.choices(values, k=len(values))) for _ in range(RESAMPLES)
    )
    outside = round(RESAMPLES * (1 - LEVEL) / 2)
    return [round(means[outside], 4), round(means[-outside - 1], 4)]


def _stems(phrase: str) -> str:
    return " ".join(_STEMMER.stemWords(_WORD.findall(phrase.lower())))


def _tell(name: str, side: str, done: int) -> None:
    if done % PROGRESS_DOCUMENTS == 0:
        progress(f"{name}: {side} {done}")


if __name__ == "__main__":
    main()
