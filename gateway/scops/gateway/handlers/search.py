"""Use cases of the SearchService."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import (
    AnswerMode,
    AnswerRequest,
    AnswerResponse,
    ExplainRequest,
    PassageExplanation,
    Revalidate,
    Turn,
    UnsupportedPolicy,
)
from scops.common.contract.messages.retrieval import (
    Evidence,
    PreferredScope,
    RetrieveRequest,
    RetrieveResponse,
    Weights,
)
from scops.common.contract.messages.types import Scope
from scops.common.query.ports import ANSWER, EXPLAIN, RETRIEVE
from scops.gateway import metrics
from scops.gateway.access.postcheck import (
    RulePostcheck,
    checked_answer,
    checked_evidence,
    checked_explanation,
)
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scopes import scope_not_found, seen_among, seen_scopes
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import (
    checked_as_of,
    checked_bundle,
    checked_history,
    checked_page_size,
    checked_query,
)
from scops.gateway.requests.names import scope_of
from scops.gateway.scopes.stored_scope import ref_of

ALL_SCOPES = "*"
QUERY_SCOPES_MAX = 1000
NO_SCOPE = "There is no scope that you may see yet; create one and crawl it."


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedPassage:
    """A passage with the explanation of its rank."""

    evidence: Evidence
    explanation: PassageExplanation


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWording:
    """Who words an answer, what it reads beside the question, and whether pages are checked."""

    mode: AnswerMode = AnswerMode.UNSPECIFIED
    unsupported: UnsupportedPolicy = UnsupportedPolicy.UNSPECIFIED
    revalidate: Revalidate = Revalidate.UNSPECIFIED
    history: tuple[Turn, ...] = ()


VERBATIM_IF_NO_MODEL = AnswerWording()


async def search(
    ports: GatewayPorts,
    call: Call,
    *,
    query: str,
    scopes: Sequence[str],
    page_size: int,
    as_of: datetime | None,
    weights: Weights | None = None,
    recipe: str = "",
    preferred: Sequence[tuple[str, float]] = (),
    min_score: float | None = None,
    page_passages_max: int | None = None,
) -> RetrieveResponse:
    """Returns passages of the scopes asked for, best first.

    Args:
        preferred: names of asked scopes whose passages come first, with their priorities.
        min_score: passages that score less are left out.
        page_passages_max: of one page; 0 is no bound, None leaves it to the retriever.

    Raises:
        InvalidInput: the query, the scopes or the page size cannot be used.
        NotFound: a scope is absent or hidden.
    """
    asked = await _asked_scopes(ports, call, scopes)
    request = RetrieveRequest(
        query=checked_query(query),
        scopes=tuple(ref_of(scope) for scope in asked),
        limit=checked_page_size(page_size),
        as_of_time=checked_as_of(as_of, ports.clock.now()),
        recipe=recipe,
        weights=weights,
        preferred=tuple(
            PreferredScope(
                scope_id=scope_of(name, field=f"preferred_scopes[{index}].scope"),
                priority=priority,
            )
            for index, (name, priority) in enumerate(preferred)
        ),
        min_score=min_score,
        page_passages_max=page_passages_max,
    )
    if not asked:
        return RetrieveResponse(shortfall_reason=NO_SCOPE)
    response = await ask(ports, RETRIEVE, request, call=call)
    evidence, leaks = checked_evidence(response.evidence, await _postcheck(ports, call, asked))
    metrics.ACL_POSTCHECK_DROPS.inc(leaks)
    return replace(response, evidence=evidence)


async def answer(
    ports: GatewayPorts,
    call: Call,
    *,
    query: str,
    scopes: Sequence[str],
    as_of: datetime | None,
    explain: bool,
    wording: AnswerWording = VERBATIM_IF_NO_MODEL,
    recipe: str = "",
) -> AnswerResponse:
    """Returns an answer from the scopes asked for, with citations.

    Raises:
        InvalidInput: the query, the scopes or the history cannot be used.
        NotFound: a scope is absent or hidden.
    """
    asked = await _asked_scopes(ports, call, scopes)
    request = AnswerRequest(
        query=checked_query(query),
        scopes=tuple(ref_of(scope) for scope in asked),
        as_of_time=checked_as_of(as_of, ports.clock.now()),
        explain=explain,
        mode=wording.mode,
        unsupported=wording.unsupported,
        revalidate=wording.revalidate,
        history=checked_history(wording.history),
        recipe=recipe,
    )
    if not asked:
        return AnswerResponse(shortfall_reason=NO_SCOPE)
    response = await ask(ports, ANSWER, request, call=call)
    checked, leaks = checked_answer(response, await _postcheck(ports, call, asked))
    metrics.ACL_POSTCHECK_DROPS.inc(leaks)
    return checked


async def explain(
    ports: GatewayPorts,
    call: Call,
    *,
    query: str,
    scopes: Sequence[str],
    page_size: int,
    as_of: datetime | None,
    bundle: bytes = b"",
    recipe: str = "",
) -> tuple[tuple[ExplainedPassage, ...], str]:
    """Returns passages, each with why it ranks as it does, and a rationale of them all.

    They are those of the bundle, where one is given, else those that `search` returns.

    Raises:
        InvalidInput: query, scopes, page size or bundle cannot be used.
        NotFound: a scope is absent or hidden.
    """
    asked = await _asked_scopes(ports, call, scopes)
    if bundle:
        request = ExplainRequest(bundle=checked_bundle(bundle))
    else:
        request = ExplainRequest(
            query=checked_query(query),
            scopes=tuple(ref_of(scope) for scope in asked),
            as_of_time=checked_as_of(as_of, ports.clock.now()),
            limit=checked_page_size(page_size),
            recipe=recipe,
        )
        if not asked:
            return (), ""
    response = await ask(ports, EXPLAIN, request, call=call)
    postcheck = await _postcheck(ports, call, asked)
    evidence, leaks = checked_evidence(response.evidence, postcheck)
    # The scopes asked need not be those of the bundle: what they do not hold is no leak.
    metrics.ACL_POSTCHECK_DROPS.inc(0 if bundle else leaks)
    checked = checked_explanation(response, postcheck)
    return joined(evidence, checked.passages), checked.rationale


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
        everything = await seen_scopes(ports, call)
        _check_count(len(everything))
        return everything
    wanted = [scope_of(name, field=f"scopes[{index}]") for index, name in enumerate(names)]
    _check_count(len(set(wanted)))
    visible = {scope.scope_id: scope for scope in await seen_among(ports, call, set(wanted))}
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


async def _postcheck(ports: GatewayPorts, call: Call, asked: tuple[Scope, ...]) -> RulePostcheck:
    """Returns who decides what may leave, with the scopes as they are by now."""
    ids = {scope.scope_id for scope in asked}
    return RulePostcheck(asked=asked, newest=await seen_among(ports, call, ids))
