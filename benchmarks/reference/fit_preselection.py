"""Fits which sentences a reader sees, and says how often one that answers is among them.

    python -m benchmarks.reference.fit_preselection --data ../shared/data [--embedder e5-int8]

Questions of `qa/squad2`, `qa/xquad-en` and the development half of TimeQA. Weights are those of a
conditional logit of the right sentences among all that can be quoted, times what gives
`WEIGHT_OVERLAP` its value.

Keys: `weights`; `recall`, by set and count of sentences: the share of the questions with an answer
among what can be quoted of which a sentence that answers is seen, by the weights that stand
(`stands`) and by weights fitted on other pages (`fitted`). Sets of `--judged` are not fitted on.
"""

import argparse
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import numpy.typing as npt

from benchmarks.reader.selections import Selections
from benchmarks.reader.sets import Place, ReadingSet, read_set
from benchmarks.reference.conditional_logit import conditional_logit
from benchmarks.reference.fit_reader import timeqa_set
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import fold_of
from scops.common.config.settings import EmbedderName
from scops.explainer.quotes.selection import (
    WEIGHT_OVERLAP,
    WEIGHT_PASSAGE,
    WEIGHT_TIME,
    WEIGHT_TYPE,
    QuoteBounds,
    QuoteCandidate,
    preselect,
)
from scops.libraries.embedder.registry import load_embedder

Floats = npt.NDArray[np.float64]
FITTED = ("squad2", "xquad-en", "timeqa")
SIGNALS = ("overlap", "type", "passage", "time")
STANDING = np.array([WEIGHT_OVERLAP, WEIGHT_TYPE, WEIGHT_PASSAGE, WEIGHT_TIME])
FOLDS = 5
RIDGE = 1e-2
COUNTS = (8, 10, 12, 16, 24)
ALL = QuoteBounds(embedded_max=10_000)


@dataclass(frozen=True, slots=True)
class Example:
    """A question that something quotable answers.

    Attributes:
        rows: the `SIGNALS` of each candidate, shape (n, 4); `right` has which of them answer.
    """

    source: str
    fold: int
    rows: Floats
    right: Floats


def main() -> None:
    parser = command_parser(__doc__, data="folder of all data")
    parser.add_argument("--embedder", choices=get_args(EmbedderName), default="e5-int8")
    parser.add_argument("--questions", type=int, default=500, help="at most, of a set")
    parser.add_argument("--judged", default="", help="further folders of qa, with commas")
    args = parser.parse_args()
    print_result(fit(args), args)


def fit(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    embedder = CachingEmbedder(load_embedder(args.embedder))
    examples = [
        example
        for name in (*FITTED, *filter(None, args.judged.split(",")))
        for example in _examples(name, _set(name, args), embedder)
    ]
    embedder.close()
    folds = [_weights(examples, without=fold) for fold in range(FOLDS)]
    return {
        "weights": dict(zip(SIGNALS, _weights(examples).round(3).tolist(), strict=True)),
        "recall": {
            name: _recalls([one for one in examples if one.source == name], folds)
            for name in dict.fromkeys(one.source for one in examples)
        },
        "embedder_id": embedder.embedder_id,
    }


def _set(name: str, args: argparse.Namespace) -> ReadingSet:
    data: Path = args.data
    if name == "timeqa":
        return timeqa_set(data / "temporal" / "timeqa-train", questions=args.questions)
    return read_set(data / "qa" / name, questions=args.questions)


def _examples(name: str, among: ReadingSet, embedder: CachingEmbedder) -> Iterator[Example]:
    progress(f"{name}: {len(among.questions)} questions")
    selections = Selections(among, embedder)
    for question in among.questions:
        evidence, quotes = selections.quotable(question)
        candidates = preselect(question.text, quotes, evidence, ALL)
        places = [
            Place(str(one.quote.version_id), one.quote.start, one.quote.end) for one in candidates
        ]
        right = [any(place.meets(gold) for gold in question.spans) for place in places]
        if any(right):
            rows = np.array([_signals(one) for one in candidates], dtype=np.float64)
            yield Example(name, fold_of(question.page, FOLDS), rows, np.array(right, dtype=float))


def _signals(candidate: QuoteCandidate) -> tuple[float, float, float, float]:
    """Returns the `SIGNALS` of a candidate."""
    matches = float(candidate.type_matches)
    return candidate.overlap, matches, candidate.passage_score, candidate.time_fit


def _weights(examples: Sequence[Example], *, without: int | None = None) -> Floats:
    fitted = [one for one in examples if one.source in FITTED and one.fold != without]
    found = conditional_logit(
        [one.rows for one in fitted], [one.right for one in fitted], ridge=RIDGE
    )
    scaled: Floats = found * WEIGHT_OVERLAP / found[0]
    return scaled


def _recalls(
    examples: Sequence[Example], folds: Sequence[Floats]
) -> dict[int, dict[str, float | int]]:
    return {
        count: {
            "stands": _recall([(one, STANDING) for one in examples], count),
            "fitted": _recall([(one, folds[one.fold]) for one in examples], count),
            "questions": len(examples),
        }
        for count in COUNTS
    }


def _recall(weighted: Sequence[tuple[Example, Floats]], count: int) -> float:
    seen = [
        bool(one.right[np.argsort(-(one.rows @ weights), kind="stable")[:count]].any())
        for one, weights in weighted
    ]
    return round(statistics.fmean(seen), 4)


if __name__ == "__main__":
    main()
