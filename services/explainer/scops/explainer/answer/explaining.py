"""Explanations of passages: parts of the score, ranks without each, scopes, lineage, reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import ChunkId
from scops.common.contract.messages.explanation import (
    Citation,
    ExplainResponse,
    LineageEntry,
    PassageExplanation,
    RankWithout,
    TextProvenance,
)
from scops.common.contract.messages.retrieval import Evidence
from scops.common.observe.log import get_logger
from scops.common.observe.tracing import stage
from scops.explainer import metrics
from scops.explainer.answer.histories import PageHistories
from scops.explainer.answer.lineage import lineage_of
from scops.explainer.answer.rationale import answer_rationale, rationale
from scops.explainer.ports import ExplainerPorts

log = get_logger("explainer")


async def explained(
    evidence: Sequence[Evidence],
    places: Sequence[int],
    histories: PageHistories,
    *,
    citations: Sequence[Citation] = (),
) -> ExplainResponse:
    """Explains passages by their places in the ranking, from 0.

    Args:
        evidence: all that was ranked; ranks are among these.
        citations: of the answer that is explained, if there is one.
    """
    lineages: dict[tuple[str, str], tuple[LineageEntry, ...]] = {}
    without = ranks_without(evidence)
    passages = []
    with stage(metrics.STAGE_SECONDS, "explain"):
        for place in places:
            passage = evidence[place]
            version = (passage.page_id, passage.version_id)
            if version not in lineages:
                lineages[version] = await lineage_of(passage, histories)
            extraction = await _extraction(passage, histories.ports)
            shown = _explanation(place + 1, passage, lineages[version], without)
            passages.append(replace(shown, extraction=extraction))
    return ExplainResponse(
        passages=tuple(passages), rationale=answer_rationale(passages, citations)
    )


async def _extraction(passage: Evidence, ports: ExplainerPorts) -> TextProvenance | None:
    """Returns how a passage's version was extracted; None where it cannot be read."""
    if not passage.manifest_digest:
        return None
    try:
        return (await ports.texts.get(passage.manifest_digest)).extraction
    except ScopsError as error:
        # An explanation without it is better than none.
        log.warning("extraction_missing", page_id=passage.page_id, detail=error.message)
        return None


def ranks_without(evidence: Sequence[Evidence]) -> Mapping[ChunkId, tuple[RankWithout, ...]]:
    """Returns for each passage its rank if a part of the score were left out, a part at a time.

    Parts that add nothing to any passage are left out.
    """
    names = dict.fromkeys(
        part.name
        for passage in evidence
        for part in passage.parts
        if part.present and part.weighted
    )
    ranks: dict[ChunkId, list[RankWithout]] = {passage.chunk_id: [] for passage in evidence}
    for name in names:
        rest = [passage.score - _weighted(passage, name) for passage in evidence]
        order = sorted(range(len(evidence)), key=lambda place: -rest[place])
        for rank, place in enumerate(order, start=1):
            ranks[evidence[place].chunk_id].append(RankWithout(part=name, rank=rank))
    return {chunk_id: tuple(entries) for chunk_id, entries in ranks.items()}


def _weighted(passage: Evidence, name: str) -> float:
    return sum(part.weighted for part in passage.parts if part.present and part.name == name)


def _explanation(
    rank: int,
    passage: Evidence,
    lineage: tuple[LineageEntry, ...],
    without: Mapping[ChunkId, tuple[RankWithout, ...]],
) -> PassageExplanation:
    ranks = without[passage.chunk_id]
    return PassageExplanation(
        chunk_id=passage.chunk_id,
        page_id=passage.page_id,
        canonical_url=passage.canonical_url,
        rank=rank,
        score=passage.score,
        parts=passage.parts,
        scopes=passage.scopes,
        lineage=lineage,
        rationale=rationale(rank, passage, lineage, ranks),
        ranks_without=ranks,
    )
