"""Places of judged passages in rankings, and the measures made of them."""

from collections.abc import Collection, Sequence

import numpy as np


def rank_of(ranking: Sequence[str], wanted: Collection[str]) -> int:
    """Returns the place, from 1, of the first passage that is wanted; 0 where none is found."""
    return next((rank for rank, one in enumerate(ranking, 1) if one in wanted), 0)


def hit_share(ranks: Sequence[int], cut: int) -> float:
    """Returns the share of the places that are among the first `cut`."""
    return mean([0 < rank <= cut for rank in ranks])


def mean_reciprocal_rank(ranks: Sequence[int], *, cut: int = 10) -> float:
    """Returns the mean of 1/rank; a place after `cut` counts 0."""
    return mean([1 / rank if 0 < rank <= cut else 0.0 for rank in ranks])


def mean(values: Sequence[float]) -> float:
    """Returns the mean to four digits, 0 of nothing."""
    return round(float(np.mean(values)), 4) if values else 0.0
