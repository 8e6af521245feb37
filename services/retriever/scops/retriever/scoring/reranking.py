"""Rescores the best passages by a model that reads question and passage together.

It says log-odds on a scale of its own, so only how far a passage lies above the mean of those read
counts: what was not read counts as the mean, and parts still add up to the score.
A cross-encoder reads 13 pairs of 256 tokens a second on two cores.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scops.common.contract.ids import embedded_text
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.ports import Reranker
from scops.retriever.scoring.score import total

# Not fitted: no model comes with the package.
WEIGHT_RERANK = 1.0


async def rerank(
    ranked: Sequence[Candidate], question: str, reranker: Reranker, *, passages: int
) -> list[Candidate]:
    """Returns ranked candidates with the first ones rescored, best first.

    Args:
        passages: how many are read.
    """
    first = ranked[:passages]
    texts = [embedded_text(one.hit.header, one.hit.text) for one in first]
    odds = await reranker.log_odds(question, texts)
    mean = float(np.mean(odds)) if odds else 0.0
    read = [_rescored(one, value - mean) for one, value in zip(first, odds, strict=True)]
    unread = [_rescored(one, None) for one in ranked[passages:]]
    return sorted([*read, *unread], key=lambda one: (-one.score.total, one.hit.chunk_id))


def _rescored(one: Candidate, value: float | None) -> Candidate:
    terms = [*one.score.terms, ("rerank", value, WEIGHT_RERANK)]
    return replace(one, score=replace(one.score, terms=terms, total=total(terms)))
