"""Splits of the labelled sets of `benchmarks.change`, each by page."""

import statistics
from collections.abc import Sequence

from benchmarks.change.scores import Judged, counts, scores
from benchmarks.shared.splits import fold_of

SPLITS, FOLDS = 3, 5
SALIENCES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)
Weighed = Sequence[tuple[str, bool, float]]
"""Page, whether it is a change, and what it weighs."""


def f1_of_folds(judged: Judged) -> dict[str, object]:
    """Returns mean, lowest and highest F1 of the parts of several splits."""
    found = [
        f1
        for split in range(SPLITS)
        for fold in range(FOLDS)
        if (f1 := counts([row for row in judged if _fold(split, row[0]) == fold]).f1) is not None
    ]
    if not found:
        return {"f1_of_folds": None}
    told = (statistics.fmean(found), min(found), max(found))
    return {"f1_of_folds": [round(value, 4) for value in told]}


def cross_validated(weighed: Weighed) -> dict[str, object]:
    """Returns the scores of each split, every part judged by the threshold best on the others."""
    told = [scores(_held_out(weighed, split)) for split in range(SPLITS)]
    return {
        measure: [row[measure] for row in told]
        for measure in ("f1", "f1_interval", "false_alarms_per_100")
    }


def _held_out(weighed: Weighed, split: int) -> Judged:
    judged: list[tuple[str, bool, bool]] = []
    for fold in range(FOLDS):
        fitted = [row for row in weighed if _fold(split, row[0]) != fold]
        threshold = max(SALIENCES, key=lambda least: counts(_judged(fitted, least)).f1 or 0.0)
        held = [row for row in weighed if _fold(split, row[0]) == fold]
        judged += _judged(held, threshold)
    return judged


def _judged(weighed: Weighed, least: float) -> list[tuple[str, bool, bool]]:
    return [(page, positive, weight >= least) for page, positive, weight in weighed]


def _fold(split: int, page: str) -> int:
    return fold_of(f"{split} {page}", FOLDS)
