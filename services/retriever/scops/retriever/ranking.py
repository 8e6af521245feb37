"""Ranks candidates and makes evidence of them."""

from collections.abc import Sequence
from datetime import datetime

from scops.common import wire
from scops.common.messages.retrieval import Evidence
from scops.retriever.candidates import Candidate
from scops.retriever.question import Question
from scops.retriever.score import Signals, age_days, score_parts, total


def ranked(candidates: Sequence[Candidate], question: Question, *, now: datetime) -> list[Evidence]:
    """Returns the candidates as evidence, best first; equal scores in order of their chunk_id.

    Args:
        now: what ages are counted to; for an earlier instant, that instant.
    """
    best = max((candidate.hit.bm25 or 0.0 for candidate in candidates), default=0.0)
    evidence = [_evidence(candidate, question, best, now) for candidate in candidates]
    return sorted(evidence, key=lambda passage: (-passage.score, passage.chunk_id))


def fitting(evidence: Sequence[Evidence], *, limit: int, bytes_max: int) -> list[Evidence]:
    """Returns the first passages that fit a reply together."""
    kept: list[Evidence] = []
    room = bytes_max
    for passage in evidence[:limit]:
        room -= len(wire.encode(passage))
        if room < 0:
            break
        kept.append(passage)
    return kept


def _evidence(
    candidate: Candidate, question: Question, best_bm25: float, now: datetime
) -> Evidence:
    hit, standing, chunk = candidate.hit, candidate.standing, candidate.chunk
    signals = Signals(
        similarity=hit.similarity,
        lexical=(hit.bm25 or 0.0) / best_bm25 if best_bm25 > 0 else 0.0,
        graph=None,
        membership=1.0,
        age_days=age_days(standing.order_key.observed_from, now),
    )
    parts = score_parts(signals, question.weights)
    return Evidence(
        chunk_id=hit.chunk_id,
        page_id=hit.page_id,
        version_id=standing.version_id,
        canonical_url=standing.canonical_url,
        title=candidate.manifest.title,
        section_path=chunk.section_path,
        start=chunk.start,
        end=chunk.end,
        text=hit.text,
        score=total(parts),
        parts=parts,
        scopes=candidate.scopes,
        clocks=standing.clocks(candidate.manifest.stated),
        lineage_id=chunk.lineage_id,
        superseded=standing.superseded,
        text_digest=candidate.manifest.text.digest,
        manifest_digest=standing.manifest.digest,
        order_key=standing.order_key,
    )
