"""Use cases of the SearchService."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from scops.common.access.permissions import Permission
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import (
    AnswerRequest,
    AnswerResponse,
    Citation,
    ExplainRequest,
    PassageExplanation,
    ResolvedCitation,
    ResolveRequest,
    Revalidate,
)
from scops.common.contract.messages.retrieval import (
    Evidence,
    RetrieveRequest,
    RetrieveResponse,
    Weights,
)
from scops.common.contract.messages.types import Remark, Scope
from scops.common.query.ports import ANSWER, EXPLAIN, RESOLVE, RETRIEVE
from scops.common.text.remarks import SENTENCES, RemarkCode, remark
from scops.gateway import metrics
from scops.gateway.access.postcheck import (
    RulePostcheck,
    checked_answer,
    checked_evidence,
    checked_explanation,
)
from scops.gateway.calls import Call
from scops.gateway.chats.chat import ChatId
from scops.gateway.handlers.chats.keeping import KeptAnswer, joined_chat, keep_answer
from scops.gateway.handlers.pages import get_page
from scops.gateway.handlers.purges import check_unpurged, standing_purges
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import (
    all_visible,
    check_permission,
    scope_not_found,
    visible_among,
)
from scops.gateway.handlers.spending import charge_answer, charge_model
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import (
    CITATIONS_MAX,
    check_history,
    checked_as_of,
    checked_bundle,
    checked_page_size,
    checked_query,
)
from scops.gateway.requests.names import scope_of
from scops.gateway.scopes.stored_scope import ref_of

ALL_SCOPES = "*"
QUERY_SCOPES_MAX = 1000
# Policies by which an answer has no page fetched.
WITHOUT_FETCH = (Revalidate.UNSPECIFIED, Revalidate.NEVER)
NO_SCOPE = SENTENCES[RemarkCode.NO_SCOPE]
NO_SCOPE_REMARKS = (remark(RemarkCode.NO_SCOPE),)
Question = TypeVar("Question", RetrieveRequest, AnswerRequest, ExplainRequest)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedPassage:
    """A passage with the explanation of its rank."""

    evidence: Evidence
    explanation: PassageExplanation


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedRanking:
    """Passages with why each ranks as it does, best first.

    Attributes:
        recipe, weights: by which they rank, as far as that is known.
        reasons: what the rationale says of all of them, in codes.
    """

    passages: tuple[ExplainedPassage, ...] = ()
    rationale: str = ""
    recipe: str = ""
    weights: Weights | None = None
    reasons: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunAnswer:
    """A question that is to be answered.

    Attributes:
        wanted, affordable: as the caller put it, and as it may be asked today.
        asked: the scopes; none where the caller sees none.
        names: of the scopes, as they were given.
        chat_id: that it is kept in; None for none.
    """

    wanted: AnswerRequest
    affordable: AnswerRequest
    asked: tuple[Scope, ...]
    names: tuple[str, ...]
    chat_id: ChatId | None


async def search(
    ports: GatewayPorts, call: Call, *, question: RetrieveRequest, scopes: Sequence[str]
) -> RetrieveResponse:
    """Returns passages of the scopes asked for, best first.

    Args:
        question: as the caller put it, without scopes.
        scopes: names; `*` alone is all that the caller may see.

    Raises:
        InvalidInput: the query, the scopes or the limit cannot be used.
        NotFound: a scope is absent or hidden.
    """
    question, asked = await _inside(ports, call, question, scopes)
    question = replace(question, limit=checked_page_size(question.limit))
    if not asked:
        return RetrieveResponse(shortfall_reason=NO_SCOPE, shortfall=NO_SCOPE_REMARKS)
    response = await ask(ports, RETRIEVE, question, call=call)
    evidence, leaks = checked_evidence(response.evidence, await postcheck_of(ports, call, asked))
    metrics.ACL_POSTCHECK_DROPS.inc(leaks)
    return replace(response, evidence=evidence)


async def answer(
    ports: GatewayPorts,
    call: Call,
    *,
    question: AnswerRequest,
    scopes: Sequence[str],
    chat_id: ChatId | None = None,
) -> KeptAnswer:
    """Returns an answer from the scopes asked for, with citations, and keeps it in a chat.

    Args:
        question: as the caller put it, without scopes.
        scopes: as `search` takes them.
        chat_id: None keeps nothing.

    Raises:
        InvalidInput: the query, the scopes or the history cannot be used.
        NotFound: a scope or the chat is absent or hidden.
        NotPermitted: pages are to be fetched first, which the caller may not in some scope, or it
            may keep no chats.
        QuotaReached: the chat is full.
        ResourceExhausted: nothing of the caller's day is left for it.
    """
    begun = await begin_answer(ports, call, question=question, scopes=scopes, chat_id=chat_id)
    return await answered(ports, call, begun)


async def begin_answer(
    ports: GatewayPorts,
    call: Call,
    *,
    question: AnswerRequest,
    scopes: Sequence[str],
    chat_id: ChatId | None,
) -> BegunAnswer:
    """Returns a question as the explainer may be asked it, and spends what it takes.

    Raises:
        As `answer` does.
    """
    question, asked = await _inside(ports, call, question, scopes)
    check_history(question.history)
    if chat_id is not None:
        question = await joined_chat(ports, call, chat_id, question)
    checks = question.revalidate not in WITHOUT_FETCH
    if checks:
        for scope in asked:
            check_permission(call.principal, Permission.REVALIDATE, scope)
    affordable = question
    if asked:
        affordable = await charge_answer(ports, call, question, checks=checks)
    return BegunAnswer(
        wanted=question,
        affordable=affordable,
        asked=asked,
        names=tuple(scopes),
        chat_id=chat_id,
    )


async def answered(ports: GatewayPorts, call: Call, begun: BegunAnswer) -> KeptAnswer:
    """Returns the explainer's answer as it may leave, kept where it is to be.

    Raises:
        TransientError: nobody answered in time.
        NotFound, QuotaReached: the chat is gone, or full, by now.
    """
    if begun.asked:
        checked = await _checked_answer(ports, call, begun)
    else:
        checked = AnswerResponse(shortfall_reason=NO_SCOPE, shortfall=NO_SCOPE_REMARKS)
    if begun.chat_id is None:
        return KeptAnswer(answer=checked)
    return await keep_answer(
        ports,
        call,
        chat_id=begun.chat_id,
        question=begun.wanted,
        scopes=begun.names,
        answer=checked,
    )


async def _checked_answer(ports: GatewayPorts, call: Call, begun: BegunAnswer) -> AnswerResponse:
    response = await ask(ports, ANSWER, begun.affordable, call=call)
    response = await charge_model(
        ports, call, response, wanted=begun.wanted, asked=begun.affordable
    )
    checked, leaks = checked_answer(response, await postcheck_of(ports, call, begun.asked))
    metrics.ACL_POSTCHECK_DROPS.inc(leaks)
    return checked


async def explain(
    ports: GatewayPorts, call: Call, *, question: ExplainRequest, scopes: Sequence[str]
) -> ExplainedRanking:
    """Returns passages, each with why it ranks as it does, and a rationale of them all.

    They are those of the bundle, where one is given, else those that `search` returns.

    Args:
        question: as the caller put it, without scopes.
        scopes: as `search` takes them.

    Raises:
        InvalidInput: query, scopes, limit or bundle cannot be used.
        NotFound: a scope is absent or hidden.
    """
    if question.bundle:
        asked = await _asked_scopes(ports, call, scopes)
        question = ExplainRequest(bundle=checked_bundle(question.bundle))
    else:
        question, asked = await _inside(ports, call, question, scopes)
        question = replace(question, limit=checked_page_size(question.limit))
        if not asked:
            return ExplainedRanking()
    response = await ask(ports, EXPLAIN, question, call=call)
    postcheck = await postcheck_of(ports, call, asked)
    evidence, leaks = checked_evidence(response.evidence, postcheck)
    # The scopes asked need not be those of the bundle: what they do not hold is no leak.
    metrics.ACL_POSTCHECK_DROPS.inc(0 if question.bundle else leaks)
    checked = checked_explanation(response, postcheck)
    return ExplainedRanking(
        passages=joined(evidence, checked.passages),
        rationale=checked.rationale,
        recipe=checked.recipe,
        weights=checked.weights,
        reasons=checked.reasons,
    )


async def resolve_citations(
    ports: GatewayPorts, call: Call, *, citations: Sequence[Citation]
) -> tuple[ResolvedCitation, ...]:
    """Returns what became of some cited spans, in the order asked.

    Raises:
        InvalidInput: no citation is given, too many are, or one names no page or version.
        NotFound: a cited page is unknown, or no scope that the caller may see holds it.
    """
    if not citations:
        raise InvalidInput(
            "No citation is given; send some as Answer returned them.",
            reason="CITATIONS_EMPTY",
            field="citations",
        )
    # Each page is looked up below: first whether there are too many.
    if len(citations) > CITATIONS_MAX:
        raise InvalidInput(
            f"{len(citations)} citations are to be resolved; at most {CITATIONS_MAX} are at once. "
            "Ask in parts.",
            reason="TOO_MANY_CITATIONS",
            field="citations",
        )
    for index, citation in enumerate(citations):
        if not citation.page_id or not citation.version_id:
            raise InvalidInput(
                f"Citation {index + 1} names no page or no version; send it as Answer returned it.",
                reason="CITATION_INCOMPLETE",
                field=f"citations[{index}]",
            )
    # What a caller says of a page's URL proves nothing: whether it may be seen is looked up.
    for page_id in dict.fromkeys(citation.page_id for citation in citations):
        await check_unpurged(ports, (await get_page(ports, call, page_id=page_id)).page)
    response = await ask(ports, RESOLVE, ResolveRequest(citations=tuple(citations)), call=call)
    return response.citations


def joined(
    evidence: Sequence[Evidence], explanations: Sequence[PassageExplanation]
) -> tuple[ExplainedPassage, ...]:
    """Returns each explanation with its passage, in the order of the explanations."""
    passages = {(item.page_id, item.chunk_id): item for item in evidence}
    return tuple(
        ExplainedPassage(evidence=passages[item.page_id, item.chunk_id], explanation=item)
        for item in explanations
        if (item.page_id, item.chunk_id) in passages
    )


async def _inside(
    ports: GatewayPorts, call: Call, question: Question, names: Sequence[str]
) -> tuple[Question, tuple[Scope, ...]]:
    """Returns a question as other services are asked it, and the scopes that it asks."""
    asked = await _asked_scopes(ports, call, names)
    inside = replace(
        question,
        query=checked_query(question.query),
        scopes=tuple(ref_of(scope) for scope in asked),
        as_of_time=checked_as_of(question.as_of_time, ports.clock.now()),
    )
    return inside, asked


async def _asked_scopes(ports: GatewayPorts, call: Call, names: Sequence[str]) -> tuple[Scope, ...]:
    """Returns the scopes that a call names, each once; `*` alone is all that are visible."""
    if not names:
        raise InvalidInput(
            'No scope is asked. Name scopes such as scopes/team-docs, or "*" alone for all '
            "that you may see.",
            reason="SCOPES_EMPTY",
            field="scopes",
        )
    if tuple(names) == (ALL_SCOPES,):
        everything = await all_visible(ports, call)
        _check_count(len(everything))
        return everything
    wanted = [scope_of(name, field=f"scopes[{index}]") for index, name in enumerate(names)]
    _check_count(len(set(wanted)))
    visible = {scope.scope_id: scope for scope in await visible_among(ports, call, set(wanted))}
    for index, scope_id in enumerate(wanted):
        if scope_id not in visible:
            raise scope_not_found(scope_id, field=f"scopes[{index}]")
    return tuple(visible[scope_id] for scope_id in dict.fromkeys(wanted))


def _check_count(count: int) -> None:
    if count > QUERY_SCOPES_MAX:
        raise InvalidInput(
            f"The query asks {count} scopes; at most {QUERY_SCOPES_MAX} can be asked at once. "
            "Name fewer.",
            reason="TOO_MANY_SCOPES",
            field="scopes",
        )


async def postcheck_of(ports: GatewayPorts, call: Call, asked: tuple[Scope, ...]) -> RulePostcheck:
    """Returns who decides what may leave, with the scopes as they are by now."""
    ids = {scope.scope_id for scope in asked}
    return RulePostcheck(
        asked=asked,
        newest=await visible_among(ports, call, ids),
        purges=await standing_purges(ports),
    )
