"""Answers `Explain`: parts of the score, ranks without each, scopes, lineage, reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from scops.common.contract import wire
from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import ChunkId
from scops.common.contract.messages.explanation import (
    Citation,
    EvidenceBundle,
    ExplainRequest,
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
from scops.explainer.answer import bundles
from scops.explainer.answer.evidence import retrieved
from scops.explainer.answer.lineage import LINEAGE_SECONDS, PageHistories, lineage_of
from scops.explainer.answer.purged import purged_versions, told_as_purged, without_words
from scops.explainer.answer.rationale import answer_rationale, rationale
from scops.explainer.ports import ExplainerPorts

log = get_logger("explainer")


async def explain(request: ExplainRequest, ports: ExplainerPorts) -> ExplainResponse:
    """Returns for each passage its score's parts, scopes, lineage and a rationale.

    Passages are those of a bundle, else those given, else what the retriever finds now.

    Raises:
        InvalidInput: the bundle is not one of ours.
        ScopsError: as the retriever raised it.
    """
    histories = PageHistories.within(LINEAGE_SECONDS, ports)
    if request.bundle:
        bundle = bundles.open_bundle(request.bundle, ports.bundle_key)
        return await _explained_bundle(bundle, histories)
    if request.evidence:
        return await explain_passages(request.evidence, histories)
    found = await retrieved(request, ports)
    response = await explain_passages(found.evidence, histories)
    ranked = replace(response, evidence=found.evidence, recipe=found.recipe, weights=found.weights)
    return _fitting(ranked)


async def _explained_bundle(bundle: EvidenceBundle, histories: PageHistories) -> ExplainResponse:
    """Explains what an answer rested on, without the words of what was purged since."""
    purged = await purged_versions(bundle.evidence, histories)
    evidence = tuple(
        without_words(passage) if passage.version_id in purged else passage
        for passage in bundle.evidence
    )
    citations = [one for one in bundle.citations if one.version_id not in purged]
    response = await explain_passages(evidence, histories, citations=citations)
    passages = tuple(
        told_as_purged(explained, purged[passage.version_id])
        if passage.version_id in purged
        else explained
        for passage, explained in zip(evidence, response.passages, strict=True)
    )
    return replace(response, evidence=evidence, passages=passages, recipe=bundle.recipe)


async def explain_passages(
    evidence: Sequence[Evidence],
    histories: PageHistories,
    *,
    places: Sequence[int] = (),
    citations: Sequence[Citation] = (),
) -> ExplainResponse:
    """Explains passages with all that is known of their ranks.

    Args:
        evidence: all that was ranked; ranks are among these.
        places: of those to explain, from 0; all where none are named.
        citations: of the answer that is explained, if there is one.
    """
    lineages: dict[tuple[str, str], tuple[LineageEntry, ...]] = {}
    without = ranks_without(evidence)
    passages = []
    with stage(metrics.STAGE_SECONDS, "explain"):
        for place in places or range(len(evidence)):
            passage = evidence[place]
            version = (passage.page_id, passage.version_id)
            if version not in lineages:
                lineages[version] = await lineage_of(passage, histories)
            provenance = await _provenance(passage, histories.ports)
            others = (*evidence[:place], *evidence[place + 1 :])
            shown = _explanation(place + 1, passage, lineages[version], without, others)
            passages.append(replace(shown, extraction=provenance))
    return ExplainResponse(
        passages=tuple(passages), rationale=answer_rationale(passages, citations)
    )


def _fitting(response: ExplainResponse) -> ExplainResponse:
    """Returns an explanation with its passages, without the last ones that a reply cannot hold."""
    pairs = zip(response.evidence, response.passages, strict=True)
    sizes = accumulate(len(wire.encode(one)) + len(wire.encode(other)) for one, other in pairs)
    count = sum(size <= bundles.REPLY_BYTES_MAX for size in sizes)
    return replace(response, evidence=response.evidence[:count], passages=response.passages[:count])


async def _provenance(passage: Evidence, ports: ExplainerPorts) -> TextProvenance | None:
    """Returns how a passage's version was extracted; None where it cannot be read."""
    if not passage.manifest_digest:
        return None
    try:
        return (await ports.texts.get(passage.manifest_digest)).provenance
    except ScopsError as error:
        # An explanation without it is better than none.
        log.warning("extraction_missing", page_id=passage.page_id, detail=error.message)
        return None


def ranks_without(evidence: Sequence[Evidence]) -> Mapping[ChunkId, tuple[RankWithout, ...]]:
    """Returns for each passage its rank among these if a part of the score were left out.

    The scores are what the other parts add up to; nothing is searched for again, so that a passage
    which only that part brought in stays, and what it kept out does not come. Parts that add
    nothing to any passage are left out.
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
    others: Sequence[Evidence],
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
        rationale=rationale(rank, passage, lineage, ranks, others=others),
        ranks_without=ranks,
        access_context=passage.access_context,
    )
