"""Answers `Answer` and `Explain`."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from scops.common.errors import TransientError
from scops.common.messages.change import DiffHunk, DiffRequest, HistoryEntry, HistoryRequest
from scops.common.messages.explanation import (
    AnswerRequest,
    AnswerResponse,
    Citation,
    ExplainRequest,
    ExplainResponse,
    LineageEntry,
    PassageExplanation,
    Statement,
)
from scops.common.messages.retrieval import Evidence, RetrieveRequest
from scops.common.query.ports import DIFF, HISTORY, RETRIEVE
from scops.explainer.citations import citation
from scops.explainer.ports import Ports, VersionText
from scops.explainer.quotes import Quote, joined, quotes_of
from scops.explainer.rationale import rationale
from scops.explainer.selection import choose, preselect

NOT_ANSWERED = "Not answered in these scopes: no sentence found supports an answer."
DIFF_CHARACTERS = 600


async def answer(request: AnswerRequest, ports: Ports) -> AnswerResponse:
    """Returns 2 to 5 verbatim sentences with their citations, or says that there are none.

    Raises:
        ScopsError: as the retriever raised it.
    """
    deadline = ports.clock.now() + timedelta(seconds=ports.settings.deadline_seconds)
    found = await ports.query_client.call(
        RETRIEVE,
        RetrieveRequest(
            query=request.query,
            scopes=request.scopes,
            limit=max(request.limit, ports.settings.passages),
            as_of_time=request.as_of_time,
        ),
        deadline=deadline,
    )
    versions = {e.manifest_digest: await ports.texts.get(e.manifest_digest) for e in found.evidence}
    quotes = await _chosen(request.query, found.evidence, versions, ports)
    citations = _citations(quotes, found.evidence, versions)
    explanation = None
    if request.explain:
        cited = [found.evidence[i] for i in sorted({quote.passage for quote in quotes})]
        explanation = await _explained(cited or found.evidence, found.evidence, deadline, ports)
    return AnswerResponse(
        answered=bool(citations),
        statements=tuple(
            Statement(text=entry.quote, citation_numbers=(entry.number,)) for entry in citations
        ),
        citations=tuple(citations),
        evidence=found.evidence,
        shortfall_reason="" if citations else _why_not(found.evidence, found.shortfall_reason),
        explanation=explanation,
    )


async def explain(request: ExplainRequest, ports: Ports) -> ExplainResponse:
    """Returns for each passage its score's parts, scopes, lineage and a rationale."""
    deadline = ports.clock.now() + timedelta(seconds=ports.settings.deadline_seconds)
    return await _explained(request.evidence, request.evidence, deadline, ports)


async def _chosen(
    question: str,
    evidence: Sequence[Evidence],
    versions: dict[str, VersionText],
    ports: Ports,
) -> list[Quote]:
    """Returns the quotes of the answer in reading order, adjacent ones joined."""
    quotes = [
        quote
        for place, passage in enumerate(evidence)
        for quote in quotes_of(place, passage, versions[passage.manifest_digest])
    ]
    scores = [passage.score for passage in evidence]
    limit = ports.settings.sentences_embedded
    candidates = preselect(question, quotes, scores, limit=limit)
    if not candidates:
        return []
    embedder = await ports.embedder()
    vectors = await embedder.embed([question, *(entry.quote.text for entry in candidates)])
    chosen = choose(candidates, vectors[0], vectors[1:], ports.settings)
    ordered = sorted(chosen, key=lambda quote: (quote.passage, quote.start))
    texts = {place: versions[e.manifest_digest].text for place, e in enumerate(evidence)}
    return joined(ordered, texts)


def _citations(
    quotes: Sequence[Quote], evidence: Sequence[Evidence], versions: dict[str, VersionText]
) -> list[Citation]:
    return [
        citation(number, quote, passage, versions[passage.manifest_digest])
        for number, quote in enumerate(quotes, start=1)
        for passage in (evidence[quote.passage],)
    ]


def _why_not(evidence: Sequence[Evidence], shortfall_reason: str) -> str:
    return NOT_ANSWERED if evidence else shortfall_reason or NOT_ANSWERED


async def _explained(
    passages: Sequence[Evidence], ranking: Sequence[Evidence], deadline: datetime, ports: Ports
) -> ExplainResponse:
    ranks = {passage.chunk_id: rank for rank, passage in enumerate(ranking, start=1)}
    explained = []
    for passage in passages:
        lineage = await _lineage(passage, deadline, ports)
        rank = ranks[passage.chunk_id]
        explained.append(
            PassageExplanation(
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
        )
    return ExplainResponse(passages=tuple(explained))


async def _lineage(passage: Evidence, deadline: datetime, ports: Ports) -> tuple[LineageEntry, ...]:
    """Returns the page's newest versions; the cited one with what it changed.

    An explanation without lineage is better than none: a silent change-detector leaves it out.
    """
    try:
        history = await ports.query_client.call(
            HISTORY,
            HistoryRequest(page_id=passage.page_id, limit=ports.settings.lineage_versions),
            deadline=deadline,
        )
        return tuple(
            [
                await _entry(passage, history.versions, place, deadline, ports)
                for place in range(len(history.versions))
            ]
        )
    except TransientError:
        return ()


async def _entry(
    passage: Evidence,
    versions: Sequence[HistoryEntry],
    place: int,
    deadline: datetime,
    ports: Ports,
) -> LineageEntry:
    version = versions[place]
    before = versions[place + 1] if place + 1 < len(versions) else None
    cited = version.version_id == passage.version_id
    hunks: tuple[DiffHunk, ...] = ()
    if cited and before is not None:
        compared = await ports.query_client.call(
            DIFF,
            DiffRequest(
                page_id=passage.page_id,
                from_version=before.version_id,
                to_version=version.version_id,
                character_limit=DIFF_CHARACTERS,
            ),
            deadline=deadline,
        )
        hunks = compared.hunks
    return LineageEntry(
        version_id=version.version_id,
        observed_time=version.order_key.observed_from,
        summary=version.summary,
        diff=hunks,
        cited=cited,
    )
