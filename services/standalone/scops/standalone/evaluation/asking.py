"""Asks a running Scops each question for passages and an answer, and scores what comes back."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from scops.client import Scops
from scops.client.errors import (
    DeadlineExceeded,
    Exhausted,
    Failed,
    InvalidRequest,
    ScopsError,
    Unavailable,
)
from scops.client.values.answers import Answer, Citation
from scops.client.values.passages import Passage
from scops.client.values.words import Mode
from scops.standalone.evaluation.outcomes import AskedQuestion, Spent
from scops.standalone.evaluation.questions import EvaluationQuestion
from scops.standalone.evaluation.scoring import scores_of, short_answer, spoken

# These may pass, and the next question is asked.
PASSING = (DeadlineExceeded, Exhausted, Failed, Unavailable)
FAILURES_IN_A_ROW_MAX = 5
PAUSE_SECONDS_MAX = 60.0
CITATIONS_MAX = 50
PAGES_SHOWN_MAX = 10
Clock = Callable[[], float]
Ask = Callable[[EvaluationQuestion], AskedQuestion]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedWith:
    """How questions are asked.

    Attributes:
        scopes: that are asked.
        target: scopes that passages should come from; empty takes the question's own, else
            `scopes`.
        recipe: of the ranking; empty for the default.
        prefer: scopes whose passages come first among those found.
        limit: of passages, and the cut of what is measured on them.
        answers: whether answers are asked for, or passages alone.
        model: that words them, of those that the installation offers; empty for its own choice.
    """

    scopes: tuple[str, ...]
    target: tuple[str, ...] = ()
    recipe: str = ""
    mode: Mode = Mode.UNSPECIFIED
    prefer: tuple[str, ...] = ()
    as_of: date | datetime | None = None
    limit: int = 10
    answers: bool = True
    model: str = ""


def ask_all(
    questions: Sequence[EvaluationQuestion],
    ask: Ask,
    *,
    told: Callable[[int], None],
    sleep: Callable[[float], None] = time.sleep,
) -> list[AskedQuestion]:
    """Asks one question after the other.

    Args:
        ask: asks one, and raises a `ScopsError` where it cannot.
        told: is called with the number of questions that were asked.

    Raises:
        ScopsError: nothing can be asked so, or five questions in a row failed.
    """
    outcomes: list[AskedQuestion] = []
    failed = 0
    for number, question in enumerate(questions, 1):
        try:
            outcomes.append(ask(question))
            failed = 0
        except ScopsError as error:
            failed += 1
            if not _passes(error, asked_before=failed < number) or failed >= FAILURES_IN_A_ROW_MAX:
                raise
            if failed == len(questions):
                raise
            outcomes.append(AskedQuestion.of(question, error=str(error)))
            sleep(min(error.retry_after or 0.0, PAUSE_SECONDS_MAX))
        told(number)
    return outcomes


def asking(client: Scops, asked: AskedWith, *, clock: Clock = time.perf_counter) -> Ask:
    """Returns what asks a gateway one question, for passages and for an answer."""
    return lambda question: _ask(client, question, asked, clock)


def _ask(
    client: Scops, question: EvaluationQuestion, asked: AskedWith, clock: Clock
) -> AskedQuestion:
    started = clock()
    found = client.search(
        question.text,
        asked.scopes,
        limit=asked.limit,
        as_of=asked.as_of,
        recipe=asked.recipe,
        prefer=dict.fromkeys(asked.prefer, 1.0),
    )
    search_ms = (clock() - started) * 1000
    answer, answer_ms = None, None
    verbatim: Collection[int] = ()
    if asked.answers:
        started = clock()
        answer = client.answer(
            question.text,
            asked.scopes,
            as_of=asked.as_of,
            recipe=asked.recipe,
            mode=asked.mode,
            model=asked.model,
        )
        check_model(asked.model, answer)
        answer_ms = (clock() - started) * 1000
        verbatim = _verbatim(client, answer.citations)
    scores = scores_of(
        question,
        found.passages,
        answer,
        verbatim=verbatim,
        scopes=asked.target or ((question.scope,) if question.scope else asked.scopes),
        cut=asked.limit,
    )
    return AskedQuestion.of(
        question,
        answered=answer.answered if answer is not None else None,
        said=spoken(answer) if answer is not None else "",
        short=short_answer(answer) if answer is not None else "",
        cited=tuple((one.uri, one.quote) for one in answer.citations) if answer else (),
        pages=_pages(found.passages),
        scores=scores,
        search_ms=round(search_ms, 1),
        answer_ms=round(answer_ms, 1) if answer_ms is not None else None,
        spent=_spent(answer),
    )


def check_model(wanted: str, answer: Answer) -> None:
    """Sees that it was the model that was to be asked.

    Raises:
        InvalidRequest: another was: the gateway or the explainer does not know models by name yet.
    """
    used = answer.model.model if answer.model is not None else ""
    if wanted and used and used != wanted:
        raise InvalidRequest(
            f"The model {wanted!r} was to be asked, and {used!r} was. Replace gateway and "
            "explainer by this version first.",
            reason="MODEL_NOT_ASKED",
        )


def _passes(error: ScopsError, *, asked_before: bool) -> bool:
    """Returns whether an error may be one question's: its words are refused, and not all."""
    if isinstance(error, InvalidRequest):
        return asked_before or error.reason.startswith("QUERY_")
    return isinstance(error, PASSING)


def _verbatim(client: Scops, citations: Sequence[Citation]) -> frozenset[int]:
    """Returns the numbers of the citations whose quote the cited version shows."""
    if not citations:
        return frozenset()
    asked = citations[:CITATIONS_MAX]
    try:
        resolved = client.resolve_citations(asked)
    except ScopsError as error:
        if isinstance(error, PASSING):
            raise
        # Of a page that is gone since; nothing shows the quotes any more.
        return frozenset()
    return frozenset(one.number for one in resolved if one.verbatim)


def _pages(passages: Sequence[Passage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.uri for one in passages))[:PAGES_SHOWN_MAX]


def _spent(answer: Answer | None) -> Spent:
    use = answer.model if answer is not None else None
    if use is None:
        return Spent()
    return Spent(
        model=use.model,
        requests=use.requests,
        input_tokens=use.input_tokens,
        output_tokens=use.output_tokens,
        cost=use.cost,
    )
