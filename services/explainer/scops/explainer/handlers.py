"""Answers `Answer` and `Explain`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import accumulate

from scops.common.contract import wire
from scops.common.contract.errors import BlobMissing
from scops.common.contract.messages.explanation import (
    AnswerMode,
    AnswerRequest,
    AnswerResponse,
    Citation,
    EvidenceBundle,
    ExplainRequest,
    ExplainResponse,
    Freshness,
    Gap,
    ModelUse,
    Statement,
)
from scops.common.contract.messages.retrieval import Evidence, RetrieveRequest, RetrieveResponse
from scops.common.observe.log import get_logger
from scops.common.observe.tracing import stage
from scops.common.query.ports import RETRIEVE
from scops.explainer import metrics
from scops.explainer.answer import bundles
from scops.explainer.answer.explaining import explained
from scops.explainer.answer.extraction import ReadablePassages, extract
from scops.explainer.answer.freshness import freshness_of, with_checks
from scops.explainer.answer.gaps import gaps_of, shortfall_of
from scops.explainer.answer.histories import PageHistories
from scops.explainer.answer.revalidation import checked_pages, has_moved_on, risks_of, wants_check
from scops.explainer.citations.citation import citation
from scops.explainer.model.wording import (
    Conversation,
    DraftAnswer,
    conversation,
    standalone_question,
    worded,
)
from scops.explainer.ports import ExplainerPorts, VersionText

NO_MODEL = "no model is configured"
NOTHING_FOUND = "nothing was found to answer from"
log = get_logger("explainer")


async def answer(request: AnswerRequest, ports: ExplainerPorts) -> AnswerResponse:
    """Returns statements with their citations, or says that there are none.

    A model words them where one is configured and the caller does not want sentences of the
    pages; whatever goes wrong with it, the answer is extractive and says why.

    Where the caller wants it, the cited pages are checked first; if one says something else by
    then, the question is answered anew from what the index holds now.

    Raises:
        ScopsError: as the retriever raised it.
    """
    response = await _answered(request, ports)
    if wants_check(request, response, risk_max=ports.settings.revalidate_risk_max):
        response = await _revalidated(request, response, ports)
    ports.cited.note(response.citations, now=ports.clock.now())
    return response


async def _revalidated(
    request: AnswerRequest, response: AnswerResponse, ports: ExplainerPorts
) -> AnswerResponse:
    assert response.freshness is not None
    before = response.freshness.risk
    with stage(metrics.STAGE_SECONDS, "revalidate"):
        page_ids = dict.fromkeys(citation.page_id for citation in response.citations)
        checks = await checked_pages(tuple(page_ids), ports)
    if has_moved_on(checks):
        response = await _answered(request, ports)
    if response.freshness is None:
        return response
    told = with_checks(response.freshness, checks, risk_before=before)
    return replace(response, freshness=told)


async def _answered(request: AnswerRequest, ports: ExplainerPorts) -> AnswerResponse:
    """Answers from what the index holds now."""
    talk = _conversation(request, ports)
    question = await standalone_question(request, talk) if talk else request.query
    request = replace(request, query=question)
    with stage(metrics.STAGE_SECONDS, "retrieve"):
        found = await _found(request, ports, as_chunks=True)
    with stage(metrics.STAGE_SECONDS, "read"):
        readable = await _readable(found.evidence, ports)
    said = await worded(request, readable, talk) if talk and readable.evidence else None
    if said is None or not said.citations:
        use = said.use if said else _unasked(request, talk)
        said = await _extracted(request.query, readable, use, ports)
    _count_outcome(readable, said.citations)
    return await _response(request, found, readable, said, ports)


async def explain(request: ExplainRequest, ports: ExplainerPorts) -> ExplainResponse:
    """Returns for each passage its score's parts, scopes, lineage and a rationale.

    Raises:
        InvalidInput: the bundle is not one of ours.
        ScopsError: as the retriever raised it.
    """
    histories = _histories(ports.settings.lineage_seconds, ports)
    if request.bundle:
        bundle = bundles.opened(request.bundle, ports.bundle_key)
        places = range(len(bundle.evidence))
        response = await explained(bundle.evidence, places, histories, citations=bundle.citations)
        return replace(response, evidence=bundle.evidence)
    if request.evidence:
        return await explained(request.evidence, range(len(request.evidence)), histories)
    evidence = (await _found(request, ports)).evidence
    response = await explained(evidence, range(len(evidence)), histories)
    return _fitting(replace(response, evidence=evidence), ports.settings.reply_bytes_max)


def _fitting(response: ExplainResponse, bytes_max: int) -> ExplainResponse:
    """Returns an explanation with its passages, without the last ones that a reply cannot hold."""
    pairs = zip(response.evidence, response.passages, strict=True)
    sizes = accumulate(len(wire.encode(one)) + len(wire.encode(other)) for one, other in pairs)
    count = sum(size <= bytes_max for size in sizes)
    return replace(response, evidence=response.evidence[:count], passages=response.passages[:count])


def _conversation(request: AnswerRequest, ports: ExplainerPorts) -> Conversation | None:
    if ports.model is None or request.mode is AnswerMode.EXTRACTIVE:
        return None
    return conversation(ports.model, ports)


def _unasked(request: AnswerRequest, talk: Conversation | None) -> ModelUse | None:
    """Returns why a model that was wanted was not asked; None where none was."""
    if talk is not None:
        return talk.use(NOTHING_FOUND)
    return ModelUse(fallback_reason=NO_MODEL) if request.mode is AnswerMode.MODEL else None


async def _extracted(
    question: str, readable: ReadablePassages, use: ModelUse | None, ports: ExplainerPorts
) -> DraftAnswer:
    quotes = await extract(question, readable, ports)
    citations = tuple(
        citation(number, quote, readable.evidence[quote.passage], readable.versions[quote.passage])
        for number, quote in enumerate(quotes, start=1)
    )
    return DraftAnswer(
        use=use,
        statements=tuple(
            Statement(text=entry.quote, citation_numbers=(entry.number,)) for entry in citations
        ),
        citations=citations,
        places=tuple(sorted({quote.passage for quote in quotes})),
    )


async def _response(
    request: AnswerRequest,
    found: RetrieveResponse,
    readable: ReadablePassages,
    said: DraftAnswer,
    ports: ExplainerPorts,
) -> AnswerResponse:
    """Puts the answer together with what is told about it."""
    settings, citations = ports.settings, said.citations
    seconds = settings.lineage_seconds if request.explain else settings.freshness_seconds
    evidence, histories = readable.evidence, _histories(seconds, ports)
    explanation = None
    if request.explain:
        # Without an answer, what was found is explained.
        shown = said.places or range(len(evidence))
        explanation = await explained(evidence, shown, histories, citations=citations)
    gaps = () if citations else gaps_of(request.query, evidence)
    return AnswerResponse(
        answered=bool(citations),
        statements=said.statements,
        citations=citations,
        evidence=evidence,
        shortfall_reason=_shortfall(request, found, evidence, said, gaps),
        explanation=explanation,
        gaps=gaps,
        freshness=await _freshness(citations, histories, ports),
        bundle=_bundle(request, found, evidence, said, ports),
        model=said.use,
    )


def _shortfall(
    request: AnswerRequest,
    found: RetrieveResponse,
    evidence: Sequence[Evidence],
    said: DraftAnswer,
    gaps: Sequence[Gap],
) -> str:
    """Says why there is no answer, or less than asked for."""
    if not said.citations:
        unsupported = shortfall_of(request.query, evidence, gaps)
        return unsupported if evidence else found.shortfall_reason or unsupported
    fewer = found.shortfall_reason if len(found.evidence) < request.limit else ""
    return " ".join(part for part in (said.shortfall, fewer) if part)


async def _found(
    request: AnswerRequest | ExplainRequest, ports: ExplainerPorts, *, as_chunks: bool = False
) -> RetrieveResponse:
    """Asks the retriever.

    Args:
        as_chunks: for quotes, which are joined here, across chunks and as short as can be.
    """
    return await ports.query_client.call(
        RETRIEVE,
        RetrieveRequest(
            query=request.query,
            scopes=request.scopes,
            limit=max(request.limit, ports.settings.passages) if as_chunks else request.limit,
            as_of_time=request.as_of_time,
            recipe=request.recipe,
            as_chunks=as_chunks,
        ),
        deadline=ports.clock.now() + timedelta(seconds=ports.settings.deadline_seconds),
    )


async def _readable(evidence: Sequence[Evidence], ports: ExplainerPorts) -> ReadablePassages:
    """Returns the passages whose text the archive has, and their texts."""
    readable: list[tuple[Evidence, VersionText]] = []
    for passage in evidence:
        try:
            readable.append((passage, await ports.texts.get(passage.manifest_digest)))
        except BlobMissing as error:
            # Nothing can be cited from it; the others still answer.
            metrics.UNREADABLE.inc()
            log.warning("passage_unreadable", page_id=passage.page_id, detail=error.message)
    return ReadablePassages(
        evidence=tuple(entry[0] for entry in readable),
        versions=tuple(entry[1] for entry in readable),
    )


def _count_outcome(readable: ReadablePassages, citations: Sequence[Citation]) -> None:
    outcome = "answered" if citations else "unsupported" if readable.evidence else "empty"
    metrics.ANSWERS.labels(outcome).inc()


async def _freshness(
    citations: Sequence[Citation], histories: PageHistories, ports: ExplainerPorts
) -> Freshness | None:
    pages = dict.fromkeys(citation.page_id for citation in citations)
    known = {page_id: (await histories.get(page_id)).versions for page_id in pages}
    return freshness_of(
        citations,
        known,
        risks=await risks_of(tuple(pages), ports) if pages else {},
        now=ports.clock.now(),
        prior_rate=ports.settings.change_rate_prior,
    )


def _bundle(
    request: AnswerRequest,
    found: RetrieveResponse,
    evidence: Sequence[Evidence],
    said: DraftAnswer,
    ports: ExplainerPorts,
) -> bytes:
    """Returns what the answer was made of, signed; nothing where it would not fit the reply."""
    bundle = EvidenceBundle(
        query=request.query,
        answered_time=ports.clock.now(),
        evidence=tuple(evidence[: ports.settings.passages]),
        citations=said.citations,
        statements=said.statements,
        recipe=found.recipe,
        embedder_id=found.embedder_id,
    )
    data = bundles.sealed(bundle, ports.bundle_key)
    reply = sum(len(wire.encode(passage)) for passage in evidence)
    return data if reply + len(data) <= ports.settings.reply_bytes_max else b""


def _histories(seconds: float, ports: ExplainerPorts) -> PageHistories:
    return PageHistories(deadline=ports.clock.now() + timedelta(seconds=seconds), ports=ports)
