"""Answers `Answer` and `Explain`."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from scops.common.errors import BlobMissing
from scops.common.log import get_logger
from scops.common.messages.explanation import (
    AnswerRequest,
    AnswerResponse,
    ExplainRequest,
    ExplainResponse,
    LineageEntry,
    PassageExplanation,
    Statement,
)
from scops.common.messages.retrieval import Evidence, RetrieveRequest, RetrieveResponse
from scops.common.query.ports import RETRIEVE
from scops.common.tracing import stage
from scops.explainer import metrics
from scops.explainer.citations import citation
from scops.explainer.lineage import lineage_of
from scops.explainer.ports import Ports, VersionText
from scops.explainer.quotes import Quote, joined, quotes_of
from scops.explainer.rationale import rationale
from scops.explainer.selection import choose, covered, preselect, support

NOT_ANSWERED = "Not answered in these scopes: no sentence found supports an answer."
log = get_logger("explainer")


async def answer(request: AnswerRequest, ports: Ports) -> AnswerResponse:
    """Returns verbatim sentences with their citations, or says that there are none.

    Raises:
        ScopsError: as the retriever raised it.
    """
    with stage(metrics.STAGE_SECONDS, "retrieve"):
        found = await _retrieved(request, ports)
    with stage(metrics.STAGE_SECONDS, "read"):
        evidence, versions = await _readable(found.evidence, ports)
    with stage(metrics.STAGE_SECONDS, "quote"):
        quotes = await _quotes(request.query, evidence, versions, ports)
    citations = tuple(
        citation(number, quote, evidence[quote.passage], versions[quote.passage])
        for number, quote in enumerate(quotes, start=1)
    )
    outcome = "answered" if citations else "unsupported" if evidence else "empty"
    metrics.ANSWERS.labels(outcome).inc()
    explanation = None
    if request.explain:
        # Without an answer, what was found is explained.
        places = sorted({quote.passage for quote in quotes}) or range(len(evidence))
        explanation = await _explained({place: evidence[place] for place in places}, ports)
    return AnswerResponse(
        answered=bool(citations),
        statements=tuple(
            Statement(text=entry.quote, citation_numbers=(entry.number,)) for entry in citations
        ),
        citations=citations,
        evidence=evidence,
        shortfall_reason=_shortfall(request, found, answered=bool(citations)),
        explanation=explanation,
    )


async def explain(request: ExplainRequest, ports: Ports) -> ExplainResponse:
    """Returns for each passage its score's parts, scopes, lineage and a rationale."""
    return await _explained(dict(enumerate(request.evidence)), ports)


async def _retrieved(request: AnswerRequest, ports: Ports) -> RetrieveResponse:
    return await ports.query_client.call(
        RETRIEVE,
        RetrieveRequest(
            query=request.query,
            scopes=request.scopes,
            limit=max(request.limit, ports.settings.passages),
            as_of_time=request.as_of_time,
        ),
        deadline=ports.clock.now() + timedelta(seconds=ports.settings.deadline_seconds),
    )


async def _readable(
    evidence: Sequence[Evidence], ports: Ports
) -> tuple[tuple[Evidence, ...], tuple[VersionText, ...]]:
    """Returns the passages whose text the archive has, and their texts."""
    readable: list[tuple[Evidence, VersionText]] = []
    for passage in evidence:
        try:
            readable.append((passage, await ports.texts.get(passage.manifest_digest)))
        except BlobMissing as error:
            # Nothing can be cited from it; the others still answer.
            metrics.UNREADABLE.inc()
            log.warning("passage_unreadable", page_id=passage.page_id, detail=error.message)
    return tuple(entry[0] for entry in readable), tuple(entry[1] for entry in readable)


async def _quotes(
    question: str,
    evidence: Sequence[Evidence],
    versions: Sequence[VersionText],
    ports: Ports,
) -> list[Quote]:
    """Returns the quotes of the answer in reading order; none to abstain."""
    settings = ports.settings
    quoted = evidence[: settings.passages]
    quotes = [
        quote
        for place, passage in enumerate(quoted)
        for quote in quotes_of(place, passage, versions[place])
    ]
    candidates = preselect(question, quotes, quoted, settings)
    metrics.SENTENCES.observe(len(candidates))
    if not candidates:
        return []
    embedder = await ports.embedder()
    texts = [entry.quote.embedded_text for entry in candidates]
    vectors = await embedder.embed([question, *texts])
    asked, rows = vectors[0], vectors[1:]
    named = covered(question, quoted)
    if support(candidates, asked, rows, covered=named) < settings.support_min:
        return []
    return joined(choose(candidates, asked, rows, settings), versions)


def _shortfall(request: AnswerRequest, found: RetrieveResponse, *, answered: bool) -> str:
    if not answered:
        return NOT_ANSWERED if found.evidence else found.shortfall_reason or NOT_ANSWERED
    return found.shortfall_reason if len(found.evidence) < request.limit else ""


async def _explained(passages: Mapping[int, Evidence], ports: Ports) -> ExplainResponse:
    """Explains passages by their place in the ranking, from 0."""
    with stage(metrics.STAGE_SECONDS, "explain"):
        return await _explanations(passages, ports)


async def _explanations(passages: Mapping[int, Evidence], ports: Ports) -> ExplainResponse:
    deadline = ports.clock.now() + timedelta(seconds=ports.settings.lineage_seconds)
    known: dict[tuple[str, str], tuple[LineageEntry, ...]] = {}
    explained = []
    for place, passage in passages.items():
        version = (passage.page_id, passage.version_id)
        if version not in known:
            known[version] = await lineage_of(passage, deadline, ports)
        explained.append(_explanation(place + 1, passage, known[version]))
    return ExplainResponse(passages=tuple(explained))


def _explanation(
    rank: int, passage: Evidence, lineage: tuple[LineageEntry, ...]
) -> PassageExplanation:
    return PassageExplanation(
        chunk_id=passage.chunk_id,
        page_id=passage.page_id,
        canonical_url=passage.canonical_url,
        rank=rank,
        score=passage.score,
        parts=passage.parts,
        scopes=passage.scopes,
        lineage=lineage,
        rationale=rationale(rank, passage, lineage),
    )
