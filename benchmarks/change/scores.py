"""Scores of `benchmarks.change`: precision, recall, intervals by page."""

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

RESAMPLES = 1_000
SEED = 7
Judged = Sequence[tuple[str, bool, bool]]
"""Page, whether it is a change, whether it was called one."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The four cells."""

    hits: int
    false_alarms: int
    misses: int
    rejections: int

    @property
    def precision(self) -> float | None:
        return _ratio(self.hits, self.hits + self.false_alarms)

    @property
    def recall(self) -> float | None:
        return _ratio(self.hits, self.hits + self.misses)

    @property
    def f1(self) -> float | None:
        return _ratio(2 * self.hits, 2 * self.hits + self.false_alarms + self.misses)

    @property
    def false_alarms_per_100(self) -> float | None:
        share = _ratio(self.false_alarms, self.false_alarms + self.rejections)
        return None if share is None else 100 * share


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def counts(judged: Judged) -> Counts:
    """Returns the four cells of some judgements."""
    cells = [(positive, called) for _, positive, called in judged]
    return Counts(
        hits=cells.count((True, True)),
        false_alarms=cells.count((False, True)),
        misses=cells.count((True, False)),
        rejections=cells.count((False, False)),
    )


def scores(judged: Judged) -> dict[str, object]:
    """Returns the scores with n and their 95 % bootstrap intervals by page."""
    found = counts(judged)
    measures: dict[str, Callable[[Counts], float | None]] = {
        "precision": lambda c: c.precision,
        "recall": lambda c: c.recall,
        "f1": lambda c: c.f1,
        "false_alarms_per_100": lambda c: c.false_alarms_per_100,
    }
    result: dict[str, object] = {name: _rounded(of(found)) for name, of in measures.items()}
    samples = _resampled(judged)
    for name, of in measures.items():
        result[f"{name}_interval"] = _interval([of(sample) for sample in samples])
    positives = found.hits + found.misses
    return result | {
        "n": len(judged),
        "positives": positives,
        "pages": len({p for p, _, _ in judged}),
    }


def _resampled(judged: Judged) -> list[Counts]:
    by_page: defaultdict[str, list[tuple[str, bool, bool]]] = defaultdict(list)
    for row in judged:
        by_page[row[0]].append(row)
    cells = [counts(rows) for rows in by_page.values()]
    chance = random.Random(SEED)
    samples = []
    for _ in range(RESAMPLES):
        drawn = chance.choices(cells, k=len(cells))
        samples.append(
            Counts(
                hits=sum(c.hits for c in drawn),
                false_alarms=sum(c.false_alarms for c in drawn),
                misses=sum(c.misses for c in drawn),
                rejections=sum(c.rejections for c in drawn),
            )
        )
    return samples


def _interval(values: Sequence[float | None]) -> list[float] | None:
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    low, high = int(0.025 * len(known)), min(int(0.975 * len(known)), len(known) - 1)
    return [round(known[low], 4), round(known[high], 4)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def share(part: int, whole: int) -> float | None:
    """Returns a rounded share; None of nothing."""
    return _rounded(_ratio(part, whole))


def share_interval(judged: Judged) -> list[float] | None:
    """Returns the 95 % bootstrap interval, by page, of the share that was called a change."""
    samples = _resampled([(page, True, called) for page, _, called in judged])
    return _interval([sample.recall for sample in samples])
