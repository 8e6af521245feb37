"""Answers `Explain`: what sets each passage apart, counterfactuals, parts, scopes, lineage."""

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
from scops.common.contract.messages.retrieval import Counterfactual, Evidence, Relevance
from scops.common.contract.messages.types import Remark
from scops.common.observe.log import get_logger
from scops.common.observe.tracing import stage
from scops.explainer import metrics
from scops.explainer.answer import bundles
from scops.explainer.answer.evidence import retrieved
from scops.explainer.answer.lineage import LINEAGE_SECONDS, PageHistories, lineage_of
from scops.explainer.answer.purged import purged_versions, told_as_purged, without_words
from scops.explainer.answer.rationale import answer_rationale, rationale
from scops.explainer.answer.reasons import WITHOUT, calibration_reasons, cut_reasons, reasons
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
    response = await explain_passages(
        found.evidence, histories, calibrated=found.calibrated, shortfall=found.shortfall
    )
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
    response = await explain_passages(
        evidence, histories, citations=citations, calibrated=bundle.calibrated
    )
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
    calibrated: Relevance | None = None,
    shortfall: Sequence[Remark] = (),
) -> ExplainResponse:
    """Explains passages with all that is known of their ranks.

    Args:
        evidence: all that was ranked; ranks are among these.
        places: of those to explain, from 0; all where none are named.
        citations: of the answer that is explained, if there is one.
        calibrated: on what the passages' probabilities of being relevant were.
        shortfall: why fewer were found than asked for.
    """
    lineages: dict[tuple[str, str], tuple[LineageEntry, ...]] = {}
    otherwise = counterfactuals(evidence)
    passages = []
    with stage(metrics.STAGE_SECONDS, "explain"):
        for place in places or range(len(evidence)):
            passage = evidence[place]
            version = (passage.page_id, passage.version_id)
            if version not in lineages:
                lineages[version] = await lineage_of(passage, histories)
            provenance = await _provenance(passage, histories.ports)
            shown = _explanation(place + 1, evidence, lineages[version], otherwise)
            passages.append(replace(shown, extraction=provenance))
    basis = (*(calibration_reasons(calibrated) if passages else ()), *cut_reasons(shortfall))
    return ExplainResponse(
        passages=tuple(passages),
        rationale=answer_rationale(passages, citations, basis),
        reasons=basis,
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


def counterfactuals(evidence: Sequence[Evidence]) -> Mapping[ChunkId, tuple[Counterfactual, ...]]:
    """Returns for each passage where it would rank if one thing were otherwise.

    As the retriever told it, of all its candidates. Where it told nothing, only the passages given
    are ranked again, so that one which only that part brought in stays, and what it kept out does
    not come.
    """
    if any(passage.counterfactuals for passage in evidence):
        return {passage.chunk_id: passage.counterfactuals for passage in evidence}
    names = dict.fromkeys(
        part.name
        for passage in evidence
        for part in passage.parts
        if part.present and part.weighted
    )
    told: dict[ChunkId, list[Counterfactual]] = {passage.chunk_id: [] for passage in evidence}
    for name in names:
        rest = [passage.score - _weighted(passage, name) for passage in evidence]
        order = sorted(range(len(evidence)), key=lambda place: -rest[place])
        for rank, place in enumerate(order, start=1):
            without = Counterfactual(change=WITHOUT, part=name, rank=rank, among=len(evidence))
            told[evidence[place].chunk_id].append(without)
    return {chunk_id: tuple(entries) for chunk_id, entries in told.items()}


def _weighted(passage: Evidence, name: str) -> float:
    return sum(part.weighted for part in passage.parts if part.present and part.name == name)


def _explanation(
    rank: int,
    evidence: Sequence[Evidence],
    lineage: tuple[LineageEntry, ...],
    otherwise: Mapping[ChunkId, tuple[Counterfactual, ...]],
) -> PassageExplanation:
    passage = evidence[rank - 1]
    told = otherwise[passage.chunk_id]
    why = reasons(rank, evidence, told)
    return PassageExplanation(
        chunk_id=passage.chunk_id,
        page_id=passage.page_id,
        canonical_url=passage.canonical_url,
        rank=rank,
        score=passage.score,
        parts=passage.parts,
        scopes=passage.scopes,
        lineage=lineage,
        rationale=rationale(passage, lineage, why),
        ranks_without=tuple(
            RankWithout(part=one.part, rank=one.rank) for one in told if one.change == WITHOUT
        ),
        access_context=passage.access_context,
        reasons=why,
        relevance=passage.relevance,
        counterfactuals=told,
    )
