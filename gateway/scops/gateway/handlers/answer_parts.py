"""The use case of StreamAnswer: an answer part by part, each checked before it leaves.

The explainer is asked twice: what it found leaves first, and the answer is made of just that. It
knows alone how an answer comes about, such as by a question that is put anew for what was said
before. Sources and answer each pass the postcheck, with the scopes as they are by then.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace

from scops.common.contract.messages.explanation import (
    AnswerRequest,
    AnswerResponse,
    Citation,
    FindRequest,
    Statement,
)
from scops.common.contract.messages.retrieval import RetrieveResponse
from scops.common.query.ports import FIND
from scops.gateway import metrics
from scops.gateway.access.postcheck import checked_evidence
from scops.gateway.calls import Call
from scops.gateway.chats.chat import ChatId
from scops.gateway.handlers.chats.keeping import KeptAnswer
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.search import answered, begin_answer, postcheck_of
from scops.gateway.ports import GatewayPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedStatement:
    """A statement, with those of its citations that none before it had."""

    statement: Statement
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    """A part of an answer; one of them is set."""

    sources: RetrieveResponse | None = None
    statement: CitedStatement | None = None
    answer: KeptAnswer | None = None


async def stream_answer(
    ports: GatewayPorts,
    call: Call,
    *,
    question: AnswerRequest,
    scopes: Sequence[str],
    chat_id: ChatId | None = None,
) -> AsyncIterator[AnswerPart]:
    """Yields what is found for a question, each statement with its citations, and the answer.

    Args:
        question: as the caller put it, without scopes.
        scopes: as `search` takes them.
        chat_id: of the chat that keeps the answer; None keeps nothing.

    Raises:
        As `answer` does.
    """
    begun = await begin_answer(ports, call, question=question, scopes=scopes, chat_id=chat_id)
    if not begun.asked:
        yield AnswerPart(answer=await answered(ports, call, begun))
        return
    found = await ask(ports, FIND, FindRequest(question=begun.affordable), call=call)
    postcheck = await postcheck_of(ports, call, begun.asked)
    evidence, leaks = checked_evidence(found.found.evidence, postcheck)
    metrics.ACL_POSTCHECK_DROPS.inc(leaks)
    yield AnswerPart(sources=replace(found.found, evidence=evidence))
    asked = replace(begun, affordable=replace(begun.affordable, found=found))
    kept = await answered(ports, call, asked)
    for statement in cited_statements(kept.answer):
        yield AnswerPart(statement=statement)
    yield AnswerPart(answer=kept)


def cited_statements(answer: AnswerResponse) -> Iterator[CitedStatement]:
    """Yields the statements of an answer; each citation comes with the first that needs it."""
    waiting = {citation.number: citation for citation in answer.citations}
    for statement in answer.statements:
        numbers = dict.fromkeys(statement.citation_numbers)
        citations = tuple(waiting.pop(number) for number in numbers if number in waiting)
        yield CitedStatement(statement=statement, citations=citations)
