"""Rescores the best passages by a model that reads question and passage together.

It says log-odds on a scale of its own, so only how far a passage lies above the mean of those read
counts: what was not read counts as the mean, and parts still add up to the score.
A cross-encoder reads 13 pairs of 256 tokens a second on two cores.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scops.common.contract.ids import embedded_text
from scops.libraries.index.ports import StoreHit
from scops.retriever.ports import Reranker
from scops.retriever.scoring.score import total
from scops.retriever.scoring.scoring import ScoredHit

WEIGHT_RERANK = 1.0


async def reranked(
    found: Sequence[ScoredHit],
    hits: Sequence[StoreHit],
    question: str,
    reranker: Reranker,
    *,
    passages: int,
) -> list[ScoredHit]:
    """Returns scored hits with the first ones rescored, best first.

    Args:
        found: best first, of `hits` by their places.
        passages: how many are read.
    """
    first, rest = found[:passages], found[passages:]
    texts = [embedded_text(hits[one.place].header, hits[one.place].text) for one in first]
    odds = await reranker.log_odds(question, texts)
    mean = float(np.mean(odds)) if odds else 0.0
    scored = [_with(one, value - mean) for one, value in zip(first, odds, strict=True)]
    unread = [replace(one, terms=[*one.terms, ("rerank", None, WEIGHT_RERANK)]) for one in rest]
    return sorted([*scored, *unread], key=lambda one: (-one.score, hits[one.place].chunk_id))


def _with(one: ScoredHit, value: float) -> ScoredHit:
    terms = [*one.terms, ("rerank", value, WEIGHT_RERANK)]
    return replace(one, terms=terms, score=total(terms))
