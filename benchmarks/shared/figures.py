"""Means and percentiles as benchmarks print them."""

import math
import statistics
from collections.abc import Sequence


def rounded_mean(values: Sequence[float]) -> float | None:
    """Returns the mean to four digits; None of nothing."""
    return round(statistics.fmean(values), 4) if values else None


def f1_of(precision: float, recall: float) -> float:
    """Returns the harmonic mean."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def percentile(values: Sequence[float], percent: int) -> float:
    """Returns the smallest value that at least `percent` of the values do not exceed."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]
