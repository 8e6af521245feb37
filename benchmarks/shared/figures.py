"""Means and percentiles as benchmarks print them."""

import math
import statistics
from collections.abc import Sequence


def rounded_mean(values: Sequence[float]) -> float | None:
    """Returns the mean to four digits; None of nothing."""
    return round(statistics.fmean(values), 4) if values else None


def percentile(values: Sequence[float], percent: int) -> float:
    """Returns the smallest value that at least `percent` of the values do not exceed."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]
