"""Ours beside each other extractor of a run: differences with intervals, by the same pages.

Pages of one site are drawn together, because they fail together.
"""

import random
from collections.abc import Callable, Mapping, Sequence

from benchmarks.extraction.sets import Counts
from benchmarks.shared.figures import f1_of

DRAWS = 1000
SEED = 7
PERCENT = (0.025, 0.975)
MEASURES = ("precision", "recall", "f1")

Scored = Callable[[Sequence[Counts]], tuple[float, float]]
Figures = dict[str, float | list[float]]


def measures_of(counts: Sequence[Counts], scored: Scored) -> dict[str, float]:
    """Returns precision, recall and F1 of pages."""
    precision, recall = scored(counts)
    return {"precision": precision, "recall": recall, "f1": f1_of(precision, recall)}


def compared(
    counts: Mapping[str, Sequence[Counts]], sites: Sequence[str], scored: Scored, *, ours: str
) -> dict[str, Figures]:
    """Returns for each other extractor ours less its, with 95 % intervals and p of each.

    Args:
        counts: of each extractor, in the order of the pages.
        sites: of each page.

    Returns:
        `precision`, `recall` and `f1`, each also as `..._interval` and `..._p`: twice the share
        of the draws in which the sign is the other one.
    """
    points = {name: measures_of(found, scored) for name, found in counts.items()}
    drawn: dict[str, list[dict[str, float]]] = {name: [] for name in counts}
    for places in _draws(sites):
        for name, found in counts.items():
            drawn[name].append(measures_of([found[at] for at in places], scored))
    return {
        name: _difference(points[ours], points[name], drawn[ours], drawn[name])
        for name in counts
        if name != ours
    }


def _draws(sites: Sequence[str]) -> list[list[int]]:
    places: dict[str, list[int]] = {}
    for at, site in enumerate(sites):
        places.setdefault(site, []).append(at)
    groups = list(places.values())
    chance = random.Random(SEED)
    return [
        [at for group in chance.choices(groups, k=len(groups)) for at in group]
        for _ in range(DRAWS)
    ]


def _difference(
    ours: Mapping[str, float],
    other: Mapping[str, float],
    ours_drawn: Sequence[Mapping[str, float]],
    other_drawn: Sequence[Mapping[str, float]],
) -> Figures:
    figures: Figures = {}
    for measure in MEASURES:
        differences = sorted(
            mine[measure] - its[measure] for mine, its in zip(ours_drawn, other_drawn, strict=True)
        )
        figures[measure] = round(ours[measure] - other[measure], 4)
        figures[f"{measure}_interval"] = [
            round(differences[int(share * (DRAWS - 1))], 4) for share in PERCENT
        ]
        below = (sum(value <= 0 for value in differences) + 1) / (DRAWS + 1)
        above = (sum(value >= 0 for value in differences) + 1) / (DRAWS + 1)
        figures[f"{measure}_p"] = round(min(2 * min(below, above), 1.0), 4)
    return figures
