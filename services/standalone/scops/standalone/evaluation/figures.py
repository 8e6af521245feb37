"""The figures of a run: means with intervals, abstention, times and what models cost."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scops.standalone.evaluation.outcomes import AskedQuestion
from scops.standalone.evaluation.paired import PERCENTILES, SEED, Floats

DRAWS = 2_000
# Of draws, so that many questions need no more memory than few.
DRAWN_AT_ONCE = 100
Statistic = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class MeanFigure:
    """A mean over questions, with its bootstrap interval of 95 %."""

    mean: float
    low: float
    high: float
    questions: int

    def to_json(self) -> dict[str, Any]:
        interval = [self.low, self.high]
        return {"mean": self.mean, "interval": interval, "questions": self.questions}


def figures_of(outcomes: Sequence[AskedQuestion]) -> dict[str, Any]:
    """Returns the figures of a run, as they are kept and printed."""
    return {
        "questions": _counted(outcomes),
        "scores": {name: mean.to_json() for name, mean in means_of(outcomes).items()},
        "abstention": abstention_of(outcomes),
        "latency_ms": {
            "search": _times([one.search_ms for one in outcomes]),
            "answer": _times([one.answer_ms for one in outcomes]),
        },
        "spent": _spent(outcomes),
    }


def means_of(outcomes: Sequence[AskedQuestion]) -> dict[str, MeanFigure]:
    """Returns the mean of each measure over the questions that have it, in the order of scoring."""
    names = dict.fromkeys(name for one in outcomes for name in one.scores)
    return {
        name: _mean([one.scores[name] for one in outcomes if name in one.scores]) for name in names
    }


def abstention_of(outcomes: Sequence[AskedQuestion]) -> dict[str, Any] | None:
    """Returns precision, recall and F1 of "not answered" on questions without an answer.

    Returns:
        None where no answers were asked for, or every question has one.
    """
    asked = [one for one in outcomes if one.answered is not None]
    if not any(not one.answerable for one in asked):
        return None
    rows = np.array([(not one.answered, not one.answerable) for one in asked], dtype=float)
    abstained, without = rows[:, 0], rows[:, 1]
    # For each question: rightly abstained, abstained, without an answer.
    parts = np.stack((abstained * without, abstained, without), axis=1)
    return {
        "precision": _share(parts, lambda sums: _ratio(sums[..., 0], sums[..., 1])),
        "recall": _share(parts, lambda sums: _ratio(sums[..., 0], sums[..., 2])),
        "f1": _share(parts, lambda sums: _ratio(2 * sums[..., 0], sums[..., 1] + sums[..., 2])),
        "abstained": int(abstained.sum()),
        "without_answer": int(without.sum()),
    }


def _counted(outcomes: Sequence[AskedQuestion]) -> dict[str, int]:
    return {
        "asked": len(outcomes),
        "failed": sum(bool(one.error) for one in outcomes),
        "answered": sum(one.answered is True for one in outcomes),
        "without_answer": sum(not one.answerable for one in outcomes),
    }


def _mean(values: Sequence[float]) -> MeanFigure:
    found = np.asarray(values, dtype=float)[:, None]
    share = _share(found, lambda sums: sums[..., 0] / len(values))
    low, high = share["interval"]
    return MeanFigure(share["value"], low, high, len(values))


def _share(parts: Floats, of: Statistic) -> dict[str, Any]:
    """Returns a statistic of sums over questions, with its percentile bootstrap interval.

    Args:
        parts: shape (questions, parts).
    """
    chance, drawn = np.random.default_rng(SEED), []
    for _ in range(DRAWS // DRAWN_AT_ONCE):
        chosen = chance.integers(len(parts), size=(DRAWN_AT_ONCE, len(parts)))
        drawn.append(of(parts[chosen].sum(axis=1)))
    low, high = np.percentile(np.concatenate(drawn), PERCENTILES)
    value = float(of(parts.sum(axis=0)))
    return {"value": round(value, 4), "interval": [round(float(low), 4), round(float(high), 4)]}


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _times(values: Sequence[float | None]) -> dict[str, float] | None:
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    return {f"p{percent}": _percentile(known, percent) for percent in (50, 95)}


def _percentile(ordered: Sequence[float], percent: int) -> float:
    """Returns the smallest value that at least `percent` of the values do not exceed."""
    return ordered[math.ceil(len(ordered) * percent / 100) - 1]


def _spent(outcomes: Sequence[AskedQuestion]) -> dict[str, Any] | None:
    asked = [one.spent for one in outcomes if one.spent.model]
    if not asked:
        return None
    return {
        "models": sorted({one.model for one in asked}),
        "requests": sum(one.requests for one in asked),
        "input_tokens": sum(one.input_tokens for one in asked),
        "output_tokens": sum(one.output_tokens for one in asked),
        "cost": round(sum(one.cost for one in asked), 6),
    }
