"""Answers `Answer`."""

from collections.abc import Sequence
from dataclasses import replace

from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import (
    AnswerMode,
    AnswerRequest,
    AnswerResponse,
    Citation,
    EvidenceBundle,
    FindRequest,
    FindResponse,
    Freshness,
    Gap,
    ModelUse,
)
from scops.common.contract.messages.retrieval import Evidence, RetrieveResponse
from scops.common.contract.messages.types import Remark
from scops.common.observe.tracing import stage
from scops.common.text.remarks import RemarkCode, remark, sentences
from scops.explainer import metrics
from scops.explainer.answer import bundles
from scops.explainer.answer.evidence import (
    PASSAGES,
    ReadablePassages,
    readable_passages,
    retrieved,
)
from scops.explainer.answer.extraction import DraftAnswer, extractive_answer
from scops.explainer.answer.freshness import freshness_of, with_checks
from scops.explainer.answer.gaps import coverage_of, unanswered
from scops.explainer.answer.lineage import FRESHNESS_SECONDS, LINEAGE_SECONDS, PageHistories
from scops.explainer.answer.page_checks import checked_pages, has_moved_on, risks_of, wants_check
from scops.explainer.answer.reasons import cut_reasons
from scops.explainer.handlers.explain import explain_passages
from scops.explainer.model.wording import (
    Conversation,
    standalone_question,
    start_conversation,
    word_answer,
)
from scops.explainer.ports import ExplainerPorts
from scops.libraries.model.language_model import LanguageModel

NO_MODEL = "no model is configured"
NOTHING_FOUND = "nothing was found to answer from"


async def answer(request: AnswerRequest, ports: ExplainerPorts) -> AnswerResponse:
    """Returns statements with their citations, or says that there are none.

    A model words them where one is configured and the caller does not want sentences of the
    pages; whatever goes wrong with it, the answer is extractive and says why.

    Where the caller wants it, the cited pages are checked first; if one says something else by
    then, the question is answered anew from what the index holds now.

    Raises:
        InvalidInput: the question names a model that is not offered.
        ScopsError: as the retriever raised it.
    """
    response = await _answered(request, ports)
    if wants_check(request, response):
        response = await _revalidated(request, response, ports)
    ports.cited.count(response.citations, now=ports.clock.now())
    return response


async def find(request: FindRequest, ports: ExplainerPorts) -> FindResponse:
    """Returns what a question is to be answered from, so that it can be shown before the answer.

    `answer` takes it back and looks for nothing again.

    Raises:
        ScopsError: as the retriever raised it.
    """
    question = request.question
    return await _found(question, _open_conversation(question, ports), ports)


async def _revalidated(
    request: AnswerRequest, response: AnswerResponse, ports: ExplainerPorts
) -> AnswerResponse:
    assert response.freshness is not None
    before = response.freshness.risk
    with stage(metrics.STAGE_SECONDS, "revalidate"):
        page_ids = dict.fromkeys(citation.page_id for citation in response.citations)
        checks = await checked_pages(tuple(page_ids), ports)
    if has_moved_on(checks):
        response = await _answered(replace(request, found=None), ports)
    if response.freshness is None:
        return response
    told = with_checks(response.freshness, checks, risk_before=before)
    return replace(response, freshness=told)


async def _answered(request: AnswerRequest, ports: ExplainerPorts) -> AnswerResponse:
    """Answers from what was found, or from what the index holds now."""
    conversation = _open_conversation(request, ports)
    given = request.found
    if given is None:
        given = await _found(request, conversation, ports)
    elif conversation and given.model:
        conversation.add(given.model)
    request, found = replace(request, query=given.query), given.found
    with stage(metrics.STAGE_SECONDS, "read"):
        readable = await readable_passages(found.evidence, ports)
    draft = (
        await word_answer(request, readable, conversation)
        if conversation and readable.evidence
        else None
    )
    if draft is None or not draft.citations:
        use = draft.use if draft else _unasked(request, conversation)
        draft = await extractive_answer(request.query, readable, ports, use=use)
    outcome = "answered" if draft.citations else "unsupported" if readable.evidence else "empty"
    metrics.ANSWERS.labels(outcome).inc()
    return await _response(request, found, readable, draft, ports)


async def _found(
    request: AnswerRequest, conversation: Conversation | None, ports: ExplainerPorts
) -> FindResponse:
    question = await standalone_question(request, conversation) if conversation else request.query
    with stage(metrics.STAGE_SECONDS, "retrieve"):
        found = await retrieved(replace(request, query=question), ports, as_chunks=True)
    used = conversation.use() if conversation and conversation.requests else None
    return FindResponse(query=question, found=found, model=used)


def _open_conversation(request: AnswerRequest, ports: ExplainerPorts) -> Conversation | None:
    model = _asked_model(request.model, ports)
    if model is None or request.mode is AnswerMode.EXTRACTIVE:
        return None
    return start_conversation(model, ports)


def _asked_model(name: str, ports: ExplainerPorts) -> LanguageModel | None:
    if not name:
        return ports.model
    if name not in ports.models:
        known = ", ".join(filter(None, ports.models)) or "none"
        raise InvalidInput(
            f"No model {name[:80]!r} words answers here; known are: {known}. "
            "SCOPS_EXPLAINER_MODEL_NAMES names further ones.",
            reason="MODEL_UNKNOWN",
            field="model",
        )
    return ports.models[name]


def _unasked(request: AnswerRequest, conversation: Conversation | None) -> ModelUse | None:
    """Returns why a model that was wanted was not asked; None where none was."""
    if conversation is not None:
        return conversation.use(NOTHING_FOUND)
    return ModelUse(fallback_reason=NO_MODEL) if request.mode is AnswerMode.MODEL else None


async def _response(
    request: AnswerRequest,
    found: RetrieveResponse,
    readable: ReadablePassages,
    draft: DraftAnswer,
    ports: ExplainerPorts,
) -> AnswerResponse:
    """Puts the answer together with what is told about it."""
    evidence, citations = readable.evidence, draft.citations
    seconds = LINEAGE_SECONDS if request.explain else FRESHNESS_SECONDS
    histories = PageHistories.within(seconds, ports)
    explanation = None
    if request.explain:
        # Without an answer, what was found is explained.
        explanation = await explain_passages(
            evidence,
            histories,
            places=draft.places,
            citations=citations,
            calibrated=found.calibrated,
            shortfall=found.shortfall,
        )
    nothing: tuple[tuple[Gap, ...], tuple[Remark, ...]] = ((), ())
    gaps, why = nothing if citations else await _unanswered(request.query, evidence, ports)
    nearest = [evidence[place] for place in draft.places] or evidence[:PASSAGES]
    return AnswerResponse(
        answered=bool(citations),
        statements=draft.statements,
        citations=citations,
        evidence=evidence,
        shortfall_reason=_reason(request, found, evidence, draft, why),
        shortfall=_shortfall(request, found, evidence, draft, why),
        explanation=explanation,
        gaps=gaps,
        freshness=await _freshness(citations, histories, ports),
        bundle=_bundle(request, found, evidence, draft, ports),
        model=draft.use,
        coverage=coverage_of(
            request.query,
            nearest,
            [citation.quote for citation in citations],
            probability=draft.probability,
        ),
    )


async def _unanswered(
    question: str, evidence: Sequence[Evidence], ports: ExplainerPorts
) -> tuple[tuple[Gap, ...], tuple[Remark, ...]]:
    """Returns what comes nearest to a question that is not answered, and what it lacks."""
    characters = sum(len(passage.text) for passage in evidence)
    return await ports.compute(unanswered, question, evidence, characters=characters)


def _shortfall(
    request: AnswerRequest,
    found: RetrieveResponse,
    evidence: Sequence[Evidence],
    draft: DraftAnswer,
    unsupported: tuple[Remark, ...],
) -> tuple[Remark, ...]:
    """Returns why there is no answer, or less than asked for."""
    if not draft.citations:
        cut = cut_reasons(found.shortfall)
        return (*unsupported, *cut) if evidence else found.shortfall or unsupported
    broke_off = (remark(RemarkCode.MODEL_BROKE_OFF),) if draft.shortfall else ()
    return broke_off + (found.shortfall if len(found.evidence) < request.limit else ())


def _reason(
    request: AnswerRequest,
    found: RetrieveResponse,
    evidence: Sequence[Evidence],
    draft: DraftAnswer,
    unsupported: tuple[Remark, ...],
) -> str:
    """Returns the same in English; a retriever of an earlier version gives no codes."""
    if not draft.citations:
        said = sentences((*unsupported, *cut_reasons(found.shortfall)))
        return said if evidence else found.shortfall_reason or said
    fewer = found.shortfall_reason if len(found.evidence) < request.limit else ""
    return " ".join(part for part in (draft.shortfall, fewer) if part)


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
    )


def _bundle(
    request: AnswerRequest,
    found: RetrieveResponse,
    evidence: Sequence[Evidence],
    draft: DraftAnswer,
    ports: ExplainerPorts,
) -> bytes:
    """Returns what the answer was made of, signed; nothing where it would not fit the reply."""
    bundle = EvidenceBundle(
        query=request.query,
        answered_time=ports.clock.now(),
        evidence=tuple(evidence[:PASSAGES]),
        citations=draft.citations,
        statements=draft.statements,
        recipe=found.recipe,
        embedder_id=found.embedder_id,
        calibrated=found.calibrated,
    )
    data = bundles.seal_bundle(bundle, ports.bundle_key)
    reply = sum(len(wire.encode(passage)) for passage in evidence)
    return data if reply + len(data) <= bundles.REPLY_BYTES_MAX else b""
