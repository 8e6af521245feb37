"""Where passages would rank if one thing were otherwise, by ranking all candidates again.

Without a part of the score, every candidate is scored by its other parts and passages are made of
them anew, so that what the part kept out comes in. Were one passage's page fresh, preferred or of
the time asked for, the others stay as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scops.common.contract.ids import ChunkId
from scops.common.contract.messages.retrieval import Counterfactual
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.question import Question
from scops.retriever.scoring.score import total
from scops.retriever.shape.shaping import Bounds, PassageDraft, shape_passages

# Ranks beyond these, or beyond the limit, are not told.
PASSAGES_RANKED = 30
WITHOUT = "without"
# A change, the part that it is of, and what that part measures then at its best.
BETTERED = (("fresh", "fresh", 1.0), ("preferred", "scope", 0.0), ("timely", "time", 0.0))
# Parts that speak of a page, not of one of its passages.
OF_PAGE = frozenset({"fresh", "scope"})
Told = Mapping[ChunkId, tuple[Counterfactual, ...]]


def counterfactuals(
    ranked: Sequence[Candidate], shown: Sequence[PassageDraft], question: Question
) -> Told:
    """Returns by the best chunk of each passage shown where it would rank.

    Args:
        ranked: every candidate, scored, best first.
    """
    bounds = replace(question.bounds, limit=max(question.limit, PASSAGES_RANKED))
    told: dict[ChunkId, list[Counterfactual]] = {one.best.hit.chunk_id: [] for one in shown}
    as_they_are = shape_passages(ranked, bounds).passages
    for part in _speaking(ranked):
        drafts = _without(part, ranked, bounds) if _differs(part, ranked) else as_they_are
        places = _places(drafts)
        for chunk_id, found in told.items():
            rank = places.get(chunk_id, 0)
            found.append(Counterfactual(change=WITHOUT, part=part, rank=rank, among=len(drafts)))
    for draft in shown:
        told[draft.best.hit.chunk_id] += _bettered(draft, as_they_are)
    return {chunk_id: tuple(found) for chunk_id, found in told.items()}


def _speaking(ranked: Sequence[Candidate]) -> list[str]:
    """Returns the parts that say something of any candidate, in the order of the terms."""
    terms = (term for one in ranked for term in one.score.terms)
    return list(dict.fromkeys(name for name, raw, weight in terms if raw and weight))


def _differs(part: str, ranked: Sequence[Candidate]) -> bool:
    """Says whether a part says other things of some than of others."""
    return len({_weighted(one, part) for one in ranked}) > 1


def _without(part: str, ranked: Sequence[Candidate], bounds: Bounds) -> list[PassageDraft]:
    def key(one: Candidate) -> tuple[float, ChunkId]:
        rest = [term for term in one.score.terms if term[0] != part]
        return -total(rest), one.hit.chunk_id

    return shape_passages(sorted(ranked, key=key), bounds).passages


def _places(drafts: Sequence[PassageDraft]) -> dict[ChunkId, int]:
    """Returns the rank of the passage that each chunk is in."""
    return {
        one.hit.chunk_id: rank
        for rank, draft in enumerate(drafts, start=1)
        for one in draft.candidates
    }


def _bettered(draft: PassageDraft, drafts: Sequence[PassageDraft]) -> list[Counterfactual]:
    """Returns where a passage would rank if it, or its page, were the best in one respect."""
    found = []
    for change, part, best in BETTERED:
        gain = _gain(draft.best, part, best)
        if gain <= 0:
            continue
        score = draft.best.score.total + gain
        ahead = sum(
            other.best is not draft.best and _score(other, draft, part, gain) >= score
            for other in drafts
        )
        found.append(Counterfactual(change=change, part=part, rank=ahead + 1, among=len(drafts)))
    return found


def _score(other: PassageDraft, changed: PassageDraft, part: str, gain: float) -> float:
    of_page = part in OF_PAGE and other.best.hit.page_id == changed.best.hit.page_id
    return other.best.score.total + (gain if of_page else 0.0)


def _gain(one: Candidate, part: str, best: float) -> float:
    """Returns what a score gains where a part of it measures its best; 0 where it is silent."""
    return sum(
        (best - raw) * weight
        for name, raw, weight in one.score.terms
        if name == part and raw is not None
    )


def _weighted(one: Candidate, part: str) -> float:
    return sum(raw * weight for name, raw, weight in one.score.terms if name == part and raw)
