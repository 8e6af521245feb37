"""Ranks candidates by what is known of their pages."""

from collections.abc import Sequence
from datetime import date, datetime

from scops.common.contract.ids import ChunkId, PageId
from scops.common.contract.messages.types import StatedKind
from scops.libraries.embedder.port import Embedder
from scops.retriever.candidates.admission import Candidate
from scops.retriever.ports import RetrieverPorts
from scops.retriever.question import Question
from scops.retriever.scoring.reranking import reranked
from scops.retriever.scoring.score import age_days, recency_weight
from scops.retriever.scoring.scoring import KnownHit, ScoredHit, scored
from scops.retriever.settings import RetrieverSettings
from scops.retriever.time.half_lives import TextAge, half_lives, site_of

STATED_CONFIDENCE_MIN = 0.5


async def ranked(
    candidates: Sequence[Candidate],
    question: Question,
    ports: RetrieverPorts,
    *,
    embedder: Embedder,
    now: datetime,
) -> list[ScoredHit]:
    """Returns the candidates with their scores, best first; see `scoring` and `reranking`.

    Args:
        now: what ages are counted to; for an earlier instant, that instant.
    """
    fresh = _freshness(candidates, now, ports.settings) if question.weights.delta else {}
    positions = _positions(candidates) if question.time.constraint else {}
    known = [
        KnownHit(
            hit=candidate.hit,
            position=positions.get(candidate.hit.page_id, {}).get(candidate.hit.chunk_id),
            stated=_stated_day(candidate),
            freshness=fresh.get(candidate.hit.page_id),
            membership=candidate.membership,
        )
        for candidate in candidates
    ]
    found = await scored(known, question, ports.settings, windows=ports.windows, embedder=embedder)
    if ports.reranker is None or not question.recipe.rerank:
        return found
    return await reranked(
        found,
        [candidate.hit for candidate in candidates],
        question.text,
        ports.reranker,
        passages=ports.settings.reranker_passages,
    )


def _positions(candidates: Sequence[Candidate]) -> dict[PageId, dict[ChunkId, int]]:
    """Returns by page where its chunks stand among each other."""
    manifests = {candidate.hit.page_id: candidate.manifest for candidate in candidates}
    return {
        page_id: {chunk.chunk_id: position for position, chunk in enumerate(manifest.chunks)}
        for page_id, manifest in manifests.items()
    }


def _stated_day(candidate: Candidate) -> date | None:
    """Returns the day that a page states for its text: modified, else published."""
    sure = [one for one in candidate.manifest.stated if one.confidence >= STATED_CONFIDENCE_MIN]
    for kind in (StatedKind.MODIFIED, StatedKind.PUBLISHED):
        found = [stated for stated in sure if stated.kind is kind]
        if found:
            return max(found, key=lambda stated: stated.confidence).time.date()
    return None


def _freshness(
    candidates: Sequence[Candidate], now: datetime, settings: RetrieverSettings
) -> dict[PageId, float]:
    """Returns by page how fresh its text is, measured by the pace of its site."""
    ages = {
        candidate.hit.page_id: TextAge(
            url=candidate.standing.canonical_url,
            age_days=age_days(candidate.standing.order_key.observed_from, now),
            replaced=bool(candidate.manifest.compared_with),
        )
        for candidate in candidates
    }
    half_life = half_lives(
        ages.values(),
        usual_days=settings.half_life_days,
        least_days=settings.half_life_days_min,
        most_days=settings.half_life_days_max,
    )
    return {
        page_id: recency_weight(text.age_days, half_life_days=half_life[site_of(text.url)])
        for page_id, text in ages.items()
    }
