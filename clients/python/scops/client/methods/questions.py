"""Search, answers, explanations, and what became of citations."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import partial

from scops.client.calls import Call, Plan, Streaming
from scops.client.codec import read
from scops.client.methods.names import AnyChat, Scopes, chat_name, scope_name, scope_names
from scops.client.values.answers import (
    Answer,
    AnswerPart,
    Citation,
    Explanation,
    ResolvedCitation,
    Turn,
)
from scops.client.values.passages import ScoreWeights, SearchResult
from scops.client.values.words import Mode, Revalidate, Unsupported

SERVICE = "SearchService"


def search(
    query: str,
    scopes: Scopes,
    *,
    limit: int = 10,
    as_of: date | datetime | None = None,
    prefer: Mapping[str, float] | None = None,
    weights: ScoreWeights | None = None,
    recipe: str = "",
    min_score: float | None = None,
    page_passages_max: int | None = None,
) -> Plan[SearchResult]:
    """Ranks the passages of scopes for a query.

    Args:
        scopes: one or several; `*` is all that you may see.
        limit: of passages, 1 to 100.
        as_of: as the index stood then; a bare date means its end in UTC.
        prefer: scopes whose passages outrank others, with their priority in (0, 1].
        weights: of the score, in place of the recipe's.
        recipe: of the ranking; empty for the default.
        min_score: passages that score less are left out.
        page_passages_max: most passages of one page; 0 is no bound.
    """
    fields = {
        "query": query,
        "scopes": scope_names(scopes),
        "page_size": limit,
        "as_of_time": as_of,
        "weights": weights,
        "recipe": recipe,
        "preferred_scopes": _preferred(prefer),
        "min_score": min_score,
        "page_passages_max": page_passages_max,
    }
    return read(SearchResult, (yield Call(SERVICE, "Search", fields)))


def answer(
    query: str,
    scopes: Scopes,
    *,
    as_of: date | datetime | None = None,
    explain: bool = False,
    mode: Mode = Mode.UNSPECIFIED,
    unsupported: Unsupported = Unsupported.UNSPECIFIED,
    history: Iterable[Turn] = (),
    revalidate: Revalidate = Revalidate.UNSPECIFIED,
    recipe: str = "",
    chat: AnyChat = "",
    model: str = "",
) -> Plan[Answer]:
    """Answers a question with statements that are each cited to a version.

    Args:
        scopes: one or several; `*` is all that you may see.
        as_of: as the index stood then; a bare date means its end in UTC.
        explain: whether it says why each passage ranks as it does.
        mode: who words it.
        unsupported: what happens to a sentence of a model that no cited span supports.
        history: of the conversation, oldest first; only a model reads it.
        revalidate: whether cited pages are checked first.
        recipe: of the ranking; empty for the default.
        chat: of yours, that keeps question and answer; without a history, what was said there is
            one.
        model: of those that the installation offers, the one that words it; empty takes the first.
    """
    fields = {
        "query": query,
        "scopes": scope_names(scopes),
        "as_of_time": as_of,
        "explain": explain,
        "mode": mode,
        "unsupported": unsupported,
        "history": history,
        "revalidate": revalidate,
        "recipe": recipe,
        "chat": chat_name(chat) if chat else "",
        "model": model,
    }
    # Asked again, it would be in the chat twice.
    return read(Answer, (yield Call(SERVICE, "Answer", fields, is_harmless=not chat)))


def answer_stream(
    query: str,
    scopes: Scopes,
    *,
    as_of: date | datetime | None = None,
    explain: bool = False,
    mode: Mode = Mode.UNSPECIFIED,
    unsupported: Unsupported = Unsupported.UNSPECIFIED,
    history: Iterable[Turn] = (),
    revalidate: Revalidate = Revalidate.UNSPECIFIED,
    recipe: str = "",
    chat: AnyChat = "",
    model: str = "",
) -> Streaming[AnswerPart]:
    """Answers as `answer` does, part by part: the sources, each statement, and the whole answer."""
    fields = {
        "query": query,
        "scopes": scope_names(scopes),
        "as_of_time": as_of,
        "explain": explain,
        "mode": mode,
        "unsupported": unsupported,
        "history": tuple(history),
        "revalidate": revalidate,
        "recipe": recipe,
        "chat": chat_name(chat) if chat else "",
        "model": model,
    }
    call = Call(SERVICE, "StreamAnswer", fields, is_harmless=not chat)
    return Streaming(call, partial(read, AnswerPart))


def explain(
    query: str,
    scopes: Scopes,
    *,
    as_of: date | datetime | None = None,
    limit: int = 10,
    answer: Answer | None = None,
    recipe: str = "",
    prefer: Mapping[str, float] | None = None,
    weights: ScoreWeights | None = None,
) -> Plan[Explanation]:
    """Explains why passages rank as they do for a query, or what an answer was made of.

    Args:
        query: may be empty where an answer is given.
        limit: of passages, 1 to 100.
        answer: that is explained, and nothing is retrieved again.
        recipe, prefer, weights: of the ranking, as `search` takes them; without a meaning where an
            answer is given.
    """
    fields = {
        "query": query,
        "scopes": scope_names(scopes),
        "as_of_time": as_of,
        "page_size": limit,
        "evidence_bundle": answer.evidence_bundle if answer is not None else None,
        "recipe": recipe,
        "weights": weights,
        "preferred_scopes": _preferred(prefer),
    }
    return read(Explanation, (yield Call(SERVICE, "Explain", fields)))


def resolve_citations(citations: Iterable[Citation]) -> Plan[tuple[ResolvedCitation, ...]]:
    """Says what became of cited spans, in the order asked: where they stand in the newest version.

    Args:
        citations: as an answer has them, at most 50; of each, page, version, offsets, quote and
            its digest count.
    """
    response = yield Call(SERVICE, "ResolveCitations", {"citations": citations})
    return tuple(read(ResolvedCitation, one) for one in response.citations)


def _preferred(prefer: Mapping[str, float] | None) -> list[dict[str, str | float]]:
    return [
        {"scope": scope_name(name), "priority": priority}
        for name, priority in (prefer or {}).items()
    ]
