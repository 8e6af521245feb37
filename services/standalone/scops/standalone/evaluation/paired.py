"""Two systems asked the same: their difference with an interval, and how likely it is chance.

Values of one unit (a query, a page) belong together, so that units are drawn, not values.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DRAWS = 10_000
SEED = 11
PERCENTILES = (2.5, 97.5)


def paired(
    name: str,
    ours: Sequence[float] | Floats,
    theirs: Sequence[float] | Floats,
    *,
    units: Sequence[str] = (),
    draws: int = DRAWS,
) -> dict[str, float | list[float]]:
    """Returns the mean of ours less theirs as `name`, `name_interval` and `name_p`.

    Args:
        ours: a value of each question.
        theirs: of the same questions, in the same order.
        units: what each question belongs to, as those of a page do; each is its own where none
            are given.
        draws: of the bootstrap and of the test.

    Returns:
        The interval is the 95 % percentile bootstrap over units; p that of a two-sided
        randomisation test, which swaps the systems of each unit by chance.

    Raises:
        ValueError: there are no units, or not as many of each.

    Source: Smucker, Allan, Carterette, A comparison of statistical significance tests for
    information retrieval evaluation (CIKM 2007).
    """
    differences = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    if not len(differences):
        raise ValueError("paired: nothing was compared; give at least one unit")
    chance = np.random.default_rng(SEED)
    mean = float(differences.mean())
    sums, counts = _by_unit(differences, units)
    drawn = np.empty(draws)
    swapped = np.empty(draws)
    for draw in range(draws):
        chosen = chance.integers(len(sums), size=len(sums))
        drawn[draw] = sums[chosen].sum() / counts[chosen].sum()
        swapped[draw] = (sums * chance.choice((-1.0, 1.0), len(sums))).sum() / counts.sum()
    # Rounding must not make a swap that changes nothing look smaller than what was seen.
    as_far = int(np.sum(np.abs(swapped) >= abs(mean) - 1e-12))
    low, high = np.percentile(drawn, PERCENTILES)
    return {
        name: round(mean, 4),
        f"{name}_interval": [round(float(low), 4), round(float(high), 4)],
        f"{name}_p": round((as_far + 1) / (draws + 1), 4),
    }


def _by_unit(differences: Floats, units: Sequence[str]) -> tuple[Floats, Floats]:
    """Returns sum and number of the differences of each unit."""
    if not len(units):
        return differences, np.ones(len(differences))
    _, places = np.unique(np.asarray(units), return_inverse=True)
    sums = np.bincount(places, weights=differences).astype(float)
    return sums, np.bincount(places).astype(float)
