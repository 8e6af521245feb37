"""What results of questions come to, with intervals of a bootstrap over questions."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urldefrag, urlsplit

import numpy as np
from numpy.typing import NDArray

from benchmarks.expansion.questions import Question
from benchmarks.expansion.walkers import Result
from benchmarks.shared.figures import percentile

DRAWS = 2000
SEED = 11
INTERVAL = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question with what each side did for it.

    Attributes:
        results: by side.
        relevant: paths of pages that hold one of the sections that are best for the question, or
            its answer.
    """

    question: Question
    results: Mapping[str, Result]
    relevant: frozenset[str]


def path_of(url: str) -> str:
    """Returns the path of a page, as questions name it."""
    return urlsplit(urldefrag(url).url).path


def pages_to_answer(outcome: Outcome, side: str) -> float:
    """Returns how many pages were fetched until the gold pages were; infinite if never."""
    paths = [path_of(url) for url in outcome.results[side].pages]
    counts = range(1, len(paths) + 1)
    held = (count for count in counts if outcome.question.answered_by(paths[:count]))
    return float(next(held, math.inf))


def figures(
    outcomes: Sequence[Outcome], sides: Sequence[str], *, budget_pages: int
) -> dict[str, object]:
    """Returns the keys that the benchmark's docstring names.

    Args:
        outcomes: every question, with results of the same sides.
        sides: those that are told of; what a side did not do is null.
    """
    answerable = [one for one in outcomes if one.question.answerable]
    hopeless = [one for one in outcomes if not one.question.answerable]
    ran = [side for side in sides if all(side in one.results for one in outcomes) and outcomes]
    result: dict[str, object] = {}
    for side in sides:
        known = side in ran
        counts = [pages_to_answer(one, side) for one in answerable] if known else []
        for percent in (50, 90):
            name = f"{side}.pages_to_answer_p{percent}"
            result |= _told(name, np.array(counts), _percentile(percent))
        result |= _told(f"{side}.answered_share", np.isfinite(np.array(counts)), _mean)
        result |= _ratio(f"{side}.harvest_rate", _harvest(outcomes if known else [], side))
        seconds = [one.results[side].seconds for one in answerable] if known else []
        result |= _told(f"{side}.seconds_p50", np.array(seconds), _percentile(50))
    ours = "ours" in ran
    pairs = [
        (_fetches(one, "ours", budget_pages), _fetches(one, "bfs", budget_pages))
        for one in (answerable if ours and "bfs" in ran else [])
    ]
    result |= _ratio("fetches_share_of_bfs", pairs)
    for name in ("answered_share", "harvest_rate"):
        keys = (name, f"{name}_interval")
        result |= {key: result.get(f"ours.{key}") for key in keys}
    cited = [
        one.question.answered_by(map(path_of, one.results["ours"].cited_urls))
        for one in (answerable if ours else [])
    ]
    result |= _told("cited_share", np.array(cited), _mean)
    for name, group in (
        ("false_stop_rate", outcomes),
        ("false_stop_rate_answerable", answerable),
        ("false_stop_rate_unanswerable", hopeless),
    ):
        false = [_stops_falsely(one) for one in (group if ours else [])]
        result |= _told(name, np.array(false), _mean)
    stopped = [len(one.results["ours"].pages) for one in (hopeless if ours else [])]
    result |= _told("unanswerable_stopped_within", np.array(stopped), _percentile(50))
    return result | {"seconds_p50": result.get("ours.seconds_p50")}


def _fetches(outcome: Outcome, side: str, budget_pages: int) -> float:
    return min(pages_to_answer(outcome, side), float(budget_pages))


def _stops_falsely(outcome: Outcome) -> bool:
    ours = outcome.results["ours"]
    return ours.stopped == "covered" and not outcome.question.answered_by(map(path_of, ours.pages))


def _harvest(outcomes: Sequence[Outcome], side: str) -> list[tuple[float, float]]:
    """Returns of each question how many pages were relevant, and how many were fetched."""
    fetched = [{path_of(url) for url in one.results[side].pages} for one in outcomes]
    return [
        (float(len(paths & one.relevant)), float(len(paths)))
        for one, paths in zip(outcomes, fetched, strict=True)
    ]


Statistic = Callable[[NDArray[np.float64]], float]


def _told(name: str, values: NDArray[np.generic], statistic: Statistic) -> dict[str, object]:
    """Returns a figure and its interval; null where there is nothing, or no end is known."""
    if not len(values):
        return {name: None, f"{name}_interval": None}
    held = values.astype(float)
    chance = np.random.default_rng(SEED)
    drawn = [statistic(chance.choice(held, len(held))) for _ in range(DRAWS)]
    return {name: _finite(statistic(held)), f"{name}_interval": _interval(drawn)}


def _ratio(name: str, pairs: Sequence[tuple[float, float]]) -> dict[str, object]:
    """Returns the sum of the first values by that of the second, and its interval."""
    held = np.array(pairs, dtype=float).reshape(-1, 2)
    if not held[:, 1].sum():
        return {name: None, f"{name}_interval": None}
    chance = np.random.default_rng(SEED)
    sums = [held[chance.integers(len(held), size=len(held))].sum(axis=0) for _ in range(DRAWS)]
    above, below = held.sum(axis=0)
    drawn = [float(one / other) for one, other in sums if other]
    return {name: _finite(float(above / below)), f"{name}_interval": _interval(drawn)}


def _interval(drawn: Sequence[float]) -> list[float | None]:
    ordered = np.sort(np.asarray(drawn))
    # Interpolation between a number and infinity says nothing.
    bounds = np.percentile(ordered, INTERVAL, method="nearest")
    return [_finite(float(bound)) for bound in bounds]


def _finite(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean())


def _percentile(percent: int) -> Statistic:
    return lambda values: percentile(values.tolist(), percent)
