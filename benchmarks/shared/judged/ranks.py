"""Places of judged passages in rankings, and the measures made of them."""

from collections.abc import Collection, Mapping, Sequence
from itertools import product

import numpy as np

from scops.standalone.evaluation.paired import paired

CUT = 10


def rank_of(ranking: Sequence[str], wanted: Collection[str]) -> int:
    """Returns the place, from 1, of the first passage that is wanted; 0 where none is found."""
    return next((rank for rank, one in enumerate(ranking, 1) if one in wanted), 0)


def hit_share(ranks: Sequence[int], cut: int) -> float:
    """Returns the share of the places that are among the first `cut`."""
    return mean([0 < rank <= cut for rank in ranks])


def mean_reciprocal_rank(ranks: Sequence[int], *, cut: int = CUT) -> float:
    """Returns the mean of 1/rank; a place after `cut` counts 0."""
    return mean(_reciprocals(ranks, cut))


def against(
    ranks: Mapping[str, Sequence[int]],
    ours: Collection[str],
    others: Collection[str],
    *,
    units: Sequence[str] = (),
) -> dict[str, float | list[float]]:
    """Returns the paired differences of systems, by `OURS.OTHER.mrr@10`; none of no question.

    Args:
        ranks: by system, of the same questions in the same order.
        units: of each question, what must be drawn together; see `paired`.
    """
    if not all(ranks.values()):
        return {}
    each = {name: _reciprocals(found, CUT) for name, found in ranks.items()}
    return {
        key: value
        for mine, other in product(ours, others)
        for key, value in paired(
            f"{mine}.{other}.mrr@{CUT}", each[mine], each[other], units=units
        ).items()
    }


def _reciprocals(ranks: Sequence[int], cut: int) -> list[float]:
    return [1 / rank if 0 < rank <= cut else 0.0 for rank in ranks]


def mean(values: Sequence[float]) -> float:
    """Returns the mean to four digits, 0 of nothing."""
    return round(float(np.mean(values)), 4) if values else 0.0
