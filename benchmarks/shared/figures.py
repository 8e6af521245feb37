"""Means and percentiles as benchmarks print them."""

import math
import statistics
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata  # type: ignore[import-untyped]


def rounded_mean(values: Sequence[float]) -> float | None:
    """Returns the mean to four digits; None of nothing."""
    return round(statistics.fmean(values), 4) if values else None


def f1_of(precision: float, recall: float) -> float:
    """Returns the harmonic mean."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def percentile(values: Sequence[float], percent: int) -> float:
    """Returns the smallest value that at least `percent` of the values do not exceed."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def auc_of(sure: NDArray[np.float64], held: NDArray[np.bool_]) -> float | None:
    """Returns how often a question with an answer is surer than one without; None of one kind."""
    good, bad = int(held.sum()), int((~held).sum())
    if not good or not bad:
        return None
    ranks = rankdata(sure)[held].sum()
    return round(float((ranks - good * (good + 1) / 2) / (good * bad)), 4)
