"""The kernel of times, chosen on made-up questions."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from benchmarks.reference.fit_kernel import best_shape
from scops.retriever.time.kernel import KERNEL, KernelShape

QUESTIONS = 12
ALL = np.full(QUESTIONS, fill_value=True)
FIRST_HALF = np.arange(QUESTIONS) < QUESTIONS / 2


def by_distance(shape: KernelShape) -> npt.NDArray[np.float64]:
    """Of the first half 40 years of past and of the second 10 are best; of all one future."""
    past = np.where(FIRST_HALF, 40.0, 10.0)
    lost = np.abs(past - shape.past_years) / 100 + abs(2.0 - shape.future_years) / 100
    found: npt.NDArray[np.float64] = 1 - lost
    return found


def test_best_values_are_found_one_after_the_other() -> None:
    found = best_shape(by_distance, FIRST_HALF)

    assert replace(KERNEL, past_years=40.0, future_years=2.0) == found


def test_what_says_nothing_stays_as_it_is() -> None:
    """Both halves pull alike: no value of the past is better than the one that stands."""
    found = best_shape(by_distance, ALL)

    assert replace(KERNEL, future_years=2.0) == found
